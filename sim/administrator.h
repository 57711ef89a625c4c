// What an administrator does to the manager: another release, another image of the same release, a
// roll-back, or a second process beside the first.
//
// A release that changes a component of the execution binding rotates it; one that changes only the
// manager's own identity must adopt what runs; one that also builds another Job must not. One that
// predates stored state is refused, and the release in force goes on. A manager that is replaced is
// stopped and started again: its memory is gone. Two of them can live at once for a while, since a
// leader may not have noticed that it lost.
//
// Answers: spec 01, 0.2 rule 6; spec 02, M and R-1; spec 05, S-28, S-33, S-40, S-41.

#ifndef SIM_ADMINISTRATOR_H_
#define SIM_ADMINISTRATOR_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/configuration.h"
#include "sim/actor.h"

namespace sim {

namespace act {
// The next release: another executor, so the binding rotates.
inline constexpr char kUpgrade[] = "upgrade";
// Another build of the manager alone.
inline constexpr char kReimage[] = "reimage";
// A release of the same components that builds another Job for a claim.
inline constexpr char kRebuild[] = "rebuild";
// Back to the first release.
inline constexpr char kRollBack[] = "roll-back";
// A release that also understands the next version of stored state. It helps where state of that
// version stands.
inline constexpr char kUpgradeState[] = "upgrade-state";
// Another process of the same release is started while the first still runs; and the first stopped.
inline constexpr char kOverlap[] = "overlap";
inline constexpr char kRetire[] = "retire";
// Before one of these: it was refused, because it does not know what a newer release stored.
inline constexpr char kRefused[] = "refused-";
}  // namespace act

bool IsRelease(absl::string_view what);
// Returns the act that was asked for, whether it was refused or not.
absl::string_view ReleaseAsked(absl::string_view what);

// What starts with this step; nullopt when no release does. Whether it may is for its own scan of
// the stored state to say, which is asked by whoever knows the lifecycle.
std::optional<lifecycle::api::Configuration> ReleaseStarted(const WorldStep& step);
// Makes of the offered step one in which the release is refused: the act is spent, and the release
// in force goes on.
void RefuseRelease(WorldStep& step);

// Every release a manager may run, each with a manager image of its own. The first is the one that
// scenarios start with.
std::vector<lifecycle::api::Configuration> Releases();

// Offers and takes kPerson of these acts.
void OfferReleases(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeRelease(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_ADMINISTRATOR_H_

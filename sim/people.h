// What people do: they approve, take an approval back or bring it back under another UID, bring a
// plan back or delete it, repair a database, acknowledge a run.
//
// A person helps when asked, at no cost: that is what waiting for a person counts on. Everything
// else they do is a disturbance. Each act is offered only while World.person has it left, where its
// request would be admitted, and where it would change something.
//
// What they do to what stands is in sim/edits.h, to an operation's Job and Pods in sim/meddling.h,
// to the manager in sim/administrator.h, and to what shapes its Pods in sim/cluster_objects.h.
//
// Answers: spec 01, 5.3 and 7.

#ifndef SIM_PEOPLE_H_
#define SIM_PEOPLE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "sim/actor.h"

namespace sim {

// The acts, as World.person and WorldStep.what name them.
namespace act {
inline constexpr char kApprove[] = "approve";
// The same by somebody else, where whoever wrote the spec may not approve.
inline constexpr char kApproveAsAnother[] = "approve-as-another";
inline constexpr char kDeleteApproval[] = "delete-approval";
// An approval comes back from a backup, as it was signed but for its UID, past admission.
inline constexpr char kReplaceApproval[] = "replace-approval";
// A plan and what it is stored in come back from a backup under other UIDs, past admission.
inline constexpr char kRepublish[] = "republish";
// The plan that a status names is deleted; what it is stored in is garbage then.
inline constexpr char kDeletePlan[] = "delete-plan";
// A migration's partly applied file is completed, and all its files are recorded.
inline constexpr char kRepair[] = "repair";
inline constexpr char kAcknowledge[] = "acknowledge";
// A second approval of the plan that a proof is about comes back from a backup, past admission.
inline constexpr char kRestoreApproval[] = "restore-approval";
// The acknowledgment of another run comes back from a backup, stamped, past admission.
inline constexpr char kRestoreAcknowledgment[] = "restore-acknowledgment";
// No person's, and no step: a pass is left standing in its middle (model/pass.h). It is counted
// here because it is spent as an act is.
inline constexpr char kPreempt[] = "preempt";
}  // namespace act

// Whether a person may be given this act, by this or the other four headers.
bool IsAct(absl::string_view what);

// Whether the resource asks for an approval that nobody has given and that admission would take of
// a person.
bool AwaitsApproval(const ApiServer& server, const World& world,
                    const lifecycle::api::Key& resource);

// Offers and takes kPerson.
void OfferPeople(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakePersonStep(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_PEOPLE_H_

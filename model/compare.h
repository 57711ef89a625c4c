// Comparisons: what one pass, or one webhook, does with a thing and with a variation of it.
//
//  - S-45: a fresh process concludes and cleans up the same when every condition reason and every
//    phase says something else.
//  - S-31: a run is accounted the same from its frame and from the summary that stands in for it,
//    or less is said; a frame that is refused, or a summary beside a frame, changes nothing.
//  - S-44: the webhook admits a Job exactly when the controller's own match accepts it, for Jobs
//    that were reached and their one-field variations, at the create and at the cleanup TTL.
//
// Each costs further passes, so it is made on a sample: once for each view of the world (S-31,
// S-45) or each Job beside its resource (S-44), the first of them all and then a fixed share,
// chosen by digest and never by chance. A Job's variations are dealt out over the Jobs that are
// reached. A replay compares everything, so that what it shows does not depend on the sample.
//
// Answers: spec 05, S-12, S-31, S-44, S-45.

#ifndef MODEL_COMPARE_H_
#define MODEL_COMPARE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lifecycle/api/admission.h"
#include "model/findings.h"
#include "model/pass.h"
#include "model/verdict.h"
#include "sim/api_server.h"
#include "sim/world.h"

namespace model {

// How many of a Job's variations it is held to (S-44).
struct Deal {
  // The share that the first Job is held to: any number, another for each scenario.
  uint32_t from = 0;
  // Every Job is held to every one of its variations.
  bool every = false;
};

class Comparer {
 public:
  // All outlive the comparer. `webhook` is asked beside the controller's match; `runner` runs the
  // further passes.
  Comparer(sim::Interner& interner, const lifecycle::api::Admission& webhook,
           const PassRunner& runner, const sim::DigestOptions& digest, Deal deal);

  // From now on everything is compared, or the sample again.
  void CompareAll(bool all) { all_ = all; }

  // Compares what a fresh process does in this state, and the Jobs that stand in it.
  void OfState(const sim::World& world, Findings& findings);
  // Compares how the two ends judge a Job that is being created, and a takeover with the same of a
  // Lease that is not lapsed.
  void OfWrite(const SentWrite& write, const PassTrace& trace, Findings& findings);

  // What Jobs of each kind were held to every variation of, such as "create Plan" and "cleanup of a
  // retired Plan".
  const std::set<std::string>& held_to_every() const { return held_to_every_; }

 private:
  bool IsSampled(const sim::World& world);
  void Scramble(const sim::World& world, Findings& findings);
  void Harvests(const sim::World& world, Findings& findings);
  void Takeover(const SentWrite& write, const PassTrace& trace, Findings& findings);
  // One stored Job that a record of the resource names, and who would ask for its cleanup.
  struct Cleanup {
    const sim::World& world;
    const sim::Entry& resource;
    const sim::Entry& job;
    const std::string& sender;
  };
  void CleanupTtl(const Cleanup& cleanup, uint32_t share, Findings& findings);
  void CleanupTtls(const sim::World& world, Findings& findings);
  size_t JobsMax() const;
  // The share of a Job's variations that this one is held to; nullopt: not in the sample.
  std::optional<uint32_t> ShareOf(const std::string& job, std::set<std::string>& seen);

  sim::Interner& interner_;
  const PassRunner& runner_;
  const sim::DigestOptions digest_;
  const Deal deal_;
  const sim::ApiServer bare_;    // Asks no webhook.
  const sim::ApiServer judged_;  // Asks the one.
  bool all_ = false;
  std::set<std::pair<uint64_t, uint64_t>> views_;
  size_t takeovers_ = 0;
  std::set<std::string> created_;
  std::set<std::string> cleaned_;
  std::set<std::string> held_to_every_;
};

// The passes of S-45, S-31 and S-12 (compare_passes.cc).

// Returns `world` with every condition reason and every phase saying something else. A phase Failed
// stays, since it paces a retry.
sim::World Scrambled(const sim::World& world, sim::Interner& interner);

// What a pass concludes, and whether it cleans up after a Job (W-17), which is no verdict.
struct Conclusion {
  VerdictSet verdicts;
  bool cleans = false;
  friend bool operator==(const Conclusion&, const Conclusion&) = default;
};
Conclusion ConclusionOf(const PassRunner& runner, const sim::World& world, PassId id);

}  // namespace model

#endif  // MODEL_COMPARE_H_

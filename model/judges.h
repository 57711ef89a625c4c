// The judges of writes and passes, a file for each matter. Private to the judge (judge.h).

#ifndef MODEL_JUDGES_H_
#define MODEL_JUDGES_H_

#include "model/findings.h"
#include "model/scene.h"

namespace model {

// `Sent`: of every write that was sent; `Stored`: of every one that was stored; `Changed`: of every
// one that changed the resource itself; `Ended`: of a pass.

// One Job for one authorized claim (judge_dispatch.cc).
void JudgeDispatchSent(const Scene& scene, Findings& findings);
void JudgeDispatchStored(const Scene& scene, Findings& findings);
void JudgeDispatchChanged(const Scene& scene, Findings& findings);

// What authorizes it: plan, policy and one decision (judge_authorization.cc).
void JudgeAuthorizationChanged(const Scene& scene, Findings& findings);
void JudgeAuthorizationEnded(const PassScene& scene, Findings& findings);
// Returns why neither the policy nor a decision lets the resource's plan run, `approved` or not;
// empty when one does.
std::string NotPermitted(const sim::World& world, const ResourceView& resource, bool approved);

// Who holds the realm, and when it is given back (judge_lease.cc).
void JudgeLeaseStored(const Scene& scene, Findings& findings);
void JudgeLeaseChanged(const Scene& scene, Findings& findings);
void JudgeLeaseEnded(const PassScene& scene, Findings& findings);

// The account of a run (judge_outcome.cc).
void JudgeOutcomeStored(const Scene& scene, Findings& findings);
void JudgeOutcomeChanged(const Scene& scene, Findings& findings);

// Deletion, suspension, records that go, fences and retries (judge_lifecycle.cc).
void JudgeLifecycleSent(const Scene& scene, Findings& findings);
void JudgeLifecycleStored(const Scene& scene, Findings& findings);
void JudgeLifecycleEnded(const PassScene& scene, Findings& findings);

// Execution bindings and what an epoch leaves behind (judge_rotation.cc).
void JudgeRotationSent(const Scene& scene, Findings& findings);
void JudgeRotationChanged(const Scene& scene, Findings& findings);

// Who may claim a realm, and what becomes of a refusal (judge_realm.cc).
void JudgeRealmEnded(const PassScene& scene, Findings& findings);
// Whether the pass wrote a claim that a census of the store would have refused, and that of its
// process's caches did not.
bool ClaimedByAnOldCensus(const PassScene& scene);
void JudgeRealmState(const sim::World& world, Findings& findings);
// Whether the resource stands refused by its realm, and shows the reason that is true.
bool StandsRefused(const sim::World& world, const ResourceView& view);

// What a claim leaves; an unresolved run's record, its copy, and what settles it (judge_record.cc).
void JudgeRecordChanged(const Scene& scene, Findings& findings);
void JudgeAcknowledgmentStored(const Scene& scene, Findings& findings);

// What a state still has to come back from (judge_recovery.cc).
void JudgeRecoveryEnded(const PassScene& scene, Findings& findings);
// Whether the realm is held for the schema's proof, under the epoch that its record names.
bool HoldsProofsRealm(const sim::World& world, const ResourceView& schema);
void PremisesOfRecovery(const sim::World& world, const ResourceView& view, Findings& findings);

}  // namespace model

#endif  // MODEL_JUDGES_H_

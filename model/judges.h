// The judges of writes and passes, a file for each matter. Private to the judge (judge.h).

#ifndef MODEL_JUDGES_H_
#define MODEL_JUDGES_H_

#include "model/findings.h"
#include "model/scene.h"

namespace model {

// Deletion, suspension, records that go, fences and retries (judge_lifecycle.cc).
// `Sent`: of every write that was sent; `Stored`: of every one that was stored; `Ended`: of a pass.
void JudgeLifecycleSent(const Scene& scene, Findings& findings);
void JudgeLifecycleStored(const Scene& scene, Findings& findings);
void JudgeLifecycleEnded(const PassScene& scene, Findings& findings);

// Execution bindings and what an epoch leaves behind (judge_rotation.cc).
void JudgeRotationSent(const Scene& scene, Findings& findings);
void JudgeRotationStored(const Scene& scene, Findings& findings);

// Who may claim a realm, and what becomes of a refusal (judge_realm.cc).
void JudgeRealmEnded(const PassScene& scene, Findings& findings);
void JudgeRealmState(const sim::World& world, Findings& findings);

// An unresolved run's record, its copy, and what settles it (judge_record.cc).
void JudgeRecordStored(const Scene& scene, Findings& findings);

}  // namespace model

#endif  // MODEL_JUDGES_H_

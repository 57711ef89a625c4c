// A schema with a published plan, and the hands that play everybody else, for the tests of this
// folder: a person who approves, the Pods and what they print, the clock.

#ifndef LIFECYCLE_SCHEMA_SCHEMA_SCENE_H_
#define LIFECYCLE_SCHEMA_SCHEMA_SCENE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/design.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::schema {

class SchemaScene {
 public:
  static constexpr char kNamespace[] = "default";
  static constexpr char kName[] = "orders";
  static constexpr char kApproval[] = "approve-orders";

  explicit SchemaScene(const char* policy = "OnApproval");

  // One pass of a manager; moves the clocks by what it asks to wait.
  api::PassResult Pass();
  // A new process: nothing is remembered.
  void Restart() { memory = api::Memory(); }
  // Passes, with Pods and Jobs taking their course in between, until `done` or too many passes.
  // Returns whether `done` came true.
  bool RunUntil(const std::function<bool()>& done);
  // Passes without anything else happening until `done`.
  bool PassUntil(const std::function<bool()>& done);

  const api::PtahSchema& schema() const { return door.At<api::PtahSchema>(kNamespace, kName); }
  const api::PtahSchemaStatus& status() const { return schema().status(); }
  bool HasClaim(const char* type) const {
    return status().has_active_operation() && status().active_operation().type() == type;
  }
  // Nothing of an operation is open any more.
  bool IsSettled() const {
    return !status().has_active_operation() && !status().has_pending_observation() &&
           !status().has_pending_lock_release() && schema().metadata().finalizers().empty();
  }
  // The spec of the schema is edited, which moves its generation.
  void EditSpec(const std::function<void(api::PtahSchemaSpec&)>& edit);
  void Suspend(bool suspend = true);
  // Somebody deletes the schema; its finalizer holds it.
  void Delete();
  void EditStatus(const std::function<void(api::PtahSchemaStatus&)>& edit);
  // The Lease of the schema's realm, and whether nobody holds it.
  const api::Lease& lease() const;
  bool RealmIsFree() const { return lease().spec().holder_identity().empty(); }
  // Somebody else takes the realm, held or not.
  void RivalTakesRealm();
  // Whether a pass said that it follows this rule.
  bool Followed(const char* rule) const;
  void Approve(const char* name = kApproval);
  bool ApprovalIs(const char* condition) const;

  // Passes, with Pods and Jobs taking their course, until the Job of an Apply is recorded; it has
  // not ended.
  bool RunToRecordedApply();
  // The Pod of the Job of that name.
  void EditPod(const std::string& job, const std::function<void(api::Pod&)>& edit);

  // Runs the Pods of every Job that has not ended, to their ends.
  void RunJobs();
  // The Jobs ever made, by runner operation.
  int JobsMade(const std::string& operation) const;

  testing::MemoryDoor door;
  api::Memory memory;
  api::Configuration configuration = api::DefaultConfiguration();
  api::Timing timing;
  dispatch::Design design;
  // Whether the database is the declared one; an Apply makes it so.
  bool declared = false;
  // Changes what a runner of this operation reports, before it is written.
  std::function<void(api::FramePayload&)> report = [](api::FramePayload&) {};
  // The log of Apply Pods is lost.
  bool lose_apply_log = false;
  // How many passes ended in an error.
  int failed_passes = 0;

 private:
  void RunJob(const api::Job& job);
  api::FramePayload FrameOf(const api::Job& job);

  std::vector<std::string> operations_;
};

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_SCHEMA_SCENE_H_

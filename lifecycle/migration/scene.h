// A migration in a tiny store, with a world acted by hand: what the tests of this folder and of the
// webhook start from.

#ifndef LIFECYCLE_MIGRATION_SCENE_H_
#define LIFECYCLE_MIGRATION_SCENE_H_

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/design.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::migration {

// The migration app/m with files 3 and 4 pending and a published plan for them.
class Scene {
 public:
  // `policy` is policy.apply. With OnApproval an approval "ok" of the plan is there as well.
  explicit Scene(const std::string& policy);

  // One pass, by a manager with this process's memory.
  api::PassResult Pass();
  // Passes until the claim's Job stands and its UID is recorded; aborts after ten.
  void PassUntilRecorded();
  // Passes until a claim of this type is stored; aborts after twenty.
  void PassUntilClaimed(const std::string& type);

  const api::PtahMigration& migration() const { return store.At<api::PtahMigration>("app", "m"); }
  const api::PtahMigrationStatus& status() const { return migration().status(); }
  const api::ActiveOperation& claim() const { return status().active_operation(); }
  const api::Job& job() const { return store.At<api::Job>("app", claim().job_name()); }
  const api::PtahMigrationApproval& approval() const {
    return store.At<api::PtahMigrationApproval>("app", "ok");
  }

  // Changes the stored migration behind the manager's back.
  template <class Edit>
  void EditMigration(Edit edit) {
    api::PtahMigration next = migration();
    edit(next);
    store.Put(next);
  }

  // A frame of the claim's operation and attempt, in the planned database.
  api::FramePayload Frame() const;
  api::FramePayload RunFrame(const std::string& outcome, const std::vector<int64_t>& applied) const;
  // A reading with the given versions pending.
  api::FramePayload HistoryFrame(const std::vector<int64_t>& pending) const;

  // The claim's Job ends with one Pod. Its log holds `log`; empty: the log is gone.
  void EndJob(bool succeeded, const std::string& log, const std::string& termination_message = "");
  void EndJobWithFrame(const api::FramePayload& payload);
  // Reads that follow a Blocked or read run until nothing is due: Resolve, Verify, History.
  void RunReadings(const std::vector<int64_t>& pending);

  testing::MemoryDoor store;
  api::Configuration configuration = api::DefaultConfiguration();
  api::Timing timing;
  dispatch::Design design;
  api::Memory memory;
  std::string plan_name;

 private:
  void LayDownMigration(const std::string& policy);
  void LayDownPlan();
  void LayDownApproval();
};

std::string TestDigest(char digit);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_SCENE_H_

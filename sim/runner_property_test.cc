// What a run reports, held to what it did, over random migrations and every way a run can end.

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "rapidcheck/gtest.h"
#include "sim/actor_testing.h"
#include "sim/database.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

std::vector<TestFile> AnyFiles() {
  const int count = *rc::gen::inRange(1, 4);
  std::vector<TestFile> files;
  for (int at = 0; at < count; ++at) {
    TestFile file;
    file.statements = *rc::gen::inRange(1, 4);
    file.transactional = *rc::gen::arbitrary<bool>();
    if (*rc::gen::inRange(0, 4) == 0) file.fails_at = *rc::gen::inRange(0, file.statements);
    files.push_back(file);
  }
  return files;
}

std::vector<int64_t> RecordedVersions(const Database& database) {
  std::vector<int64_t> versions;
  for (const Database::File& file : database.files) {
    if (file.recorded) versions.push_back(VersionNumber(file));
  }
  return versions;
}

bool LeftSomethingUnrecorded(const Database& database) {
  return std::any_of(database.files.begin(), database.files.end(), [](const Database::File& file) {
    return file.committed > 0 && !file.recorded;
  });
}

// Takes one of the ends the world offers the run.
void EndSomehow(ActorWorld& at) {
  std::vector<WorldStep> ends;
  for (const WorldStep& step : at.Offer()) {
    if (step.kind == StepKind::kKillPod || (step.kind == StepKind::kRun && step.what == "finish")) {
      ends.push_back(step);
    }
  }
  RC_ASSERT(!ends.empty());
  at.Take(ends[*rc::gen::inRange<size_t>(0, ends.size())]);
}

RC_GTEST_PROP(RunnerPropertyTest, AReportSaysWhatTheDatabaseHolds, ()) {
  ActorWorld at;
  at.UseMigration(AnyFiles());
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EndSomehow(at);

  const auto frame = at.Frame();
  if (!frame.has_value()) {
    RC_ASSERT(at.Log().empty());
    return;
  }
  if (!frame->has_migration_run()) {
    RC_ASSERT(frame->child_exit_code() == -1);
    RC_ASSERT(RecordedVersions(at.TheDatabase()).empty());
    return;
  }
  const auto& run = frame->migration_run();
  RC_ASSERT(std::vector<int64_t>(run.applied().begin(), run.applied().end()) ==
            RecordedVersions(at.TheDatabase()));
  RC_ASSERT((run.outcome() == api::report_outcome::kPartial) ==
            LeftSomethingUnrecorded(at.TheDatabase()));
  RC_ASSERT((run.outcome() == api::report_outcome::kApplied) == at.TheOperation().finished_ok);
  RC_ASSERT(frame->uncertain() == (run.outcome() == api::report_outcome::kPartial));
}

RC_GTEST_PROP(RunnerPropertyTest, TheTruthKeepsWhatTheRunDidToEachFile, ()) {
  ActorWorld at;
  at.UseMigration(AnyFiles());
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EndSomehow(at);

  const std::vector<FileEffect>& effect = at.TheOperation().effect;
  RC_ASSERT(effect.size() == at.TheDatabase().files.size());
  for (size_t file = 0; file < effect.size(); ++file) {
    RC_ASSERT(effect[file].version == at.TheDatabase().files[file].version);
    RC_ASSERT(effect[file].committed == at.TheDatabase().files[file].committed);
    RC_ASSERT(effect[file].recorded == at.TheDatabase().files[file].recorded);
  }
}

RC_GTEST_PROP(RunnerPropertyTest, ASummarySaysNoMoreThanItsFrame, ()) {
  ActorWorld at;
  at.UseMigration(AnyFiles());
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EndSomehow(at);

  const auto summary = at.Summary();
  if (!summary.has_value()) return;
  const auto frame = at.Frame();
  RC_ASSERT(frame.has_value());
  RC_ASSERT(summary->migration().outcome() == frame->migration_run().outcome());
  RC_ASSERT(summary->migration().applied_count() == frame->migration_run().applied_size());
  RC_ASSERT(summary->uncertain() == frame->uncertain());
}

// Stopping at a statement and going on ends where going on at once ends.
RC_GTEST_PROP(RunnerPropertyTest, APauseChangesNothing, ()) {
  const std::vector<TestFile> files = AnyFiles();
  ActorWorld straight;
  straight.UseMigration(files);
  straight.AddJob();
  straight.Take(StepKind::kStartPod);
  straight.Take(StepKind::kRun, "finish");

  ActorWorld paused;
  paused.UseMigration(files);
  paused.AddJob();
  paused.Take(StepKind::kStartPod);
  while (paused.Find(StepKind::kRun, "pause", 1).has_value()) {
    paused.Take(StepKind::kRun, "pause", 1);
  }
  paused.Take(StepKind::kRun, "finish");
  RC_ASSERT(paused.Log() == straight.Log());
  RC_ASSERT(ViewDigest(paused.world, {}) == ViewDigest(straight.world, {}));
  RC_ASSERT(RecordedVersions(paused.TheDatabase()) == RecordedVersions(straight.TheDatabase()));
}

}  // namespace
}  // namespace sim

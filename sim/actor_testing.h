// A small world for tests of the actors: Jobs as an operator would build them, without an operator.

#ifndef SIM_ACTOR_TESTING_H_
#define SIM_ACTOR_TESTING_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "sim/actor.h"
#include "sim/actors.h"
#include "sim/api_server.h"
#include "sim/interner.h"
#include "sim/world.h"

namespace sim {

inline constexpr int64_t kTestStartMs = 1'000'000;

// What a test's Job is told. The defaults are those of a migration's Apply.
struct TestJob {
  std::string name = "apply";
  std::string operation = "migration-apply";
  std::string operation_id =
      "sha256:0000000000000000000000000000000000000000000000000000000000000001";
  std::string sequence{};     // Empty: what is pending in the test's database.
  std::string plan_digest{};  // Schema Apply.
  std::string mounts{};       // A ConfigMap it mounts as its plan.
  int64_t window_ms = 900'000;
  int64_t deadline_seconds = 960;
  int64_t grace_seconds = 30;
};

// One file of the test's migration.
struct TestFile {
  int32_t statements = 2;
  bool transactional = true;
  int32_t fails_at = -1;
};

class ActorWorld {
 public:
  explicit ActorWorld(WorldRules rules = {});

  // Replaces the database: a schema's, or a migration's.
  void UseSchema(int32_t statements, int32_t in_force = 0);
  void UseMigration(const std::vector<TestFile>& files);

  // Stores a Job, and an operation of its id in the truth.
  void AddJob(const TestJob& job = {});
  // Creates any object. Fails the test when it is refused.
  void Add(std::shared_ptr<google::protobuf::Message> object);

  // The offered steps; the first that fits; nullopt when none does.
  std::vector<WorldStep> Offer() const { return actors.Offer(world); }
  std::optional<WorldStep> Find(StepKind kind, const std::string& what = "",
                                std::optional<int32_t> option = std::nullopt) const;
  // Takes the first step that fits and ends it. Fails the test when none is offered.
  void Take(StepKind kind, const std::string& what = "",
            std::optional<int32_t> option = std::nullopt);
  void Take(const WorldStep& step);

  // The only Job and Pod, or nullptr.
  const lifecycle::api::Job* TheJob() const;
  const lifecycle::api::Pod* ThePod() const;
  // The log of the only Pod; empty when nothing was written.
  std::string Log() const;
  std::string TerminationMessage() const;
  // The frame in the log, and the summary in the termination message, as a manager parses them.
  std::optional<lifecycle::api::FramePayload> Frame(const TestJob& job = {}) const;
  std::optional<lifecycle::api::TerminationSummary> Summary(const TestJob& job = {}) const;

  const Database& TheDatabase() const { return *world.truth.databases[0]; }
  const OperationTruth& TheOperation(const TestJob& job = {}) const;

  Interner interner;
  ApiServer server;
  Actors actors;
  World world;
};

}  // namespace sim

#endif  // SIM_ACTOR_TESTING_H_

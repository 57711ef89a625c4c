#include "lifecycle/dispatch/harvest.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/workload_samples.h"
#include "lifecycle/testing/cluster_samples.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

using api::PassResult;

// A migration's claim: an Apply, or made a reading by its type.
class Holder final : public ClaimHolder {
 public:
  Holder(const api::PtahMigration& migration, rules::Family family)
      : migration_(migration), family_(family) {}
  rules::Family family() const override { return family_; }
  const api::ObjectMeta& metadata() const override { return migration_.metadata(); }
  const api::ActiveOperation& claim() const override {
    return migration_.status().active_operation();
  }
  const api::ExecutionBinding& binding() const override {
    return migration_.status().execution_binding();
  }
  absl::Status WriteClaim(ClaimEdit) override { return absl::OkStatus(); }

 private:
  const api::PtahMigration& migration_;
  const rules::Family family_;
};

// A family that only says what it was asked for.
class Recorded final : public Harvest {
 public:
  Recorded(const ClaimHolder& holder, const api::Stored<api::Job>& job, const Context& context,
           int64_t now_ms)
      : Harvest(holder, job, context), now_ms_(now_ms) {}
  std::string asked;
  bool stands_in = false;

 private:
  int64_t NowMs() override { return now_ms_; }
  PassResult UseFrame(const api::FramePayload&) override { return Say("frame"); }
  StepResult StandIn(const api::FrameResult&, const std::string&) override {
    if (!stands_in) return std::nullopt;
    return Say("stand-in");
  }
  PassResult Unaccounted(absl::string_view) override { return Say("unaccounted"); }
  PassResult Retry(absl::string_view) override { return Say("retry"); }
  PassResult Discard(absl::string_view) override { return Say("discard"); }
  PassResult Say(const char* what) {
    asked = what;
    return PassResult::Now();
  }

  const int64_t now_ms_;
};

class HarvestTest : public ::testing::Test {
 protected:
  HarvestTest() {
    sample_.TakeSnapshot();
    api::Job job = sample_.Build();
    job.mutable_metadata()->set_uid("job-uid");
    api::JobCondition* ended = job.mutable_status()->add_conditions();
    ended->set_type(api::condition::kJobComplete);
    ended->set_status(api::condition_status::kTrue);
    ended->set_last_transition_time_ms(kEnded);
    job_.object = std::make_shared<api::Job>(std::move(job));
  }

  void PutPod(const std::string& name, bool ended = true) {
    api::Pod pod = lifecycle::testing::PodOf(*job_, name);
    pod.mutable_status()->set_phase(api::pod_phase::kSucceeded);
    api::ContainerStatus* executor = pod.mutable_status()->add_container_statuses();
    executor->set_name("ptah");
    if (ended) executor->mutable_state()->mutable_terminated();
    door_.Put(pod);
  }

  void MakeReading() {
    sample_.migration.mutable_status()->mutable_active_operation()->set_type(
        api::operation::kVerify);
  }

  // What the family was asked for, or "wait" and for how long.
  std::string Read() { return Ask(/*inputs_hold=*/true); }
  std::string Ask(bool inputs_hold) {
    const Holder holder(sample_.migration, family_);
    Recorded harvest(holder, job_, context_, now_ms_);
    harvest.stands_in = stands_in_;
    const PassResult result = inputs_hold ? harvest.Read() : harvest.SettleMovedInputs();
    if (!result.status.ok()) return "error";
    if (!harvest.asked.empty()) return harvest.asked;
    return "wait " + std::to_string(result.requeue_after_ms.value_or(-1));
  }
  std::string Frame(int64_t protocol_version) const {
    const bool apply = sample_.claim().type() == api::operation::kApply;
    api::FramePayload payload;
    payload.set_protocol_version(protocol_version);
    payload.set_operation(apply ? api::runner_operation::kMigrationApply
                                : api::runner_operation::kVerify);
    payload.set_operation_id(sample_.claim().id());
    return api::RenderFrame(payload);
  }
  int64_t Protocol() const { return configuration_.runner_protocol_version; }
  bool Journaled(const std::string& rule) const {
    return std::count(door_.journal().begin(), door_.journal().end(), rule) > 0;
  }

  static constexpr int64_t kEnded = samples::kStartedMs + 60'000;
  testing::MemoryDoor door_;
  api::Client client_{door_, "manager"};
  api::Memory memory_;
  api::Configuration configuration_ = api::DefaultConfiguration();
  api::Timing timing_;
  Design design_;
  Context context_{client_, memory_, configuration_, timing_, design_};
  samples::MigrationApply sample_;
  api::Stored<api::Job> job_;
  rules::Family family_ = rules::Family::kMigration;
  int64_t now_ms_ = kEnded + 1'000;
  bool stands_in_ = false;
};

TEST_F(HarvestTest, AFrameOfTheOnePodIsTheFamilys) {
  PutPod("pod");
  door_.logs["pod"] = Frame(Protocol());
  EXPECT_EQ(Read(), "frame");
}

TEST_F(HarvestTest, TwoPodsCostAnApplyItsAccountAndAReadingItsAttempt) {
  PutPod("one");
  PutPod("two");
  door_.logs["one"] = Frame(Protocol());
  EXPECT_EQ(Read(), "unaccounted");
  MakeReading();
  EXPECT_EQ(Read(), "retry");
  EXPECT_TRUE(Journaled("G-3"));
  EXPECT_TRUE(Journaled("I-3 two Pods"));
  EXPECT_TRUE(Journaled("F-8 two Pods"));
}

TEST_F(HarvestTest, APodMayStayUnseenForTenSecondsOfTheClaim) {
  now_ms_ = samples::kStartedMs + 9'999;
  EXPECT_EQ(Read(), "wait 2000");
  now_ms_ = kEnded + 30'000;
  EXPECT_EQ(Read(), "unaccounted");
}

TEST_F(HarvestTest, AFrameThatMayStillArriveIsWaitedForFromTheEndOfTheJob) {
  PutPod("pod", /*ended=*/false);
  now_ms_ = kEnded + 29'999;
  EXPECT_EQ(Read(), "wait 2000");
  EXPECT_TRUE(Journaled("G-5"));
  now_ms_ = kEnded + 30'000;
  EXPECT_EQ(Read(), "unaccounted");
  MakeReading();
  EXPECT_EQ(Read(), "retry");
}

TEST_F(HarvestTest, ALogThatMayYetBeReadChangesNothing) {
  PutPod("pod");
  door_.log_error = api::ToStatus({500, api::kInternalError, "kubelet"});
  now_ms_ = kEnded + 100'000;
  EXPECT_EQ(Read(), "wait 5000");
  EXPECT_EQ(door_.events(), (std::vector<std::string>{"ResultUnreadable"}));
  door_.Advance(timing_.log_loss_window_ms);
  EXPECT_EQ(Read(), "unaccounted");
}

TEST_F(HarvestTest, ARunnerOfAnotherProtocolRefusedAndAMigrationsApplyReadsOn) {
  PutPod("pod");
  door_.logs["pod"] = Frame(Protocol() + 1);
  stands_in_ = true;
  EXPECT_EQ(Read(), "stand-in");
  EXPECT_EQ(door_.events(), (std::vector<std::string>{"RunnerProtocolRefused"}));
  family_ = rules::Family::kSchema;
  EXPECT_EQ(Read(), "unaccounted");
  MakeReading();
  EXPECT_EQ(Read(), "retry");
}

TEST_F(HarvestTest, OnlyAMutatingClaimHasAStandIn) {
  PutPod("pod");
  now_ms_ = kEnded + 30'000;
  stands_in_ = true;
  EXPECT_EQ(Read(), "stand-in");
  MakeReading();
  EXPECT_EQ(Read(), "retry");
}

TEST_F(HarvestTest, AResultOfMovedInputsIsNotReadWhateverItSays) {
  PutPod("pod");
  door_.logs["pod"] = Frame(Protocol());
  EXPECT_EQ(Ask(/*inputs_hold=*/false), "unaccounted");
  MakeReading();
  EXPECT_EQ(Ask(/*inputs_hold=*/false), "discard");
  EXPECT_TRUE(Journaled("G-2"));
}

}  // namespace
}  // namespace lifecycle::dispatch

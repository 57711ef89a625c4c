// What was run once is not run again, and only then: every way in which a remembered pass could
// differ from a fresh one is either another branch or the end of the program.

#include "model/memo.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/errors.h"
#include "model/admission_memo.h"

namespace model {
namespace {

namespace api = lifecycle::api;

const api::Key kResource{api::Kind::kPtahSchema, "default", "orders"};

api::AnyStored StoredJob(const char* name, api::Version version) {
  auto job = std::make_shared<api::Job>();
  job->mutable_metadata()->set_name(name);
  return {job, version};
}

// Answers from what the test sets, and counts.
class ScriptedDoor final : public api::Door {
 public:
  api::Answer Call(const api::Question& question) override {
    ++calls;
    api::Answer answer;
    if (std::holds_alternative<api::WallClockQuestion>(question.body)) answer.time_ms = now_ms;
    if (std::holds_alternative<api::ReadQuestion>(question.body)) {
      answer.stored = job;
      if (job.object == nullptr) {
        answer.status = api::ToStatus({404, "NotFound", "no such Job"});
      }
    }
    return answer;
  }
  int64_t now_ms = 1000;
  api::AnyStored job;
  int calls = 0;
};

// Reads a clock, then a Job; waits for what it saw.
class MemoTest : public testing::Test {
 protected:
  PassEnd Run() { return memo_.Run({kResource, configuration_, memory_}, door_, code_); }

  PassMemo memo_;
  ScriptedDoor door_;
  api::Configuration configuration_ = api::DefaultConfiguration();
  sim::Cow<api::Memory> memory_;
  int runs_ = 0;
  std::string asks_for_ = "job";
  int64_t adds_ms_ = 0;
  PassMemo::Code code_ = [this](api::Door& door, api::Memory& memory) {
    ++runs_;
    api::Client client(door, "manager");
    const int64_t now_ms = client.WallMs();
    const auto job = client.Get<api::Job>("default", asks_for_);
    if (!job.ok()) return api::PassResult::Error(job.status());
    memory.log_failures["pod"].first_failed_ms = now_ms;
    return api::PassResult::After(now_ms + adds_ms_);
  };
};

TEST_F(MemoTest, CodeIsNotRunAgainOnTheSameAnswers) {
  door_.job = StoredJob("job", 1);
  const PassEnd first = Run();
  const PassEnd second = Run();
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(door_.calls, 4);
  EXPECT_EQ(second.result.requeue_after_ms, first.result.requeue_after_ms);
  EXPECT_EQ(second.memory->log_failures.at("pod").first_failed_ms, 1000);
}

TEST_F(MemoTest, AnotherObjectVersionTimeOrErrorIsAnotherAnswer) {
  door_.job = StoredJob("job", 1);
  Run();
  door_.job.version = 2;
  Run();
  EXPECT_EQ(runs_, 2);
  door_.job = StoredJob("job", 1);  // An equal object that is not the same one.
  Run();
  EXPECT_EQ(runs_, 3);
  door_.now_ms = 1001;
  EXPECT_EQ(Run().result.requeue_after_ms, 1001);
  EXPECT_EQ(runs_, 4);
  door_.job = {};
  EXPECT_TRUE(api::IsNotFound(Run().result.status));
  EXPECT_EQ(runs_, 5);
}

TEST_F(MemoTest, CodeThatIsRunAgainIsAnsweredFromTheCallsMadeAlready) {
  door_.job = StoredJob("job", 1);
  Run();
  door_.calls = 0;
  door_.job.version = 2;
  Run();
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(door_.calls, 2);
}

TEST_F(MemoTest, AnotherMemoryConfigurationOrResourceIsAnotherPass) {
  door_.job = StoredJob("job", 1);
  Run();
  memory_.Edit().log_failures["other"].first_failed_ms = 5;
  Run();
  EXPECT_EQ(runs_, 2);
  configuration_.executor_image = "another";
  Run();
  EXPECT_EQ(runs_, 3);
  const api::Key other{api::Kind::kPtahSchema, "default", "other"};
  memo_.Run({other, configuration_, memory_}, door_, code_);
  EXPECT_EQ(runs_, 4);
  Run();
  EXPECT_EQ(runs_, 4);
}

TEST_F(MemoTest, CodeThatAsksSomethingElseAfterTheSameAnswersEndsTheProgram) {
  door_.job = StoredJob("job", 1);
  Run();
  asks_for_ = "another";
  door_.job.version = 2;
  EXPECT_DEATH(Run(),
               "not deterministic: after the same answers it asked read job/job.* before "
               "and read job/another");
}

TEST_F(MemoTest, ASampleIsRunOnRealCodeAndCompared) {
  door_.job = StoredJob("job", 1);
  Run();
  adds_ms_ = 1;
  EXPECT_DEATH(
      {
        for (int i = 0; i < 64; ++i) Run();
      },
      "ended differently after the same answers");
}

// A webhook that admits what is named like an object it reads.
class NamedAfter final : public api::Admission {
 public:
  api::AdmissionAnswer Review(const api::AdmissionRequest& request,
                              const api::DirectReader& reader) const override {
    ++asked;
    const api::AnyStored read = reader.Read({api::Kind::kJob, "default", "job"});
    if (read.object == nullptr) return {absl::NotFoundError(request.key.name), nullptr};
    return {};
  }
  mutable int asked = 0;
};

class OneJob final : public api::DirectReader {
 public:
  api::AnyStored Read(const api::Key&) const override { return job; }
  std::vector<api::AnyStored> List(api::Kind, const std::string&) const override { return {}; }
  int64_t WallMs() const override { return now_ms; }
  api::AnyStored job;
  int64_t now_ms = 0;
};

TEST(AdmissionMemoTest, AsksOncePerWriteAndWhatIsRead) {
  const NamedAfter webhook;
  const AdmissionMemo memo(webhook);
  OneJob reader;
  reader.job = StoredJob("job", 1);
  api::AdmissionRequest request;
  request.key = kResource;
  request.after = std::make_shared<api::Job>();
  EXPECT_TRUE(memo.Review(request, reader).status.ok());
  reader.now_ms = 5;  // Not read, so it changes nothing.
  EXPECT_TRUE(memo.Review(request, reader).status.ok());
  EXPECT_EQ(webhook.asked, 1);

  reader.job = {};
  EXPECT_FALSE(memo.Review(request, reader).status.ok());
  EXPECT_EQ(webhook.asked, 2);

  request.sender = "somebody else";
  EXPECT_FALSE(memo.Review(request, reader).status.ok());
  EXPECT_EQ(webhook.asked, 3);
  EXPECT_EQ(memo.asked(), 3u);
}

}  // namespace
}  // namespace model

#include "lifecycle/api/frame.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/random_message.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::api {
namespace {

constexpr char kId[] = "sha256:1111111111111111111111111111111111111111111111111111111111111111";

FrameExpectation Expected() {
  return {
      .operation = runner_operation::kMigrationApply, .operation_id = kId, .protocol_version = 1};
}

FramePayload Payload() {
  FramePayload payload;
  payload.set_protocol_version(1);
  payload.set_operation(runner_operation::kMigrationApply);
  payload.set_operation_id(kId);
  payload.set_mutation_started(true);
  payload.set_coordination_digest(DigestOf("realm"));
  payload.set_target_identity_digest(DigestOf("database"));
  payload.mutable_migration_run()->set_outcome(report_outcome::kApplied);
  payload.mutable_migration_run()->add_planned(1);
  payload.mutable_migration_run()->add_applied(1);
  return payload;
}

// A frame whose header and footer are right, whatever its payload says.
std::string FrameAround(const std::string& json) {
  const std::string digest = DigestOf(json);
  return absl::StrCat("ptah-result-begin ", json.size(), " ", digest, "\n", json,
                      "\nptah-result-end ", digest, "\n");
}

std::string FrameWith(void (*change)(FramePayload*)) {
  FramePayload payload = Payload();
  change(&payload);
  return RenderFrame(payload);
}

FrameFailure FailureOf(absl::string_view log) { return ParseFrame(log, Expected()).failure; }

TEST(FrameTest, IsAHeaderAPayloadAndAFooter) {
  const std::string frame = RenderFrame(Payload());
  EXPECT_EQ(frame,
            FrameAround(frame.substr(frame.find('{'), frame.rfind('}') - frame.find('{') + 1)));
  EXPECT_TRUE(absl::StrContains(frame, FrameDigestOf(Payload())));
}

TEST(FrameTest, IsReadFromTheMiddleOfALog) {
  const std::string log = absl::StrCat("starting\n", RenderFrame(Payload()), "bye\n");
  const FrameResult result = ParseFrame(log, Expected());
  ASSERT_TRUE(result.ok()) << result.why;
  EXPECT_TRUE(Equal(result.payload, Payload()));
}

TEST(FrameTest, ALogWithoutOneMayStillGetIt) {
  for (const char* log : {"", "starting\n", "ptah-result", "x ptah-result-begin 1 y\n"}) {
    const FrameResult result = ParseFrame(log, Expected());
    EXPECT_EQ(result.failure, FrameFailure::kNotFound) << log;
    EXPECT_TRUE(result.MayStillArrive());
  }
}

TEST(FrameTest, EveryKindOfAnswerIsTold) {
  EXPECT_EQ(FailureOf("ptah-result-begin many sha256:1\n"), FrameFailure::kMalformed);
  EXPECT_EQ(FailureOf(FrameAround("{\"protocolVersion\":1,")), FrameFailure::kMalformed);
  EXPECT_EQ(FailureOf(FrameAround("{\"protocolVersion\":1,\"surprise\":1}")),
            FrameFailure::kMalformed);
  EXPECT_EQ(
      FailureOf(absl::StrCat("ptah-result-begin 2 ", kId, "\n{}\nptah-result-end ", kId, "\n")),
      FrameFailure::kWrongDigest);
  EXPECT_EQ(FailureOf(absl::StrCat("ptah-result-begin 99999999999 ", kId, "\n")),
            FrameFailure::kTooLarge);
  EXPECT_EQ(FailureOf(FrameWith([](FramePayload* p) {
              p->set_operation(runner_operation::kMigrationHistory);
              p->clear_migration_run();
            })),
            FrameFailure::kWrongOperation);
  EXPECT_EQ(FailureOf(FrameWith([](FramePayload* p) { p->set_operation_id(DigestOf("other")); })),
            FrameFailure::kWrongAttempt);
  EXPECT_EQ(FailureOf(FrameWith([](FramePayload* p) { p->set_protocol_version(2); })),
            FrameFailure::kProtocolMismatch);
  EXPECT_EQ(FailureOf(FrameWith(
                [](FramePayload* p) { p->mutable_error()->set_code(kProtocolMismatchCode); })),
            FrameFailure::kProtocolMismatch);
  // A document of a later protocol, with fields this build has never heard of.
  EXPECT_EQ(FailureOf(FrameAround("{\"protocolVersion\":7,\"surprise\":[1]}")),
            FrameFailure::kProtocolMismatch);
  // No protocol at all is not this build's.
  EXPECT_EQ(FailureOf(FrameAround("{}")), FrameFailure::kProtocolMismatch);
}

TEST(FrameTest, AnswersDoNotStillArrive) {
  for (const FrameFailure failure :
       {FrameFailure::kMalformed, FrameFailure::kWrongDigest, FrameFailure::kWrongOperation,
        FrameFailure::kWrongAttempt, FrameFailure::kTooLarge, FrameFailure::kProtocolMismatch,
        FrameFailure::kNone}) {
    FrameResult result;
    result.failure = failure;
    EXPECT_FALSE(result.MayStillArrive());
  }
}

TEST(FrameTest, APayloadThatContradictsItselfIsMalformed) {
  EXPECT_EQ(FailureOf(FrameWith([](FramePayload* p) { p->set_child_exit_code(-1); })),
            FrameFailure::kMalformed);
  EXPECT_EQ(FailureOf(FrameWith([](FramePayload* p) { p->mutable_migration_history(); })),
            FrameFailure::kMalformed);
  EXPECT_EQ(FailureOf(FrameWith([](FramePayload* p) { p->set_plan_outcome("Changes"); })),
            FrameFailure::kMalformed);
  FramePayload reading;
  reading.set_protocol_version(1);
  reading.set_operation(runner_operation::kObserve);
  reading.set_operation_id(kId);
  FrameExpectation expected = Expected();
  expected.operation = runner_operation::kObserve;
  EXPECT_TRUE(ParseFrame(RenderFrame(reading), expected).ok());
  reading.set_mutation_started(true);
  EXPECT_EQ(ParseFrame(RenderFrame(reading), expected).failure, FrameFailure::kMalformed);
}

TEST(FrameTest, TheLastValidOneIsReturned) {
  const std::string early = FrameWith([](FramePayload* p) { p->set_stdout("early"); });
  const std::string late = FrameWith([](FramePayload* p) { p->set_stdout("late"); });
  EXPECT_EQ(ParseFrame(early + late, Expected()).payload.stdout(), "late");
  const std::string foreign =
      FrameWith([](FramePayload* p) { p->set_operation_id(DigestOf("other")); });
  EXPECT_EQ(ParseFrame(early + foreign, Expected()).payload.stdout(), "early");
  EXPECT_EQ(ParseFrame(foreign + "noise\n" + late, Expected()).payload.stdout(), "late");
}

TEST(FrameTest, WithoutAValidOneTheLastOneSaysWhatIsWrong) {
  const std::string foreign =
      FrameWith([](FramePayload* p) { p->set_operation_id(DigestOf("other")); });
  const std::string cut = RenderFrame(Payload()).substr(0, 120);
  EXPECT_EQ(FailureOf(foreign + cut), FrameFailure::kIncomplete);
  EXPECT_EQ(FailureOf(cut + "\n" + foreign), FrameFailure::kWrongAttempt);
  EXPECT_EQ(FailureOf(foreign + "ptah-result-begin 1"), FrameFailure::kIncomplete);
}

std::string WithNoise(int lines, size_t bytes_each) {
  const std::string frame = RenderFrame(Payload());
  const size_t at = frame.find('\n') + 1;
  std::string noise;
  for (int i = 0; i < lines; ++i) absl::StrAppend(&noise, std::string(bytes_each - 1, 'n'), "\n");
  return absl::StrCat(frame.substr(0, at), noise, frame.substr(at));
}

TEST(FrameTest, DiagnosticsBetweenItsLinesAreToleratedWithinBounds) {
  EXPECT_TRUE(ParseFrame(WithNoise(64, 10), Expected()).ok());
  EXPECT_EQ(FailureOf(WithNoise(65, 10)), FrameFailure::kMalformed);
  EXPECT_TRUE(ParseFrame(WithNoise(1, 64 * 1024), Expected()).ok());
  EXPECT_EQ(FailureOf(WithNoise(2, 64 * 1024)), FrameFailure::kMalformed);
}

TEST(FrameTest, DiagnosticsBetweenPayloadAndFooterAreToleratedToo) {
  std::string frame = RenderFrame(Payload());
  frame.insert(frame.rfind("ptah-result-end"), "a diagnostic\n");
  EXPECT_TRUE(ParseFrame(frame, Expected()).ok());
}

TEST(FrameHeadersTest, AreThoseOfEveryCompleteHeader) {
  const std::string one = RenderFrame(Payload());
  const std::string other = FrameWith([](FramePayload* p) { p->set_stdout("x"); });
  const std::string digest = FrameDigestOf(Payload());
  EXPECT_TRUE(FrameHeaderDigests("no frame\n").empty());
  EXPECT_EQ(FrameHeaderDigests(one).size(), 1u);
  EXPECT_EQ(FrameHeaderDigests(one + other).size(), 2u);
  EXPECT_EQ(FrameHeaderDigests(one.substr(0, one.find('\n'))).size(), 0u);
  EXPECT_EQ(FrameHeaderDigests(one.substr(0, one.find('\n') + 1)),
            std::vector<std::string>{digest});
  EXPECT_TRUE(FrameHeadersAgree("", digest));
  EXPECT_TRUE(FrameHeadersAgree(one + one, digest));
  EXPECT_FALSE(FrameHeadersAgree(one + other, digest));
  EXPECT_FALSE(FrameHeadersAgree(other.substr(0, other.find('\n') + 1), digest));
}

// A random payload that is this operation's and keeps the rules of one.
FramePayload AnyPayload(uint64_t seed) {
  FramePayload payload = Payload();
  Randomize(seed, 60, &payload);
  payload.set_protocol_version(1);
  payload.set_operation(runner_operation::kMigrationApply);
  payload.set_operation_id(kId);
  payload.set_child_exit_code(0);
  payload.clear_migration_history();
  payload.clear_plan_outcome();
  payload.clear_error();
  return payload;
}

RC_GTEST_PROP(FrameTest, SurvivesARoundTrip, (uint64_t seed)) {
  const FramePayload payload = AnyPayload(seed);
  const FrameResult result = ParseFrame(RenderFrame(payload), Expected());
  RC_ASSERT(result.ok());
  RC_ASSERT(Equal(result.payload, payload));
}

RC_GTEST_PROP(FrameTest, ADamagedByteIsNeverReadAsAnotherResult, (uint64_t seed)) {
  const FramePayload payload = AnyPayload(seed);
  std::string frame = RenderFrame(payload);
  const size_t at = *rc::gen::inRange<size_t>(0, frame.size());
  frame[at] = static_cast<char>(frame[at] ^ *rc::gen::inRange(1, 256));
  const FrameResult result = ParseFrame(frame, Expected());
  RC_ASSERT((!result.ok() || Equal(result.payload, payload)));
}

TEST(FrameTest, EveryDamagedByteIsNoticed) {
  const std::string frame = RenderFrame(Payload());
  for (size_t at = 0; at + 1 < frame.size(); ++at) {
    std::string damaged = frame;
    damaged[at] ^= 0x20;
    EXPECT_FALSE(ParseFrame(damaged, Expected()).ok()) << at;
  }
}

TEST(FrameTest, CutAnywhereItMayStillArrive) {
  const std::string frame = RenderFrame(Payload());
  for (size_t size = 0; size + 1 < frame.size(); ++size) {
    const FrameResult result = ParseFrame(absl::string_view(frame).substr(0, size), Expected());
    EXPECT_TRUE(result.MayStillArrive()) << size << ": " << result.why;
  }
  EXPECT_TRUE(ParseFrame(absl::string_view(frame).substr(0, frame.size() - 1), Expected()).ok());
}

TerminationSummary Summary() {
  TerminationSummary summary;
  summary.set_protocol_version(1);
  summary.set_operation(runner_operation::kMigrationApply);
  summary.set_operation_id(kId);
  summary.set_frame_digest(FrameDigestOf(Payload()));
  summary.set_mutation_started(true);
  summary.mutable_migration()->set_outcome(report_outcome::kApplied);
  summary.mutable_migration()->set_applied_count(2);
  summary.mutable_migration()->set_first_applied(3);
  summary.mutable_migration()->set_last_applied(4);
  return summary;
}

bool Accepted(absl::string_view message) { return ParseSummary(message, Expected()).ok(); }

bool AcceptedWith(void (*change)(TerminationSummary*)) {
  TerminationSummary summary = Summary();
  change(&summary);
  return Accepted(RenderSummary(summary));
}

TEST(SummaryTest, IsReadFromTheEndOfATerminationMessage) {
  const absl::StatusOr<TerminationSummary> read =
      ParseSummary(RenderSummary(Summary()), Expected());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(Equal(*read, Summary()));
  EXPECT_TRUE(Accepted(absl::StrCat("panic: earlier words\n", RenderSummary(Summary()))));
}

TEST(SummaryTest, IsReadStrictly) {
  const std::string text = RenderSummary(Summary());
  EXPECT_FALSE(Accepted(""));
  EXPECT_FALSE(Accepted("out of memory"));
  EXPECT_FALSE(Accepted(absl::StrCat("x", text)));
  EXPECT_FALSE(Accepted(absl::StrCat(text, "\n")));
  EXPECT_FALSE(Accepted(absl::StrCat(text, " trailing")));
  EXPECT_FALSE(Accepted(absl::StrCat(text, "\n", text)));
  EXPECT_FALSE(Accepted("ptah-summary {\"surprise\":1}"));
  EXPECT_FALSE(Accepted(text.substr(0, text.size() - 1)));
}

TEST(SummaryTest, IsAtMostTwoKibibytes) {
  TerminationSummary summary = Summary();
  summary.set_error_code(std::string(2048 - RenderSummary(summary).size(), 'e'));
  while (RenderSummary(summary).size() > 2048) summary.mutable_error_code()->pop_back();
  EXPECT_TRUE(Accepted(RenderSummary(summary)));
  summary.mutable_error_code()->append(64, 'e');
  EXPECT_FALSE(Accepted(RenderSummary(summary)));
}

TEST(SummaryTest, IsOfThisOperationAttemptAndProtocol) {
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->set_protocol_version(2); }));
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->set_operation("apply"); }));
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->set_operation_id(DigestOf("o")); }));
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->clear_frame_digest(); }));
}

TEST(SummaryTest, ItsFlagsAgreeWithItsOutcome) {
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->set_uncertain(true); }));
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->set_mutation_started(false); }));
  EXPECT_FALSE(
      AcceptedWith([](TerminationSummary* s) { s->mutable_migration()->set_outcome("fine"); }));
  EXPECT_FALSE(
      AcceptedWith([](TerminationSummary* s) { s->mutable_migration()->set_applied_count(-1); }));
  EXPECT_FALSE(
      AcceptedWith([](TerminationSummary* s) { s->mutable_migration()->set_applied_count(1); }));
  EXPECT_FALSE(
      AcceptedWith([](TerminationSummary* s) { s->mutable_migration()->set_applied_count(0); }));
  EXPECT_FALSE(
      AcceptedWith([](TerminationSummary* s) { s->mutable_migration()->set_last_applied(3); }));
  EXPECT_FALSE(AcceptedWith(
      [](TerminationSummary* s) { s->mutable_migration()->set_outcome("up-to-date"); }));
  EXPECT_FALSE(AcceptedWith([](TerminationSummary* s) { s->clear_migration(); }));
  EXPECT_TRUE(AcceptedWith([](TerminationSummary* s) {
    s->mutable_migration()->set_outcome("partial");
    s->set_uncertain(true);
  }));
  EXPECT_TRUE(AcceptedWith([](TerminationSummary* s) {
    s->mutable_migration()->Clear();
    s->mutable_migration()->set_outcome("unknown");
    s->set_uncertain(true);
  }));
  // A run that started nothing has no migration to report.
  EXPECT_TRUE(AcceptedWith([](TerminationSummary* s) {
    s->clear_migration();
    s->set_mutation_started(false);
    s->set_error_code("DispatchDeadlineExceeded");
  }));
}

RC_GTEST_PROP(SummaryTest, ADamagedByteIsNeverReadAsAnotherAttempt, ()) {
  std::string text = RenderSummary(Summary());
  const size_t at = *rc::gen::inRange<size_t>(0, text.size());
  text[at] = static_cast<char>(text[at] ^ *rc::gen::inRange(1, 256));
  const absl::StatusOr<TerminationSummary> read = ParseSummary(text, Expected());
  RC_ASSERT((!read.ok() || read->operation_id() == kId));
}

}  // namespace
}  // namespace lifecycle::api

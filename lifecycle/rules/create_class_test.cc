#include "lifecycle/rules/create_class.h"

#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

constexpr char kUncallable[] =
    "Internal error occurred: failed calling webhook \"jobs.operator.ptah.run\": failed to call "
    "webhook: Post \"https://ptah.ptah-system.svc:443/jobs?timeout=10s\": connection refused";
constexpr char kDenied[] =
    "admission webhook \"jobs.operator.ptah.run\" denied the request: no claim reserves this name";

struct Example {
  const char* what;
  CreateClass expected;
  CreateAnswer answer;
};

const Example kExamples[] = {
    {"created", CreateClass::kStored, {.code = 201}},
    {"success", CreateClass::kStored, {.code = 200}},
    {"authentication", CreateClass::kRefusedBeforeStoring, {.code = 401, .reason = "Unauthorized"}},
    {"authorization", CreateClass::kRefusedBeforeStoring, {.code = 403, .reason = "Forbidden"}},
    {"malformed", CreateClass::kRefusedBeforeStoring, {.code = 400, .reason = "BadRequest"}},
    {"method", CreateClass::kRefusedBeforeStoring, {.code = 405, .reason = "MethodNotAllowed"}},
    {"not acceptable", CreateClass::kRefusedBeforeStoring, {.code = 406}},
    {"too large", CreateClass::kRefusedBeforeStoring, {.code = 413}},
    {"media type", CreateClass::kRefusedBeforeStoring, {.code = 415}},
    {"validation", CreateClass::kRefusedBeforeStoring, {.code = 422, .reason = "Invalid"}},
    {"namespace absent", CreateClass::kRefusedBeforeStoring, {.code = 404, .reason = "NotFound"}},
    {"denied by a webhook",
     CreateClass::kRefusedBeforeStoring,
     {.code = 403, .reason = "Forbidden", .message = kDenied}},
    {"denied by a webhook that chose a server error",
     CreateClass::kRefusedBeforeStoring,
     {.code = 503, .reason = "ServiceUnavailable", .message = kDenied}},
    {"denied by a webhook that chose a timeout",
     CreateClass::kRefusedBeforeStoring,
     {.code = 504, .reason = "Timeout", .message = kDenied}},
    {"fail-closed webhook that could not be called",
     CreateClass::kRefusedBeforeStoring,
     {.code = 500, .reason = "InternalError", .message = kUncallable}},
    {"shedding",
     CreateClass::kRefusedBeforeStoring,
     {.code = 429, .reason = "TooManyRequests", .message = "Too many requests"}},
    {"the name is held", CreateClass::kAlreadyExists, {.code = 409, .reason = "AlreadyExists"}},
    {"no answer", CreateClass::kAmbiguous, {.answered = false}},
    {"no answer, stale words of an earlier one",
     CreateClass::kAmbiguous,
     {.answered = false, .code = 403, .reason = "Forbidden"}},
    {"request timeout", CreateClass::kAmbiguous, {.code = 408, .reason = "Timeout"}},
    {"gateway timeout", CreateClass::kAmbiguous, {.code = 504, .reason = "Timeout"}},
    {"server timeout", CreateClass::kAmbiguous, {.code = 500, .reason = "ServerTimeout"}},
    {"internal error without a webhook",
     CreateClass::kAmbiguous,
     {.code = 500, .reason = "InternalError", .message = "etcdserver: request timed out"}},
    {"internal error that names no webhook",
     CreateClass::kAmbiguous,
     {.code = 500, .reason = "InternalError", .message = "failed calling webhook \"\": eof"}},
    {"a webhook's words under another reason",
     CreateClass::kAmbiguous,
     {.code = 500, .reason = "Timeout", .message = kUncallable}},
    {"a webhook's words under another code",
     CreateClass::kAmbiguous,
     {.code = 503, .reason = "InternalError", .message = kUncallable}},
    {"bad gateway", CreateClass::kAmbiguous, {.code = 502}},
    {"unavailable", CreateClass::kAmbiguous, {.code = 503, .reason = "ServiceUnavailable"}},
    {"conflict", CreateClass::kAmbiguous, {.code = 409, .reason = "Conflict"}},
    {"conflict without a reason", CreateClass::kAmbiguous, {.code = 409}},
    {"429 that is not shedding", CreateClass::kAmbiguous, {.code = 429, .reason = "Eviction"}},
    {"an accepted, unfinished request", CreateClass::kAmbiguous, {.code = 202}},
    {"redirect", CreateClass::kAmbiguous, {.code = 302}},
    {"gone", CreateClass::kAmbiguous, {.code = 410, .reason = "Gone"}},
    {"unrecognised", CreateClass::kAmbiguous, {.code = 418}},
    {"no code", CreateClass::kAmbiguous, {.code = 0}},
};

TEST(CreateClassTest, FollowsTheTable) {
  for (const Example& example : kExamples) {
    EXPECT_EQ(ClassifyCreate(example.answer), example.expected) << example.what;
  }
}

TEST(CreateClassTest, AnUnansweredEarlierAttemptTakesRefusalsAway) {
  for (const Example& example : kExamples) {
    CreateAnswer answer = example.answer;
    answer.earlier_attempt_unanswered = true;
    const CreateClass expected = example.expected == CreateClass::kRefusedBeforeStoring
                                     ? CreateClass::kAmbiguous
                                     : example.expected;
    EXPECT_EQ(ClassifyCreate(answer), expected) << example.what;
  }
}

TEST(CreateClassTest, CodesOutsideTheTableAreAmbiguousWhateverTheReason) {
  for (int code = 0; code < 600; ++code) {
    for (const char* reason : {"", "Forbidden", "InternalError", "AlreadyExists"}) {
      bool listed = code == 409;
      for (const Example& example : kExamples) listed = listed || example.answer.code == code;
      if (listed) continue;
      EXPECT_EQ(ClassifyCreate(CreateAnswer{.code = code, .reason = reason}),
                CreateClass::kAmbiguous)
          << code << " " << reason;
    }
  }
}

std::string Describe(CreateClass create_class) {
  switch (create_class) {
    case CreateClass::kStored:
      return "Stored";
    case CreateClass::kRefusedBeforeStoring:
      return "RefusedBeforeStoring";
    case CreateClass::kAlreadyExists:
      return "AlreadyExists";
    case CreateClass::kAmbiguous:
      return "Ambiguous";
  }
  return "?";
}

// Every status code that refuses, and others of every hundred.
Domain Codes() {
  Domain codes = {"0",   "100", "199", "200", "201", "202", "204", "301", "307",
                  "399", "500", "501", "502", "503", "504", "507", "599", "600"};
  for (int code = 400; code < 452; ++code) codes.push_back(absl::StrCat(code));
  return codes;
}

// Answered | an earlier attempt unanswered | code | reason | message | class
TEST(CreateClassTest, FollowsTheTableForEveryCodeReasonAndMessage) {
  const std::map<std::string, std::string> messages = {
      {"none", ""}, {"denied", kDenied}, {"uncallable", kUncallable}, {"other", "etcd: timed out"}};
  ExpectFollowsTable(
      R"(
    | no  | -   | -       | -               | -          | Ambiguous            |
    | yes | -   | 200/201 | -               | -          | Stored               |
    | yes | -   | 409     | AlreadyExists   | -          | AlreadyExists        |
    | yes | yes | -       | -               | -          | Ambiguous            |
    | yes | no  | 400/401/403/404/405/406/413/415/422 | - | - | RefusedBeforeStoring |
    | yes | no  | 0/100/199/202/204/301/307/399 | - | - | Ambiguous      |
    | yes | no  | -       | -               | denied     | RefusedBeforeStoring |
    | yes | no  | 500     | InternalError   | uncallable | RefusedBeforeStoring |
    | yes | no  | 429     | TooManyRequests | -          | RefusedBeforeStoring |
    | yes | no  | -       | -               | -          | Ambiguous            |
  )",
      {YesNo(),
       YesNo(),
       Codes(),
       {"",
        "AlreadyExists",
        "BadRequest",
        "Conflict",
        "Expired",
        "Forbidden",
        "Gone",
        "InternalError",
        "Invalid",
        "MethodNotAllowed",
        "NotAcceptable",
        "NotFound",
        "RequestEntityTooLarge",
        "ServerTimeout",
        "ServiceUnavailable",
        "StorageReadError",
        "Timeout",
        "TooManyRequests",
        "Unauthorized",
        "Unknown",
        "UnsupportedMediaType"},
       {"none", "denied", "uncallable", "other"}},
      [&](const Inputs& in) {
        int code = 0;
        EXPECT_TRUE(absl::SimpleAtoi(in[2], &code));
        return Describe(ClassifyCreate({.answered = in.Yes(0),
                                        .earlier_attempt_unanswered = in.Yes(1),
                                        .code = code,
                                        .reason = in[3],
                                        .message = messages.at(in[4])}));
      });
}

TEST(CreateClassTest, ReadsTheServersOwnWordsOffAStatus) {
  EXPECT_EQ(ClassifyCreate(absl::OkStatus()), CreateClass::kStored);
  EXPECT_EQ(ClassifyCreate(api::ToStatus(
                {.code = 500, .reason = api::kInternalError, .message = kUncallable})),
            CreateClass::kRefusedBeforeStoring);
  EXPECT_EQ(ClassifyCreate(api::ToStatus({409, api::kAlreadyExists, "exists"})),
            CreateClass::kAlreadyExists);
  EXPECT_EQ(ClassifyCreate(api::ToStatus({0, "", "connection lost"})), CreateClass::kAmbiguous);
}

TEST(CreateClassTest, AStatusThatDidNotComeFromTheServerIsAmbiguous) {
  EXPECT_EQ(ClassifyCreate(absl::PermissionDeniedError("local")), CreateClass::kAmbiguous);
  EXPECT_EQ(ClassifyCreate(absl::AlreadyExistsError("local")), CreateClass::kAmbiguous);
}

}  // namespace
}  // namespace lifecycle::rules

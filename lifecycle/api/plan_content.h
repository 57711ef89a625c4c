// The text of a schema's plan: what the executor's Plan prints, what the chunks hold, what an Apply
// runs, and what a build reads back before it dispatches.
//
// It is the contract between the data plane and the manager: the manager learns the dialect, the
// destructive flag, the privilege kinds and the number of statements from these bytes and from
// nothing else (E-1), so that what is approved is what runs.
//
//     -- ptah plan v1
//     -- dialect: postgres
//     -- destructive: false
//     -- privileges: grant,revoke
//     ALTER TABLE t ADD COLUMN c1 integer;
//
// Answers: spec 02, E-1 ("this build reads the same dialect, ... from the bytes"); spec 01, 3.1.

#ifndef LIFECYCLE_API_PLAN_CONTENT_H_
#define LIFECYCLE_API_PLAN_CONTENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lifecycle::api {

struct PlanContent {
  std::string dialect;  // "postgres" or "mysql".
  bool destructive = false;
  std::vector<std::string> privilege_changes;  // Kinds, sorted.
  std::vector<std::string> statements;         // Without the semicolon; one line each.
  friend bool operator==(const PlanContent&, const PlanContent&) = default;
};

// Returns the plan's bytes; equal contents give equal bytes.
std::string RenderPlanContent(const PlanContent& content);

// Reads bytes that RenderPlanContent wrote. Errors: InvalidArgument says which line is not one.
absl::StatusOr<PlanContent> ParsePlanContent(absl::string_view bytes);

// Returns the dialect a target's engine is spoken to in, "postgres" or "mysql"; empty for an engine
// that is not supported. Every spelling of one family has one dialect (spec 01, 6).
std::string DialectOfEngine(absl::string_view engine);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_PLAN_CONTENT_H_

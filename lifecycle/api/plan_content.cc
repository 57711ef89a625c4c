#include "lifecycle/api/plan_content.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace lifecycle::api {
namespace {

constexpr absl::string_view kFirstLine = "-- ptah plan v1";
constexpr absl::string_view kDialect = "-- dialect: ";
constexpr absl::string_view kDestructive = "-- destructive: ";
constexpr absl::string_view kPrivileges = "-- privileges: ";

absl::Status Malformed(size_t line, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("plan content, line ", line + 1, ": expected ", expected));
}

}  // namespace

std::string RenderPlanContent(const PlanContent& content) {
  std::string bytes = absl::StrCat(kFirstLine, "\n", kDialect, content.dialect, "\n", kDestructive,
                                   content.destructive ? "true" : "false", "\n", kPrivileges,
                                   absl::StrJoin(content.privilege_changes, ","), "\n");
  for (const std::string& statement : content.statements) {
    absl::StrAppend(&bytes, statement, ";\n");
  }
  return bytes;
}

absl::StatusOr<PlanContent> ParsePlanContent(absl::string_view bytes) {
  if (!absl::EndsWith(bytes, "\n")) return Malformed(0, "text that ends with a line break");
  const std::vector<absl::string_view> lines =
      absl::StrSplit(bytes.substr(0, bytes.size() - 1), '\n');
  if (lines[0] != kFirstLine) return Malformed(0, kFirstLine);
  if (lines.size() < 4 || !absl::StartsWith(lines[1], kDialect)) return Malformed(1, kDialect);
  PlanContent content;
  content.dialect = std::string(lines[1].substr(kDialect.size()));
  const absl::string_view destructive =
      absl::StartsWith(lines[2], kDestructive) ? lines[2].substr(kDestructive.size()) : "";
  if (destructive != "true" && destructive != "false") return Malformed(2, kDestructive);
  content.destructive = destructive == "true";
  if (!absl::StartsWith(lines[3], kPrivileges)) return Malformed(3, kPrivileges);
  const absl::string_view privileges = lines[3].substr(kPrivileges.size());
  if (!privileges.empty()) content.privilege_changes = absl::StrSplit(privileges, ',');
  for (size_t line = 4; line < lines.size(); ++line) {
    if (lines[line].size() < 2 || lines[line].back() != ';') {
      return Malformed(line, "a statement that ends with a semicolon");
    }
    content.statements.emplace_back(lines[line].substr(0, lines[line].size() - 1));
  }
  return content;
}

std::string DialectOfEngine(absl::string_view engine) {
  if (engine == "postgres" || engine == "postgresql" || engine == "pgx") return "postgres";
  if (engine == "mysql" || engine == "mariadb") return "mysql";
  return "";
}

}  // namespace lifecycle::api

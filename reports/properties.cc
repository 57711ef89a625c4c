#include "reports/properties.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "model/properties.h"

namespace reports {
namespace {

// What proves a property of kind test: a file, and tests as "Suite.Name".
struct Proof {
  std::string file;
  std::vector<std::string> tests;
};

Proof ProofOf(const model::PropertyInfo& info) {
  Proof proof;
  proof.tests = absl::StrSplit(info.test, ' ', absl::SkipEmpty());
  if (proof.tests.empty()) return proof;
  proof.file = proof.tests.front();
  proof.tests.erase(proof.tests.begin());
  return proof;
}

std::string ProvedBy(const PropertyReport& property) {
  const std::optional<model::Property> known = model::PropertyByName(property.name());
  if (!known) return "";
  const Proof proof = ProofOf(model::InfoOf(*known));
  if (proof.tests.empty()) return "";
  return absl::StrCat("; proved by ", absl::StrJoin(proof.tests, ", "));
}

}  // namespace

std::string PropertiesText(const GateReport& report) {
  std::string text = absl::StrFormat("%-9s  %-10s  %12s  %6s  %s\n", "property", "kind",
                                     "premise true", "broken", "promise");
  for (const PropertyReport& property : report.properties()) {
    absl::StrAppendFormat(&text, "%-9s  %-10s  %12d  %6d  %s%s\n", property.name(), property.kind(),
                          property.premises(), property.violations(), property.promise(),
                          ProvedBy(property));
  }
  return text;
}

std::vector<std::string> UnprovedProperties(const ReadSource& read) {
  std::vector<std::string> problems;
  for (uint32_t number = 0; number < model::kPropertyCount; ++number) {
    const model::PropertyInfo& info = model::InfoOf(static_cast<model::Property>(number));
    if (info.kind != model::PropertyKind::kTest) continue;
    const Proof proof = ProofOf(info);
    if (proof.tests.empty()) problems.push_back(absl::StrCat(info.name, " (names no test)"));
    const std::string source = read(proof.file);
    for (const std::string& test : proof.tests) {
      const std::pair<std::string, std::string> names = absl::StrSplit(test, '.');
      if (HoldsTest(source, names.first, names.second)) continue;
      problems.push_back(absl::StrCat(info.name, " (no test ", test, " in ", proof.file, ")"));
    }
  }
  return problems;
}

}  // namespace reports

#include "reports/guarantees.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace reports {
namespace {

// What a property came to in the scenarios of one family.
struct Proof {
  std::vector<std::string> held_in;
  std::vector<std::string> broken_in;
  size_t scenarios = 0;  // Of the family.
};

Proof ProofOf(absl::string_view property, absl::string_view family, const GateReport& report) {
  Proof proof;
  for (const ScenarioReport& scenario : report.scenarios()) {
    if (scenario.family() != std::string(family)) continue;
    ++proof.scenarios;
    for (const PropertyReport& one : scenario.properties()) {
      if (one.name() != std::string(property) || one.premises() == 0) continue;
      (one.violations() > 0 ? proof.broken_in : proof.held_in).push_back(scenario.scenario());
    }
  }
  return proof;
}

bool IsChecked(absl::string_view property, const GateReport& report) {
  for (const PropertyReport& one : report.properties()) {
    if (one.name() == std::string(property)) return true;
  }
  return false;
}

std::string NameOf(const Guarantee& guarantee) {
  return absl::StrCat("promise ", guarantee.number, " of a ", guarantee.family);
}

// One cell part for a property, and a problem when it proves nothing.
std::string PropertyText(const char* property, const Guarantee& guarantee, const GateReport& report,
                         std::vector<std::string>& problems) {
  const auto refuse = [&](absl::string_view why) {
    problems.push_back(absl::StrCat(NameOf(guarantee), ": ", property, " ", why));
    return absl::StrCat(property, " ", why);
  };
  if (!IsChecked(property, report)) return refuse("is not checked");
  const Proof proof = ProofOf(property, guarantee.family, report);
  if (!proof.broken_in.empty()) {
    return refuse(absl::StrCat("was broken in ", absl::StrJoin(proof.broken_in, ", ")));
  }
  if (proof.held_in.empty()) return refuse("never had anything to check");
  if (proof.held_in.size() == proof.scenarios) {
    return absl::StrCat(property, " in every scenario of the family");
  }
  return absl::StrCat(property, " in ", absl::StrJoin(proof.held_in, ", "));
}

std::string TestText(const NamedTest& test, const Guarantee& guarantee, const ReadSource& read,
                     std::vector<std::string>& problems) {
  const std::string name = absl::StrCat(test.suite, ".", test.name, " in ", test.file);
  if (!HoldsTest(read(test.file), test.suite, test.name)) {
    problems.push_back(absl::StrCat(NameOf(guarantee), ": there is no test ", name));
    return absl::StrCat("MISSING: ", name);
  }
  return test.page[0] == '\0' ? name : absl::StrCat(name, " (for ", test.page, ")");
}

}  // namespace

GuaranteesReport GuaranteesOf(const GateReport& report, const ReadSource& read) {
  GuaranteesReport result;
  result.table =
      "| # | Promise | Family | Enforced where | Durable state | When it cannot hold | Proved in "
      "this run by |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Guarantee& guarantee : Guarantees()) {
    std::vector<std::string> proofs;
    for (const char* property : guarantee.properties) {
      proofs.push_back(PropertyText(property, guarantee, report, result.problems));
    }
    for (const NamedTest& test : guarantee.tests) {
      proofs.push_back(TestText(test, guarantee, read, result.problems));
    }
    absl::StrAppend(&result.table, "| ", guarantee.number, " | ", guarantee.promise, " | ",
                    guarantee.family, " | ", guarantee.enforced, " | ", guarantee.state, " | ",
                    guarantee.failure, " | ", absl::StrJoin(proofs, "<br>"), " |\n");
  }
  return result;
}

}  // namespace reports

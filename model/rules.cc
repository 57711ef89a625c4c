#include "model/rules.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace model {
namespace {

// Names of one family or of both, separated by commas: a rule may have a blank in its name.
constexpr char kBothRules[] =
    "A-1,A-2,A-3,A-4,A-5,A-6,A-7,D-1,D-2,D-3,D-4,D-7,D-7 late,D-11,E-0,E-1,E-2,E-2a,E-4,E-4.1,"
    "E-4.2,E-4.3,E-4.3 unresolvable,E-4.4,E-5,E-6,E-7,E-7 refused,E-7 ambiguous,E-8,E-9,E-10,F-1,"
    "F-2,F-3,F-4,F-5,F-6,F-7,F-8,F-8 exists,F-8 mismatch,F-8 replaced,F-8 disowned,F-8 refused,"
    "F-8 two Pods,F-8 foreign Pod,F-8 gone,G-1,G-2,G-3,G-4,G-5,G-6,G-7,G-8,G-12,G-12 refused,H-3,"
    "I-3,I-3 ambiguous,I-3 exists,I-3 mismatch,I-3 missing,I-3 replaced,I-3 disowned,I-3 rebuild,"
    "I-3 refused,I-3 envelope,I-3 inputs,I-3 continuity,I-3 two Pods,I-3 foreign Pod,I-3 no frame,"
    "I-3 other database,I-3 rotated,I-3 deleted,L-1,L-2,L-5,L-6,L-7,M-0,O-3,O-4,O-5,O-6,Q-1,Q-2,"
    "Q-3,Q-4,Q-5,Q-6,R-1,R-2,T-1,T-2,T-3,T-4,T-5,T-6,T-7,T-8,T-9,U-1,U-2,U-3,U-4,U-5,U-6";
constexpr char kSchemaRules[] =
    "B-1,B-2,B-3,B-4,B-5,B-6,B-7,B-8,B-9,B-10,B-11,B-12,B-13,B-14,B-15,B-16,B-20,B-20.1,B-20.2,"
    "B-20.3,B-20.4,B-20.5,B-20.6,B-20.7,D-5,D-5.1,D-5.2,D-5.3,D-5.4,D-5.5,D-5.6,D-5.7,D-5.8,D-5.9,"
    "D-8,D-9,D-10,E-2b,E-3,E-3 conflict,F-9,G-9,G-12 protected,H-1,I-1,I-3 frame error,J-1,J-2,"
    "J-3,J-4,J-5,J-6,J-7,J-8,L-3,M-1,M-2,M-3,M-4,M-5,M-6,M-7,M-7a,M-7b,M-7c,M-7d,M-7 apply a,"
    "M-7 apply b,M-7 neither,M-8,M-9,N-1,N-1.1a,N-1.1b,N-1.1c,N-1.1d,N-1.1e,N-1.2,N-1.3,O-1";
constexpr char kMigrationRules[] =
    "C-1,C-2,C-3,C-4,C-5,C-6,C-7,C-8,C-9,C-10,C-11,C-12,C-13,C-14,C-20,C-20.1,C-20.2,C-20.3,"
    "C-20.4,C-20.5,C-20.6,C-20.7,C-20.8,D-6,D-6 drop,D-6 never,D-12,G-10,G-11,H-2,I-2,"
    "I-3 no report,K-1,K-2,K-3,K-4,L-4,M-10,N-2,N-2.1,N-2.1a,N-2.1b,N-2.1c,N-2.2,N-2.3,O-2,P-1,"
    "P-2,P-2 copy,P-3,P-3 live claim,P-3 removal,P-3 restore,P-3 rewrite,P-3 unreadable,P-4,P-5,"
    "R-3";

constexpr char kBothWrites[] =
    "W-01,W-02,W-04,W-05,W-06,W-07,W-09,W-10,W-11,W-12,W-13,W-14,W-15,W-16,W-17,W-22,W-23,W-24,"
    "W-25,W-28,W-29,W-30,W-38";
constexpr char kSchemaWrites[] =
    "W-03,W-08,W-18,W-19,W-26,W-31,W-32,W-33,W-34,W-35,W-36,W-37,W-39,W-40,W-41,W-42,W-43,W-44,"
    "W-45,W-56,W-57";
constexpr char kMigrationWrites[] =
    "W-20,W-21,W-27,W-46,W-47,W-48,W-49,W-50,W-51,W-52,W-53,W-54,W-55,W-58";

// The number that starts at `at`, past its end when there is none.
size_t NumberAt(absl::string_view text, size_t& at) {
  size_t number = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    number = number * 10 + static_cast<size_t>(text[at++] - '0');
  }
  return number;
}

// By letter, then by number, then by what follows, numbers in it as numbers.
bool ComesBefore(absl::string_view a, absl::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const size_t i_before = i, j_before = j;
    const size_t one = NumberAt(a, i), other = NumberAt(b, j);
    const bool numbers = i > i_before && j > j_before;
    if (numbers && one != other) return one < other;
    if (numbers) continue;
    i = i_before;
    j = j_before;
    if (a[i] != b[j]) return a[i] < b[j];
    ++i, ++j;
  }
  return a.size() - i < b.size() - j;
}

void Add(absl::string_view names, bool schema, bool migration, std::vector<Named>& into) {
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    into.push_back({std::string(name), schema, migration});
  }
}

std::vector<Named> Merged(absl::string_view both, absl::string_view schema,
                          absl::string_view migration) {
  std::vector<Named> all;
  Add(both, true, true, all);
  Add(schema, true, false, all);
  Add(migration, false, true, all);
  std::sort(all.begin(), all.end(),
            [](const Named& a, const Named& b) { return ComesBefore(a.name, b.name); });
  return all;
}

}  // namespace

const std::vector<Named>& Rules() {
  static const std::vector<Named>& rules =
      *new std::vector<Named>(Merged(kBothRules, kSchemaRules, kMigrationRules));
  return rules;
}

const std::vector<Named>& Writes() {
  static const std::vector<Named>& writes =
      *new std::vector<Named>(Merged(kBothWrites, kSchemaWrites, kMigrationWrites));
  return writes;
}

const Named* FindIn(const std::vector<Named>& all, absl::string_view name) {
  for (const Named& one : all) {
    if (one.name == std::string(name)) return &one;
  }
  return nullptr;
}

const Named* FindNamed(absl::string_view name) {
  const Named* rule = FindIn(Rules(), name);
  return rule != nullptr ? rule : FindIn(Writes(), name);
}

bool IsPartOf(absl::string_view name, absl::string_view rule) {
  if (name.size() <= rule.size() || !absl::StartsWith(name, rule)) return false;
  const char next = name[rule.size()];
  return next == '.' || next == ' ' || (next >= 'a' && next <= 'z');
}

}  // namespace model

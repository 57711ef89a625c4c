// What the passes of each family did: the rules they said they follow, the writes they stored, the
// records they changed. Counted once however often a step is run for another choice.
//
// A rule is reached when a pass's journal names it; nothing else reads the journal, and a run with
// the journal off finds the same (CheckOptions::journal).
//
// Answers: spec 02 and 04, every rule and write; design.md, "reports/".

#ifndef MODEL_COVERAGE_H_
#define MODEL_COVERAGE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "model/engine/run.h"
#include "model/pass.h"
#include "model/safety_records.h"
#include "sim/truth.h"

namespace model {

// Returns "schema" or "migration".
absl::string_view FamilyName(sim::Family family);
// Returns the family that a pass over this resource belongs to.
sim::Family FamilyOf(const lifecycle::api::Key& resource);

// A durable write of one family: an entry of spec 04.
struct WriteOfFamily {
  sim::Family family = sim::Family::kSchema;
  int number = 0;
  friend auto operator<=>(const WriteOfFamily&, const WriteOfFamily&) = default;
};

using RuleCounts = std::map<std::pair<sim::Family, std::string>, uint64_t>;

class Coverage {
 public:
  // `rule` is a literal, as a journal's rules are.
  void Follow(sim::Family family, absl::string_view rule);
  void Store(sim::Family family, const SentWrite& write);

  // By family and name.
  RuleCounts rules() const;
  const std::map<WriteOfFamily, uint64_t>& writes() const { return writes_; }
  const std::map<RecordWrite, uint64_t>& records() const { return records_; }

 private:
  struct Rules {
    absl::flat_hash_map<absl::string_view, size_t> places;  // Looked up, never walked.
    std::vector<std::pair<absl::string_view, uint64_t>> counts;
  };
  Rules rules_[2];  // By family.
  std::map<WriteOfFamily, uint64_t> writes_;
  std::map<RecordWrite, uint64_t> records_;
};

// Counts what a pass does, and hands everything on to the observer that judges it.
class CountingObserver final : public PassObserver {
 public:
  // All outlive the observer.
  CountingObserver(PassObserver& next, const Run& run, Coverage& coverage)
      : next_(next), run_(run), coverage_(coverage) {}

  void Followed(absl::string_view rule, const PassTrace& trace) override;
  void Sent(const SentWrite& write, const PassTrace& trace) override;
  void Ended(const lifecycle::api::PassResult& result, const PassTrace& trace,
             const sim::World& end) override;

 private:
  PassObserver& next_;
  const Run& run_;
  Coverage& coverage_;
};

}  // namespace model

#endif  // MODEL_COVERAGE_H_

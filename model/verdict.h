// Verdicts: what a pass concludes, read off what it does at the door, and whether it is true.
//
// A verdict is a stored change or a call, never what the code says of itself. Each is judged at the
// instant it lands, for every pass of every process, against the truth.
//
// Answers: spec 07, row by row.

#ifndef MODEL_VERDICT_H_
#define MODEL_VERDICT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "model/pass.h"
#include "sim/world.h"

namespace model {

enum class Verdict : uint8_t {
  kDispatch,
  kDispatchReadOnly,
  kWithdraw,
  kAdopt,   // jobUID recorded of a Job that another pass created.
  kRecord,  // The same by the pass that created it.
  kAccounted,
  kPartial,
  kUnaccounted,
  kRetry,
  kDiscard,
  kStageRelease,
  kRelease,
  kTakeOver,
  kAttribute,
  kSettleSchema,
  kSettleMigration,
  kAcknowledge,
  kRestore,
  kFinalizerOff,
};
inline constexpr int kVerdictCount = 19;

// Returns the verdict as reports print it, such as "unaccounted".
absl::string_view VerdictName(Verdict verdict);

// A set of verdicts.
class VerdictSet {
 public:
  void Add(Verdict verdict) { bits_ |= uint32_t{1} << static_cast<int>(verdict); }
  bool Has(Verdict verdict) const { return (bits_ >> static_cast<int>(verdict) & 1) != 0; }
  bool empty() const { return bits_ == 0; }
  uint32_t bits() const { return bits_; }
  VerdictSet& operator|=(VerdictSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend bool operator==(const VerdictSet&, const VerdictSet&) = default;
  friend auto operator<=>(const VerdictSet&, const VerdictSet&) = default;

 private:
  uint32_t bits_ = 0;
};

struct Judgement {
  Verdict verdict;
  std::string operation;               // The operation it is about; empty when none is known.
  std::optional<std::string> unsound;  // Why it is not true; nullopt when it is.
};

// Returns the verdicts that one write of a manager is, each judged against the truth at its
// instant.
std::vector<Judgement> Judge(const SentWrite& write, const PassTrace& trace);

}  // namespace model

#endif  // MODEL_VERDICT_H_

// The durable safety state: which record each family keeps in its status.
//
// Who keeps what is read off the API types and never said twice. What a pass wrote is read off the
// stored objects before and after, so that a record written by a family that has none, or by none
// that has, is seen.
//
// Answers: the newer lifecycle page, "Which family keeps which record".

#ifndef MODEL_SAFETY_RECORDS_H_
#define MODEL_SAFETY_RECORDS_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "sim/interner.h"
#include "sim/truth.h"

namespace model {

struct SafetyRecord {
  absl::string_view field;    // The field of the status message.
  absl::string_view path;     // As people write it: "status.activeOperation".
  absl::string_view purpose;  // What it is for, in our words.
};

inline constexpr size_t kSafetyRecordCount = 6;
// In the page's order.
const std::array<SafetyRecord, kSafetyRecordCount>& SafetyRecords();

// Which families' API types have the record.
struct RecordKeepers {
  bool schema = false;
  bool migration = false;
};
RecordKeepers KeepersOf(size_t record);

// A record of an object of one family, written by a pass over a resource of another or the same.
struct RecordWrite {
  size_t record = 0;
  sim::Family of = sim::Family::kSchema;
  sim::Family by = sim::Family::kSchema;
  friend auto operator<=>(const RecordWrite&, const RecordWrite&) = default;
};

// Returns the records that a stored change touched. `before` and `after` are one object; other
// kinds than the two families' have none. A null object has no record.
std::vector<RecordWrite> RecordsWritten(sim::Family by, sim::Handle before, sim::Handle after);

}  // namespace model

#endif  // MODEL_SAFETY_RECORDS_H_

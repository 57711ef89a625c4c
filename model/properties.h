// The properties the checker holds every run to, under their names in the specification.
//
// A property is {name, kind, premise, holds}. A premise is counted each time it was true; over a
// whole gate one that never was fails as vacuous, because it proved nothing. One that only a test
// of its own can hold says which.
//
// Answers: spec 05; spec 07 for the verdicts; design.md, "A property".

#ifndef MODEL_PROPERTIES_H_
#define MODEL_PROPERTIES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace model {

enum class Property : uint32_t {
  kS01,
  kS02,
  kS03,
  kS04,
  kS05,
  kS06,
  kS07,
  kS08,
  kS09,
  kS10,
  kS11,
  kS12,
  kS13,
  kS14,
  kS15,
  kS16,
  kS17,
  kS18,
  kS19,
  kS20,
  kS21,
  kS22,
  kS23,
  kS24,
  kS25,
  kS26,
  kS27,
  kS28,
  kS29,
  kS30,
  kS31,
  kS32,
  kS33,
  kS34,
  kS35,
  kS36,
  kS37,
  kS38,
  kS39,
  kS40,
  kS41,
  kS42,
  kS43,
  kS44,
  kS45,
  kS46,
  kS47,
  kS48,
  kS49,
  kS50,
  kS51,
  kS52,
  kS53,
  kS54,
  kS55,
  kS56,
  kL01,
  kL02,
  kL03,
  kL04,
  kL05,
  kL06,
  kL07,
  kL08,
  kL09,
  kL10,
  kL11,
  kL12,
  kL13,
  kL14,
  kL15,
  kSoundVerdict,  // Every verdict is true (spec 07): what makes a window readable.
  kListedWrite,   // Every stored change of a manager's is an entry of spec 04.
  kRead,  // Nothing is stored on the strength of a read that was not answered, but an account that
          // leaves the realm to lapse (spec 02, F-1; spec 03, 3 and 9), and only the census and
          // lists of candidates are read from a cache (spec 01, 0.2, 1).
  kPod,   // A Pod of an operation starts only as its claim's snapshot binds it (spec 01, 12.3).
  kRecovery,  // Recovery ends, for reasons none of L-01 to L-11 names.
};
inline constexpr uint32_t kPropertyCount = static_cast<uint32_t>(Property::kRecovery) + 1;

// How a property is held: in every state, at every write or pass, by the recovery of every state,
// by running one thing twice (compare.h), or by a test of its own. Only the last has no premise to
// count.
enum class PropertyKind : uint8_t { kState, kWrite, kRecovery, kComparison, kTest };

struct PropertyInfo {
  absl::string_view name;  // "S-01".
  PropertyKind kind;
  absl::string_view promise;    // What it promises, in a few words.
  absl::string_view test = {};  // Of kind kTest: what proves it.
};

const PropertyInfo& InfoOf(Property property);
absl::string_view PropertyKindName(PropertyKind kind);

// Returns the property of this name; nullopt for any other text.
std::optional<Property> PropertyByName(absl::string_view name);

}  // namespace model

#endif  // MODEL_PROPERTIES_H_

// A digest of one part of a state, so that two states can be told apart in words.
#ifndef MODEL_ENGINE_PART_H_
#define MODEL_ENGINE_PART_H_

#include <string>
#include <vector>

namespace model {

struct PartDigest {
  std::string name;    // "memory"; small letters and "-".
  std::string digest;  // 8 lower-case hexadecimal digits.
  friend bool operator==(const PartDigest&, const PartDigest&) = default;
};
using PartDigests = std::vector<PartDigest>;

}  // namespace model

#endif  // MODEL_ENGINE_PART_H_

// The rules of a pass and the durable writes, by name, and which family each is for.
//
// What a run is to reach: every rule of spec 02 and every entry of spec 04, by passes of every
// family it speaks of. A scenario names those that it is for. Sub-numbers stand here where a pass's
// journal tells them apart.
//
// Answers: spec 02; spec 04.

#ifndef MODEL_RULES_H_
#define MODEL_RULES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace model {

struct Named {
  std::string name;
  bool schema = false;
  bool migration = false;

  bool IsFor(absl::string_view family) const {
    return family == absl::string_view("schema") ? schema : migration;
  }
};

// In the specification's order.
const std::vector<Named>& Rules();
const std::vector<Named>& Writes();

// Returns the one of this name, or null.
const Named* FindIn(const std::vector<Named>& all, absl::string_view name);
// Returns the rule or the write of this name, or null.
const Named* FindNamed(absl::string_view name);

// Whether `name` is a part of `rule` that the journal tells apart, such as D-5.7 of D-5.
bool IsPartOf(absl::string_view name, absl::string_view rule);

}  // namespace model

#endif  // MODEL_RULES_H_

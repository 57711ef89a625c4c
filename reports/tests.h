// The tests of this tree, as far as reports speak of them: whether one is there.
//
// A report that rests on a test names it; one that was deleted or renamed is found by its source.
// Whether it passes is for ./tools/test to say.

#ifndef REPORTS_TESTS_H_
#define REPORTS_TESTS_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace reports {

// Returns the text of a file of the tree, by its path from the root; empty when there is none.
using ReadSource = std::function<std::string(const std::string& file)>;

// Whether a source file's text holds the test.
bool HoldsTest(absl::string_view source, absl::string_view suite, absl::string_view name);

}  // namespace reports

#endif  // REPORTS_TESTS_H_

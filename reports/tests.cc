#include "reports/tests.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace reports {

bool HoldsTest(absl::string_view source, absl::string_view suite, absl::string_view name) {
  std::string text(source);
  absl::RemoveExtraAsciiWhitespace(&text);
  for (const char* macro : {"TEST(", "TEST_F(", "TEST_P("}) {
    if (absl::StrContains(text, absl::StrCat(macro, suite, ", ", name, ")"))) return true;
  }
  // A law: its inputs follow.
  return absl::StrContains(text, absl::StrCat("RC_GTEST_PROP(", suite, ", ", name, ", ("));
}

}  // namespace reports

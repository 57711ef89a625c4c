#include "lifecycle/api/rfc3339.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"

namespace lifecycle::api {
namespace {

constexpr int64_t kMsPerSecond = 1000;

// Reads `digits` digits and moves past them.
bool Digits(absl::string_view& text, size_t digits, int64_t& value) {
  if (text.size() < digits) return false;
  value = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

}  // namespace

std::string FormatRfc3339(int64_t ms) {
  const int64_t fraction = (ms % kMsPerSecond + kMsPerSecond) % kMsPerSecond;
  const absl::CivilSecond at = absl::CivilSecond(1970, 1, 1) + (ms - fraction) / kMsPerSecond;
  std::string text = absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02d", at.year(), at.month(),
                                     at.day(), at.hour(), at.minute(), at.second());
  if (fraction != 0) absl::StrAppendFormat(&text, ".%03d", fraction);
  return text + "Z";
}

std::optional<int64_t> ParseRfc3339(absl::string_view text) {
  const absl::string_view whole = text;
  int64_t year, month, day, hour, minute, second, fraction = 0;
  if (!Digits(text, 4, year) || !absl::ConsumePrefix(&text, "-") || !Digits(text, 2, month) ||
      !absl::ConsumePrefix(&text, "-") || !Digits(text, 2, day) ||
      !absl::ConsumePrefix(&text, "T") || !Digits(text, 2, hour) ||
      !absl::ConsumePrefix(&text, ":") || !Digits(text, 2, minute) ||
      !absl::ConsumePrefix(&text, ":") || !Digits(text, 2, second)) {
    return std::nullopt;
  }
  if (absl::ConsumePrefix(&text, ".") && !Digits(text, 3, fraction)) return std::nullopt;
  if (text != "Z") return std::nullopt;
  const absl::CivilSecond at(year, month, day, hour, minute, second);
  const int64_t ms = (at - absl::CivilSecond(1970, 1, 1)) * kMsPerSecond + fraction;
  // A civil time is normalised (31 February becomes 2 March); such a text is not one that we write.
  if (FormatRfc3339(ms) != whole) return std::nullopt;
  return ms;
}

}  // namespace lifecycle::api

#include "model/engine/escape.h"

namespace model {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

bool IsPlain(char c, absl::string_view reserved) {
  return c >= ' ' && c <= '~' && c != '\\' && reserved.find(c) == absl::string_view::npos;
}

int DigitOf(char c) {
  const size_t at = absl::string_view(kDigits, 16).find(c);
  return at == absl::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string Escape(absl::string_view text, absl::string_view reserved) {
  if (text.empty()) return "\\e";
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_border = i == 0 || i + 1 == text.size();
    if (IsPlain(c, reserved) && !(c == ' ' && is_border)) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += "\\x";
      escaped += kDigits[byte >> 4];
      escaped += kDigits[byte & 15];
    }
  }
  return escaped;
}

std::optional<std::string> Unescape(absl::string_view text, absl::string_view reserved) {
  if (text == "\\e") return "";
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
      continue;
    }
    if (i + 3 >= text.size() || text[i + 1] != 'x') return std::nullopt;
    const int high = DigitOf(text[i + 2]);
    const int low = DigitOf(text[i + 3]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 3;
  }
  // One text has one spelling: whatever Escape would spell otherwise was not written by it.
  if (Escape(plain, reserved) != text) return std::nullopt;
  return plain;
}

}  // namespace model

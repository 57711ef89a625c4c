// Any text as a piece of a line of printable ASCII, and back.
//
// Escaped are the backslash, what is not printable ASCII, the characters a format uses for itself,
// and what would be lost or merged at a border: spaces at either end, and the empty text.
#ifndef MODEL_ENGINE_ESCAPE_H_
#define MODEL_ENGINE_ESCAPE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace model {

// Returns `text` with the characters of `reserved` and the ones named above as \xHH; "" as \e.
std::string Escape(absl::string_view text, absl::string_view reserved);

// Undoes Escape. Returns nothing if Escape never writes this.
std::optional<std::string> Unescape(absl::string_view text, absl::string_view reserved);

}  // namespace model

#endif  // MODEL_ENGINE_ESCAPE_H_

// What a parser of text format says, in this project's words: what was expected, on one line.

#ifndef MODEL_TEXT_ERRORS_H_
#define MODEL_TEXT_ERRORS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
}

namespace model {

// Returns "expected ..." for an error of the parser of messages of type `root`.
std::string ExpectedByParser(absl::string_view error, const google::protobuf::Descriptor* root);

// Returns the value that an error says a field cannot hold; empty: it says something else.
absl::string_view RefusedValue(absl::string_view error);

// Returns where the first byte stands that is no part of UTF-8; nullopt: all of it is text.
std::optional<size_t> FirstNotUtf8(absl::string_view text);

// Returns the line, from 1, on which the byte at `at` stands.
int LineAt(absl::string_view text, size_t at);

}  // namespace model

#endif  // MODEL_TEXT_ERRORS_H_

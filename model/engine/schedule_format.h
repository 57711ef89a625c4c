// The marks of the schedule format, which its writer and its parser share.
#ifndef MODEL_ENGINE_SCHEDULE_FORMAT_H_
#define MODEL_ENGINE_SCHEDULE_FORMAT_H_

#include "absl/strings/string_view.h"

namespace model {

inline constexpr absl::string_view kHeader = "stopgap schedule 1";
inline constexpr absl::string_view kSeparator = " | ";

// The characters that a text may not hold unescaped: those that end it, or its neighbour.
inline constexpr absl::string_view kReservedInField = "|";
inline constexpr absl::string_view kReservedInChoice = "|=";
inline constexpr absl::string_view kReservedInWord = " ";
inline constexpr absl::string_view kReservedInOption = "=";

}  // namespace model

#endif  // MODEL_ENGINE_SCHEDULE_FORMAT_H_

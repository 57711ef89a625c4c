// A schedule: a path as a text file, with what it was recorded on.
//
// Scenario, design, options and path determine a run, so a schedule is all that a developer needs
// to see again what CI saw. The format is lines of printable ASCII, so that it can be read,
// compared and mailed:
//
//   stopgap schedule 1
//   scenario scenarios/schema-approved.textproto sha256:<64 hexadecimal digits>
//   design current
//   option exact=true                                  (any number)
//   violates S-06: two Jobs of one operation           (at most one)
//   initial 0
//   0 | pass schema/a | @3 create job/a=2/4 (answer lost, stored) | -> <32 hexadecimal digits>
//   job:1f.. 1 | clock +5s | -> ... 2 | pass schema/a | !2 stop after W-12 schema/a | -> ... end 3
//
// A step is its position, its label, its picks (choice point, label, option picked, number of
// options, meaning), its cut, and the key of the state it led to, with a digest of each of its
// parts. Picks, cut, key and parts are left out where there are none. Lines that start with '#' are
// comments. A file that was cut short has no end.
#ifndef MODEL_ENGINE_SCHEDULE_H_
#define MODEL_ENGINE_SCHEDULE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/engine/part.h"
#include "model/engine/path.h"

namespace model {

struct Schedule {
  std::string scenario;         // The file it was recorded on, relative to the root of the tree.
  std::string scenario_sha256;  // 64 lower-case hexadecimal digits: of that file's bytes.
  std::string design;
  std::vector<std::pair<std::string, std::string>> options;  // In the order of the file.
  std::string violates;  // What it shows: the property, and the words; empty: nothing.
  Path path;
  // Of the state that each entry led to, where the system tells its parts; else empty.
  std::vector<PartDigests> parts = {};
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

inline constexpr size_t kScheduleBytesMax = 1 << 20;
inline constexpr size_t kScheduleLineBytesMax = 64 << 10;

// The schedule as a file. `comments` come after the header line, one a line.
std::string FormatSchedule(const Schedule& schedule, const std::vector<std::string>& comments = {});

// A schedule as it stands in a file, and on which lines, from 1: for messages about what only
// somebody who knows the system can judge.
struct ScheduleFile {
  std::string file;
  Schedule schedule;
  size_t scenario_line = 0;
  size_t design_line = 0;
  std::vector<size_t> option_lines;
  size_t violates_line = 0;  // 0: there is none.
  size_t initial_line = 0;
  std::vector<size_t> entry_lines;

  // InvalidArgument, one line "file:line: expected ...".
  absl::Status Expected(size_t line, absl::string_view what) const;
};

// Reads what FormatSchedule writes. Errors: InvalidArgument, one line "file:line: expected ...",
// `file` being a name for messages only.
absl::StatusOr<ScheduleFile> ParseSchedule(absl::string_view text, absl::string_view file);

// Reads and parses a file. Errors: as above, or InvalidArgument "file: ..." when there is no such
// file or when it is not one.
absl::StatusOr<ScheduleFile> LoadSchedule(const std::string& file);

// What to say first when the scenario is no longer the one that was recorded; nothing if it is.
std::optional<std::string> ScenarioChange(const Schedule& schedule, absl::string_view sha256_now);

}  // namespace model

#endif  // MODEL_ENGINE_SCHEDULE_H_

// Reading and writing whole files for the commands.

#ifndef CLI_FILES_H_
#define CLI_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cli {

// Writes `bytes` beside the file and renames it into place, so that a file is never half written;
// makes the folder if there is none. Errors: Unknown, one line that names the file.
absl::Status WriteFile(const std::string& file, const std::string& bytes);

// Whether the file could be written, so that nobody waits for a report that is lost at the end: its
// folder is there and may be written in. Errors: one line that names the file and what is missing.
absl::Status MayWriteFile(const std::string& file);

// Returns the file's bytes. Errors: NotFound, one line that names the file.
absl::StatusOr<std::string> ReadFile(const std::string& file);

}  // namespace cli

#endif  // CLI_FILES_H_

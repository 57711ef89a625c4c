#include "cli/files.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace cli {

absl::Status WriteFile(const std::string& file, const std::string& bytes) {
  std::error_code error;
  const std::filesystem::path path(file);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  // A device such as /dev/stdout cannot be renamed into place.
  const bool special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  const std::string temporary = special ? file : absl::StrCat(file, ".", getpid(), ".part");
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << bytes;
    stream.flush();
    if (!stream) {
      if (!special) std::filesystem::remove(temporary, error);
      return absl::UnknownError(absl::StrCat(file, ": cannot be written"));
    }
  }
  if (special) return absl::OkStatus();
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::filesystem::remove(temporary, error);
    return absl::UnknownError(absl::StrCat(file, ": cannot be written"));
  }
  return absl::OkStatus();
}

absl::Status MayWriteFile(const std::string& file) {
  std::error_code error;
  const std::filesystem::path path(file);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::NotFoundError(absl::StrCat(file, ": there is no folder ", folder.string()));
  }
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": is a folder"));
  }
  const bool special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  if (access(special ? file.c_str() : folder.c_str(), W_OK) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(file, ": cannot be written"));
}

absl::StatusOr<std::string> ReadFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  if (stream) bytes << stream.rdbuf();
  if (!stream) return absl::NotFoundError(absl::StrCat(file, ": cannot be read"));
  return bytes.str();
}

}  // namespace cli

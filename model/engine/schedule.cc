#include "model/engine/schedule.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "model/engine/escape.h"
#include "model/engine/schedule_format.h"

namespace model {
namespace {

std::string FormatChoice(const Choice& choice) {
  return absl::StrCat("@", choice.point, " ", Escape(choice.label, kReservedInChoice), "=",
                      choice.picked, "/", choice.options, " (",
                      Escape(choice.meaning, kReservedInField), ")");
}

std::string FormatEntry(size_t position, const PathEntry& entry, const PartDigests& parts) {
  std::string line = absl::StrCat(position, kSeparator, Escape(entry.step, kReservedInField));
  for (const Choice& choice : entry.choices) {
    absl::StrAppend(&line, kSeparator, FormatChoice(choice));
  }
  if (entry.cut.ordinal != 0) {
    absl::StrAppend(&line, kSeparator, "!", entry.cut.ordinal, " ",
                    Escape(entry.cut.label, kReservedInField));
  }
  if (entry.key == Key128{}) return line;
  absl::StrAppend(&line, kSeparator, "-> ", KeyText(entry.key));
  for (const PartDigest& part : parts) {
    absl::StrAppend(&line, " ", part.name, ":", part.digest);
  }
  return line;
}

// A comment is for people and is not read back: it only has to stay one line of ASCII.
std::string AsComment(absl::string_view text) {
  std::string comment = absl::StrCat("# ", text);
  for (char& c : comment) {
    if (c < ' ' || c > '~') c = '?';
  }
  return comment;
}

}  // namespace

std::string FormatSchedule(const Schedule& schedule, const std::vector<std::string>& comments) {
  std::string text = absl::StrCat(kHeader, "\n");
  for (const std::string& comment : comments) absl::StrAppend(&text, AsComment(comment), "\n");
  absl::StrAppend(&text, "scenario ", Escape(schedule.scenario, kReservedInWord),
                  " sha256:", schedule.scenario_sha256, "\n");
  absl::StrAppend(&text, "design ", Escape(schedule.design, ""), "\n");
  for (const auto& [name, value] : schedule.options) {
    absl::StrAppend(&text, "option ", Escape(name, kReservedInOption), "=", Escape(value, ""),
                    "\n");
  }
  if (!schedule.violates.empty()) {
    absl::StrAppend(&text, "violates ", Escape(schedule.violates, ""), "\n");
  }
  absl::StrAppend(&text, "initial ", schedule.path.initial, "\n");
  const std::vector<PathEntry>& entries = schedule.path.entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool told = i < schedule.parts.size();
    absl::StrAppend(&text, FormatEntry(i, entries[i], told ? schedule.parts[i] : PartDigests()),
                    "\n");
  }
  absl::StrAppend(&text, "end ", entries.size(), "\n");
  return text;
}

absl::Status ScheduleFile::Expected(size_t line, absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": expected ", what));
}

absl::StatusOr<ScheduleFile> LoadSchedule(const std::string& file) {
  struct stat about {};
  if (stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": expected a schedule file"));
  }
  if (about.st_size > static_cast<off_t>(kScheduleBytesMax)) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ":1: expected at most ", kScheduleBytesMax, " bytes"));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return absl::InvalidArgumentError(absl::StrCat(file, ": expected a readable file"));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return ParseSchedule(text, file);
}

std::optional<std::string> ScenarioChange(const Schedule& schedule, absl::string_view sha256_now) {
  if (schedule.scenario_sha256 == sha256_now) return std::nullopt;
  return absl::StrCat(
      "scenario ", schedule.scenario, " has changed since this was recorded: sha256 ",
      schedule.scenario_sha256.substr(0, 12), " then, ", sha256_now.substr(0, 12), " now");
}

}  // namespace model

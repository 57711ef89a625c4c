#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/engine/escape.h"
#include "model/engine/schedule.h"
#include "model/engine/schedule_format.h"

namespace model {
namespace {

// A number as StrCat writes it: digits only, and no leading zero.
bool ParseNumber(absl::string_view text, uint32_t& number) {
  if (text.empty() || text.size() > 10 || (text.size() > 1 && text[0] == '0')) return false;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return absl::SimpleAtoi(text, &number);
}

bool IsSha256(absl::string_view text) {
  return text.size() == 64 && ParseKey(text.substr(0, 32)) && ParseKey(text.substr(32));
}

// What a line should have been; empty: it is.
using Expected = std::string;

// Takes `text` up to the first `delimiter` off its front; all of it if there is none.
absl::string_view TakeUntil(absl::string_view& text, absl::string_view delimiter) {
  const size_t at = text.find(delimiter);
  const absl::string_view head = text.substr(0, at);
  text.remove_prefix(at == absl::string_view::npos ? text.size() : at + delimiter.size());
  return head;
}

Expected ParseChoice(absl::string_view text, Choice& choice) {
  constexpr absl::string_view kShape = "a pick \"@POINT LABEL=PICKED/OPTIONS (MEANING)\"";
  if (!ParseNumber(TakeUntil(text, " "), choice.point)) return Expected(kShape);
  const auto label = Unescape(TakeUntil(text, "="), kReservedInChoice);
  if (!label || !ParseNumber(TakeUntil(text, "/"), choice.picked)) return Expected(kShape);
  if (!ParseNumber(TakeUntil(text, " ("), choice.options)) return Expected(kShape);
  if (!absl::ConsumeSuffix(&text, ")")) return Expected(kShape);
  const auto meaning = Unescape(text, kReservedInField);
  if (!meaning) return Expected(kShape);
  choice.label = *label;
  choice.meaning = *meaning;
  if (choice.picked == 0 || choice.picked >= choice.options) {
    return absl::StrCat("the option picked at point ", choice.point, " to be from 1 to ",
                        choice.options < 2 ? 1 : choice.options - 1);
  }
  return "";
}

Expected ParseCut(absl::string_view text, Cut& cut) {
  const bool is_number = ParseNumber(TakeUntil(text, " "), cut.ordinal) && cut.ordinal > 0;
  const auto label = Unescape(text, kReservedInField);
  if (!is_number || !label) return "a cut \"!ORDINAL LABEL\", the ordinal from 1";
  cut.label = *label;
  return "";
}

Expected ParseParts(absl::string_view text, PartDigests& parts) {
  while (!text.empty()) {
    absl::string_view digest = TakeUntil(text, " ");
    const absl::string_view name = TakeUntil(digest, ":");
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_letter) || digest.size() != 8 ||
        !std::all_of(digest.begin(), digest.end(), is_digit)) {
      return "after the key parts \"NAME:\" of 8 hexadecimal digits";
    }
    parts.push_back({std::string(name), std::string(digest)});
  }
  return "";
}

Expected ParseEntry(absl::string_view line, size_t position, PathEntry& entry, PartDigests& parts) {
  std::vector<absl::string_view> fields = absl::StrSplit(line, kSeparator);
  uint32_t number = 0;
  if (fields.size() < 2 || !ParseNumber(fields[0], number) || number != position) {
    return absl::StrCat("step ", position, " as \"", position, " | LABEL | ...\", or \"end ",
                        position, "\"");
  }
  const auto step = Unescape(fields[1], kReservedInField);
  if (!step) return "the step's label as printable text without a bare \"\\\" or \"|\"";
  entry.step = *step;
  // Picks, then a cut, then a key.
  size_t at = 2;
  for (; at < fields.size() && absl::ConsumePrefix(&fields[at], "@"); ++at) {
    Choice choice;
    if (Expected expected = ParseChoice(fields[at], choice); !expected.empty()) return expected;
    if (!entry.choices.empty() && entry.choices.back().point >= choice.point) {
      return "picks in the order of their points";
    }
    entry.choices.push_back(std::move(choice));
  }
  if (at < fields.size() && absl::ConsumePrefix(&fields[at], "!")) {
    if (Expected expected = ParseCut(fields[at], entry.cut); !expected.empty()) return expected;
    ++at;
  }
  if (at < fields.size() && absl::ConsumePrefix(&fields[at], "-> ")) {
    const auto key = ParseKey(TakeUntil(fields[at], " "));
    if (!key || *key == Key128{}) return "a key \"-> \" of 32 hexadecimal digits, not all 0";
    entry.key = *key;
    if (Expected expected = ParseParts(fields[at], parts); !expected.empty()) return expected;
    ++at;
  }
  return at == fields.size() ? "" : "picks \"@...\", then a cut \"!...\", then a key \"-> ...\"";
}

// Reads a file line by line: the header's lines in their order, then steps, then the end.
class Parser {
 public:
  Parser(absl::string_view text, absl::string_view file) : rest_(text) {
    read_.file = std::string(file);
  }

  absl::StatusOr<ScheduleFile> Parse() {
    const absl::Status status = ParseAll();
    if (!status.ok()) return status;
    return std::move(read_);
  }

 private:
  absl::Status ParseAll() {
    if (rest_.size() > kScheduleBytesMax) {
      return read_.Expected(1, absl::StrCat("at most ", kScheduleBytesMax, " bytes"));
    }
    absl::Status status = NextLine();
    if (!status.ok()) return status;
    if (line_ != kHeader) return Error(absl::StrCat("the line \"", kHeader, "\""));
    for (absl::Status (Parser::*parse)() :
         {&Parser::ParseScenario, &Parser::ParseDesign, &Parser::ParseOptions,
          &Parser::ParseViolates, &Parser::ParseInitial, &Parser::ParseSteps}) {
      status = (this->*parse)();
      if (!status.ok()) return status;
    }
    if (!rest_.empty()) {
      ++line_number_;
      return Error("nothing after the end");
    }
    return absl::OkStatus();
  }

  absl::Status ParseScenario() {
    absl::Status status = NextContentLine();
    if (!status.ok()) return status;
    const std::string expected = "\"scenario FILE sha256:\" and 64 hexadecimal digits";
    if (!absl::ConsumePrefix(&line_, "scenario ")) return Error(expected);
    const auto scenario = Unescape(TakeUntil(line_, " "), kReservedInWord);
    if (!scenario || !absl::ConsumePrefix(&line_, "sha256:") || !IsSha256(line_)) {
      return Error(expected);
    }
    read_.scenario_line = line_number_;
    schedule_.scenario = *scenario;
    schedule_.scenario_sha256 = std::string(line_);
    return absl::OkStatus();
  }

  absl::Status ParseDesign() {
    absl::Status status = NextContentLine();
    if (!status.ok()) return status;
    read_.design_line = line_number_;
    return ParseRest("design ", "\"design NAME\"", schedule_.design);
  }

  absl::Status ParseOptions() {
    for (;;) {
      absl::Status status = NextContentLine();
      if (!status.ok()) return status;
      if (!absl::ConsumePrefix(&line_, "option ")) return absl::OkStatus();
      if (!absl::StrContains(line_, "=")) return Error("\"option NAME=VALUE\"");
      const auto name = Unescape(TakeUntil(line_, "="), kReservedInOption);
      const auto value = Unescape(line_, "");
      if (!name || !value) return Error("\"option NAME=VALUE\"");
      schedule_.options.emplace_back(*name, *value);
      read_.option_lines.push_back(line_number_);
    }
  }

  // The line at hand is the first that is not an option.
  absl::Status ParseViolates() {
    if (!absl::StartsWith(line_, "violates ")) return absl::OkStatus();
    absl::Status status = ParseRest("violates ", "\"violates TEXT\"", schedule_.violates);
    if (!status.ok()) return status;
    if (schedule_.violates.empty()) return Error("\"violates TEXT\"");
    read_.violates_line = line_number_;
    return NextContentLine();
  }

  absl::Status ParseInitial() {
    read_.initial_line = line_number_;
    if (absl::ConsumePrefix(&line_, "initial ") && ParseNumber(line_, schedule_.path.initial)) {
      return absl::OkStatus();
    }
    return Error("\"option NAME=VALUE\", \"violates TEXT\" or \"initial NUMBER\"");
  }

  absl::Status ParseSteps() {
    std::vector<PathEntry>& entries = schedule_.path.entries;
    for (;;) {
      absl::Status status = NextContentLine();
      if (!status.ok()) return status;
      if (line_ == absl::StrCat("end ", entries.size())) return absl::OkStatus();
      PathEntry entry;
      PartDigests parts;
      if (Expected expected = ParseEntry(line_, entries.size(), entry, parts); !expected.empty()) {
        return Error(expected);
      }
      schedule_.parts.push_back(std::move(parts));
      entries.push_back(std::move(entry));
      read_.entry_lines.push_back(line_number_);
    }
  }

  absl::Status ParseRest(absl::string_view prefix, absl::string_view expected, std::string& into) {
    if (!absl::ConsumePrefix(&line_, prefix)) return Error(expected);
    const auto text = Unescape(line_, "");
    if (!text || line_.empty()) return Error(expected);
    into = *text;
    return absl::OkStatus();
  }

  // Moves to the next line that is not a comment.
  absl::Status NextContentLine() {
    do {
      absl::Status status = NextLine();
      if (!status.ok()) return status;
    } while (absl::StartsWith(line_, "#"));
    return absl::OkStatus();
  }

  absl::Status NextLine() {
    ++line_number_;
    if (rest_.empty()) return Error("more lines up to \"end NUMBER\": the file is cut short");
    const size_t end = rest_.find('\n');
    if (std::min(end, rest_.size()) > kScheduleLineBytesMax) {
      return Error(absl::StrCat("at most ", kScheduleLineBytesMax, " bytes in a line"));
    }
    if (end == absl::string_view::npos) return Error("a line that ends: the file is cut short");
    line_ = TakeUntil(rest_, "\n");
    absl::ConsumeSuffix(&line_, "\r");  // An editor's doing, and no reason to refuse.
    for (char c : line_) {
      if (c < ' ' || c > '~') return Error("printable ASCII text");
    }
    return absl::OkStatus();
  }

  absl::Status Error(absl::string_view expected) const {
    return read_.Expected(line_number_, expected);
  }

  absl::string_view rest_;
  absl::string_view line_;
  size_t line_number_ = 0;
  ScheduleFile read_;
  Schedule& schedule_ = read_.schedule;
};

}  // namespace

absl::StatusOr<ScheduleFile> ParseSchedule(absl::string_view text, absl::string_view file) {
  return Parser(text, file).Parse();
}

}  // namespace model

#include "model/scenario.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "model/scenario.pb.h"
#include "model/scenario_check.h"
#include "model/text_errors.h"

namespace model {
namespace {

constexpr size_t kScenarioBytesMax = 1 << 20;
constexpr absl::string_view kEnding = ".textproto";

// Keeps the first error of a parse, in words of what was expected.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  FirstError(absl::string_view file, absl::string_view text) : file_(file), source_(text) {}
  void AddError(int line, int, const std::string& message) override {
    if (!text_.empty()) return;
    text_ = absl::StrCat(file_, ":", LineOf(message, std::max(line, 0) + 1), ": ",
                         ExpectedByParser(message, Scenario::descriptor()));
  }
  void AddWarning(int line, int column, const std::string& message) override {
    AddError(line, column, message);
  }
  const std::string& text() const { return text_; }

 private:
  // Of a value that a field cannot hold the parser says where the next token stands.
  int LineOf(absl::string_view message, int line) const {
    const absl::string_view value = RefusedValue(message);
    if (value.empty()) return line;
    size_t end = 0;
    for (int passed = 0; passed < line && end != absl::string_view::npos; ++passed) {
      end = source_.find('\n', end + (passed == 0 ? 0 : 1));
    }
    const size_t at = source_.rfind(value, end);
    return at == absl::string_view::npos ? line : LineAt(source_, at);
  }

  std::string file_;
  absl::string_view source_;
  std::string text_;
};

absl::Status Unreadable(const std::string& file, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", why));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Scenario>> ParseScenario(absl::string_view text,
                                                              absl::string_view file) {
  if (const std::optional<size_t> at = FirstNotUtf8(text)) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ":", LineAt(text, *at), ": expected UTF-8 text"));
  }
  auto scenario = std::make_shared<Scenario>();
  FirstError errors(file, text);
  google::protobuf::TextFormat::ParseInfoTree places;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(std::string(text), scenario.get())) {
    return absl::InvalidArgumentError(
        errors.text().empty() ? absl::StrCat(file, ":1: expected a scenario") : errors.text());
  }
  if (absl::Status status = CheckScenario(*scenario, places, file); !status.ok()) return status;
  return std::shared_ptr<const Scenario>(std::move(scenario));
}

std::string FormatScenario(const Scenario& scenario) {
  std::string text;
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  printer.PrintToString(scenario, &text);
  return text;
}

absl::StatusOr<LoadedScenario> LoadScenario(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Unreadable(file, "expected a scenario, and there is no such file");
  if (!std::filesystem::is_regular_file(file, error)) return Unreadable(file, "expected a file");
  if (std::filesystem::file_size(file, error) > kScenarioBytesMax) {
    return Unreadable(absl::StrCat(file, ":1"), "expected a scenario of at most 1 MiB");
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream) return Unreadable(file, "expected a file that can be read");
  LoadedScenario loaded;
  const std::filesystem::path path(file);
  loaded.name = path.stem().string();
  loaded.path = absl::StrCat("scenarios/", path.filename().string());
  loaded.sha256 = lifecycle::api::Sha256Hex(bytes.str());
  absl::StatusOr<std::shared_ptr<const Scenario>> scenario = ParseScenario(bytes.str(), file);
  if (!scenario.ok()) return scenario.status();
  loaded.scenario = *std::move(scenario);
  return loaded;
}

absl::StatusOr<std::vector<LoadedScenario>> LoadScenarios(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().string();
    if (absl::EndsWith(file, kEnding)) files.push_back(file);
  }
  if (error) return Unreadable(folder, "expected a folder of scenarios");
  std::sort(files.begin(), files.end());
  if (files.empty()) return Unreadable(folder, "expected at least one *.textproto");
  std::vector<LoadedScenario> scenarios;
  for (const std::string& file : files) {
    absl::StatusOr<LoadedScenario> loaded = LoadScenario(file);
    if (!loaded.ok()) return loaded.status();
    scenarios.push_back(*std::move(loaded));
  }
  return scenarios;
}

bool MatchesGlob(absl::string_view name, absl::string_view glob) {
  size_t n = 0, g = 0, star = absl::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++n;
      ++g;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      mark = n;
    } else if (star != absl::string_view::npos) {
      g = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace model

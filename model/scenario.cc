#include "model/scenario.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "model/goals.h"
#include "model/scenario.pb.h"
#include "sim/people.h"

namespace model {
namespace {

constexpr size_t kScenarioBytesMax = 1 << 20;
constexpr absl::string_view kEnding = ".textproto";

// Keeps the first error of a parse.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(absl::string_view file) : file_(file) {}
  void AddError(int line, int column, const std::string& message) override {
    if (!text_.empty()) return;
    text_ = absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", message);
  }
  void AddWarning(int line, int column, const std::string& message) override {
    AddError(line, column, message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string file_;
  std::string text_;
};

// The line of the first occurrence of `field`, for errors that the parser cannot know.
int LineOf(absl::string_view text, absl::string_view field) {
  const size_t at = text.find(field);
  if (at == absl::string_view::npos) return 1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

class Validator {
 public:
  Validator(absl::string_view text, absl::string_view file) : text_(text), file_(file) {}

  absl::Status Check(const Scenario& scenario) {
    if (scenario.family() == Scenario::FAMILY_UNSPECIFIED) {
      return Wrong("family", "expected family: SCHEMA or MIGRATION");
    }
    const std::string& policy = scenario.policy();
    if (!policy.empty() && policy != "OnApproval" && policy != "Always") {
      return Wrong("policy", absl::StrCat("expected policy OnApproval or Always, got ", policy));
    }
    if (absl::Status status = CheckDatabase(scenario); !status.ok()) return status;
    if (absl::Status status = CheckNumbers(scenario); !status.ok()) return status;
    if (absl::Status status = CheckFiles(scenario); !status.ok()) return status;
    for (const Scenario::Act& act : scenario.person()) {
      if (!sim::IsAct(act.what())) {
        return Wrong(act.what(),
                     absl::StrCat("expected something a person does, such as approve or "
                                  "suspend, got \"",
                                  act.what(), "\""));
      }
    }
    for (const std::string& goal : scenario.reaches()) {
      if (!IsGoalName(goal)) {
        return Wrong(goal,
                     absl::StrCat("expected a write, \"verdict NAME\", \"step NAME\", \"act "
                                  "NAME\", \"phase NAME\" or \"outcome NAME\" to reach, got \"",
                                  goal, "\""));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Wrong(absl::string_view field, absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ":", LineOf(text_, field), ": ", message));
  }

  absl::Status InRange(absl::string_view field, int64_t value, int64_t max) const {
    if (value >= 0 && value <= max) return absl::OkStatus();
    return Wrong(field, absl::StrCat("expected ", field, " from 0 to ", max, ", got ", value));
  }

  // Statements are a schema's and files a migration's, whichever resource it is that is one.
  absl::Status CheckDatabase(const Scenario& scenario) const {
    bool schema = scenario.family() == Scenario::SCHEMA;
    bool migration = !schema;
    for (const Scenario::Claimant& other : scenario.others()) {
      if (other.family() == Scenario::FAMILY_UNSPECIFIED) {
        return Wrong("others", "expected family SCHEMA or MIGRATION of every other resource");
      }
      schema = schema || other.family() == Scenario::SCHEMA;
      migration = migration || other.family() == Scenario::MIGRATION;
    }
    if (!migration && scenario.files_size() > 0) return Wrong("files", "a schema has no files");
    if (migration && scenario.files_size() == 0) {
      return Wrong("family", "expected files of a migration");
    }
    if (!schema && scenario.statements() != 0) {
      return Wrong("statements", "statements of a migration belong to its files");
    }
    const std::string& sharing = scenario.realm().sharing();
    if (!sharing.empty() && sharing != "Exclusive" && sharing != "Shared") {
      return Wrong("sharing", absl::StrCat("expected Exclusive or Shared, got ", sharing));
    }
    return absl::OkStatus();
  }

  absl::Status CheckNumbers(const Scenario& scenario) const {
    for (const absl::Status& status :
         {InRange("operations", scenario.operations(), 8),
          InRange("statements", scenario.statements(), 64),
          InRange("faults_max", scenario.faults_max(), 1000),
          InRange("states_max", scenario.states_max(), 100'000'000),
          InRange("others", scenario.others_size(), 3),
          InRange("preemptions", scenario.preemptions(), 2),
          InRange("rival_rounds", scenario.world().rival_rounds(), 8)}) {
      if (!status.ok()) return status;
    }
    for (const Scenario::Act& act : scenario.person()) {
      if (absl::Status status = InRange("times", act.times(), 16); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status CheckFiles(const Scenario& scenario) const {
    int64_t last = 0;
    for (const Scenario::File& file : scenario.files()) {
      if (file.version() <= last) return Wrong("files", "expected versions that rise from 1");
      last = file.version();
      if (absl::Status status = InRange("statements", file.statements(), 64); !status.ok()) {
        return status;
      }
      const int32_t statements = file.statements() == 0 ? 2 : file.statements();
      if (absl::Status status = InRange("fails_at", file.fails_at(), statements); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::string_view text_;
  absl::string_view file_;
};

absl::Status Unreadable(const std::string& file, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", why));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Scenario>> ParseScenario(absl::string_view text,
                                                              absl::string_view file) {
  auto scenario = std::make_shared<Scenario>();
  FirstError errors(file);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (!parser.ParseFromString(std::string(text), scenario.get())) {
    return absl::InvalidArgumentError(
        errors.text().empty() ? absl::StrCat(file, ":1: expected a scenario") : errors.text());
  }
  if (absl::Status status = Validator(text, file).Check(*scenario); !status.ok()) return status;
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
  if (!std::filesystem::exists(file, error)) return Unreadable(file, "there is no such file");
  if (!std::filesystem::is_regular_file(file, error)) return Unreadable(file, "expected a file");
  if (std::filesystem::file_size(file, error) > kScenarioBytesMax) {
    return Unreadable(file, "expected a scenario of at most 1 MiB");
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream) return Unreadable(file, "cannot be read");
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

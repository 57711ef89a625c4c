#include "model/timeline.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/kind.h"
#include "model/properties.h"

namespace model {
namespace {

namespace api = lifecycle::api;

std::string Position(size_t at) {
  const std::string number = absl::StrCat(at);
  return absl::StrCat(number.size() < 3 ? std::string(3 - number.size(), ' ') : "", number, "  ");
}

void AddFindings(const std::vector<Finding>& findings, std::vector<std::string>& lines) {
  for (const Finding& finding : findings) {
    const PropertyInfo& info = InfoOf(static_cast<Property>(finding.property));
    lines.push_back(
        absl::StrCat("     VIOLATED ", info.name, " (", info.promise, "): ", finding.text));
  }
}

std::string CountText(sim::Count count) {
  switch (count) {
    case sim::Count::kNone:
      return "none";
    case sim::Count::kOne:
      return "one";
    case sim::Count::kMore:
      return "more than one";
  }
  return "";
}

std::string RunText(sim::RunState state) {
  switch (state) {
    case sim::RunState::kWaiting:
      return "waiting";
    case sim::RunState::kRunning:
      return "running";
    case sim::RunState::kEnded:
      return "ended";
  }
  return "";
}

std::string EffectText(const sim::OperationTruth& operation) {
  std::vector<std::string> files;
  for (const sim::FileEffect& file : operation.effect) {
    files.push_back(absl::StrCat(file.version.empty() ? "plan" : file.version, ": ", file.committed,
                                 " committed", file.recorded ? ", recorded" : ""));
  }
  return files.empty() ? "nothing" : absl::StrJoin(files, "; ");
}

}  // namespace

std::vector<std::string> TimelineOf(const Replayed<sim::World>& replayed) {
  std::vector<std::string> lines;
  AddFindings(replayed.start_findings, lines);
  size_t at = 0;
  int64_t now = replayed.start ? replayed.start->now_ms : 0;
  const int64_t start = now;
  for (const auto& step : replayed.steps) {
    lines.push_back(
        absl::StrCat(Position(at++), "+", (now - start) / 1000, "s  ", step.entry.step));
    for (const std::string& note : step.notes) lines.push_back(absl::StrCat("       ", note));
    for (const Choice& choice : step.entry.choices) {
      lines.push_back(absl::StrCat("     FAULT ", choice.label, ": ", choice.meaning));
    }
    if (step.entry.cut.ordinal != 0) {
      lines.push_back(absl::StrCat("     FAULT ", step.entry.cut.label));
    }
    AddFindings(step.findings, lines);
    AddFindings(step.state_findings, lines);
    if (step.state) now = step.state->now_ms;
  }
  return lines;
}

std::vector<std::string> DescribeView(const sim::World& world) {
  std::vector<std::string> lines;
  for (const sim::Entry& entry : world.objects) {
    lines.push_back(absl::StrCat(api::ShortName(entry.object->key), "  v", entry.version, "  ",
                                 api::ToJson(*entry.object->message)));
  }
  for (const auto& [uid, log] : world.logs) {
    lines.push_back(absl::StrCat("log of pod ", uid, "  ",
                                 log.lost              ? "lost"
                                 : log.unreadable      ? "out of reach"
                                 : log.text == nullptr ? "empty"
                                                       : absl::StrCat(log.text->size(), " bytes")));
  }
  for (const sim::Process& process : world.processes) {
    if (process.cache == nullptr) continue;
    std::vector<std::string> shown;
    for (const sim::Entry& entry : *process.cache) {
      shown.push_back(absl::StrCat(api::ShortName(entry.object->key), " v", entry.version));
    }
    lines.push_back(
        absl::StrCat("caches of ", process.name, " lag behind: ", absl::StrJoin(shown, ", ")));
  }
  return lines;
}

std::vector<std::string> DescribeTruth(const sim::World& world) {
  std::vector<std::string> lines;
  for (const auto& [id, operation] : world.truth.operations) {
    lines.push_back(absl::StrCat(
        operation.type, " ", id.substr(0, 19), " of ", api::ShortName(operation.resource),
        ": Jobs ", CountText(operation.created), ", Pods ", CountText(operation.pods), ", ",
        operation.marked ? "marked" : "not marked", ", ",
        sim::CanRun(world, operation) ? "can run" : "cannot run", ", ",
        operation.open ? "account open" : "account settled", ", did ", EffectText(operation)));
  }
  for (const auto& run : world.runs) {
    lines.push_back(absl::StrCat("executor in pod ", run->pod_name, ": ", RunText(run->state),
                                 run->lost_at_ms == 0 ? "" : ", on a node out of reach"));
  }
  for (const auto& database : world.truth.databases) {
    if (database->files.empty()) {
      lines.push_back(absl::StrCat("database: ", database->in_force, " of ", database->statements,
                                   " statements in force"));
    }
    for (const sim::Database::File& file : database->files) {
      lines.push_back(absl::StrCat("database: file ", file.version, ": ", file.committed, " of ",
                                   file.statements, " committed", file.recorded ? ", recorded" : "",
                                   file.dirty ? ", dirty" : ""));
    }
  }
  for (const auto& [uid, approval] : world.truth.approvals) {
    lines.push_back(absl::StrCat("approval ", uid, ": spent by ",
                                 approval.consumed_by.empty() ? "nobody" : approval.consumed_by));
  }
  return lines;
}

}  // namespace model

#include "model/scenario_check.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/goals.h"
#include "model/rules.h"
#include "model/scenario.pb.h"
#include "model/text_errors.h"
#include "sim/people.h"
#include "sim/step_names.h"

namespace model {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ParseInfoTree = google::protobuf::TextFormat::ParseInfoTree;

constexpr int kNamespaceBytesMax = 63;

// A message of the file, and where it stands.
class Part {
 public:
  Part(const Message& message, const ParseInfoTree* places, int line)
      : message_(message), places_(places), line_(line) {}

  // The line of a field's value, the `index`-th of a repeated one; the message's own where the
  // field is left out.
  int LineOf(const char* field, int index = -1) const {
    if (places_ == nullptr) return line_;
    const int line = places_->GetLocation(Field(field), index).line;
    return line < 0 ? line_ : line + 1;
  }

  Part Inside(const char* field, const Message& message, int index = -1) const {
    const ParseInfoTree* places =
        places_ == nullptr ? nullptr : places_->GetTreeForNested(Field(field), index);
    return Part(message, places, LineOf(field, index));
  }

 private:
  const FieldDescriptor* Field(const char* name) const {
    return message_.GetDescriptor()->FindFieldByName(name);
  }

  const Message& message_;
  const ParseInfoTree* places_;
  const int line_;
};

// What Kubernetes takes for the name of a namespace.
bool IsNamespace(const std::string& name) {
  if (name.empty() || name.size() > kNamespaceBytesMax) return false;
  if (name.front() == '-' || name.back() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
  });
}

class Validator {
 public:
  Validator(const Scenario& scenario, const ParseInfoTree& places, absl::string_view file)
      : scenario_(scenario), whole_(scenario, &places, 1), file_(file) {}

  absl::Status Check() const {
    for (absl::Status (Validator::*check)() const :
         {&Validator::CheckWords, &Validator::CheckClaimants, &Validator::CheckDatabase,
          &Validator::CheckNumbers, &Validator::CheckFiles, &Validator::CheckPeople,
          &Validator::CheckGoals, &Validator::CheckWhatItIsFor}) {
      if (absl::Status status = (this->*check)(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Expected(int line, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", line, ": expected ", what));
  }

  absl::Status InRange(const Part& part, const char* field, int64_t value, int64_t max) const {
    if (value >= 0 && value <= max) return absl::OkStatus();
    return Expected(part.LineOf(field), absl::StrCat(field, " from 0 to ", max, ", got ", value));
  }

  absl::Status CheckWords() const {
    if (scenario_.family() == Scenario::FAMILY_UNSPECIFIED) {
      return Expected(whole_.LineOf("family"), "family: SCHEMA or MIGRATION");
    }
    const std::string& policy = scenario_.policy();
    if (!policy.empty() && policy != "OnApproval" && policy != "Always" && policy != "Never") {
      return Expected(whole_.LineOf("policy"),
                      absl::StrCat("policy OnApproval, Always or Never, got ", policy));
    }
    const Part realm = whole_.Inside("realm", scenario_.realm());
    const std::string& sharing = scenario_.realm().sharing();
    if (!sharing.empty() && sharing != "Exclusive" && sharing != "Shared") {
      return Expected(realm.LineOf("sharing"),
                      absl::StrCat("sharing Exclusive or Shared, got ", sharing));
    }
    if (FirstNotUtf8(scenario_.about())) return Expected(whole_.LineOf("about"), "UTF-8 text");
    return absl::OkStatus();
  }

  absl::Status CheckClaimants() const {
    constexpr int kOthersMax = 3;
    if (scenario_.others_size() > kOthersMax) {
      return Expected(
          whole_.LineOf("others", kOthersMax),
          absl::StrCat("others from 0 to ", kOthersMax, ", got ", scenario_.others_size()));
    }
    for (int i = 0; i < scenario_.others_size(); ++i) {
      const Scenario::Claimant& other = scenario_.others(i);
      const Part part = whole_.Inside("others", other, i);
      if (other.family() == Scenario::FAMILY_UNSPECIFIED) {
        return Expected(part.LineOf("family"),
                        "family SCHEMA or MIGRATION of every other resource");
      }
      if (!other.namespace_().empty() && !IsNamespace(other.namespace_())) {
        return Expected(part.LineOf("namespace"),
                        "a namespace of at most 63 small letters, digits and inner \"-\"");
      }
    }
    return absl::OkStatus();
  }

  // Statements are a schema's and files a migration's, whichever resource it is that is one.
  absl::Status CheckDatabase() const {
    const GoalFamilies has = Families();
    if (!has.migration && scenario_.files_size() > 0) {
      return Expected(whole_.LineOf("files", 0), "no files: a schema has none");
    }
    if (has.migration && scenario_.files_size() == 0) {
      return Expected(LineOfMigration(), "files of a migration");
    }
    if (!has.schema && scenario_.statements() != 0) {
      return Expected(whole_.LineOf("statements"),
                      "no statements: those of a migration belong to its files");
    }
    return absl::OkStatus();
  }

  absl::Status CheckNumbers() const {
    const Part world = whole_.Inside("world", scenario_.world());
    for (const absl::Status& status :
         {InRange(whole_, "operations", scenario_.operations(), 8),
          InRange(whole_, "statements", scenario_.statements(), 64),
          InRange(whole_, "faults_max", scenario_.faults_max(), 1000),
          InRange(whole_, "states_max", scenario_.states_max(), 100'000'000),
          InRange(whole_, "preemptions", scenario_.preemptions(), 2),
          InRange(world, "rival_rounds", scenario_.world().rival_rounds(), 8)}) {
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status CheckFiles() const {
    int64_t last = 0;
    for (int i = 0; i < scenario_.files_size(); ++i) {
      const Scenario::File& file = scenario_.files(i);
      const Part part = whole_.Inside("files", file, i);
      if (file.version() <= last) {
        return Expected(part.LineOf("version"), "versions that rise from 1");
      }
      last = file.version();
      const int32_t statements = file.statements() == 0 ? 2 : file.statements();
      for (const absl::Status& status : {InRange(part, "statements", file.statements(), 64),
                                         InRange(part, "fails_at", file.fails_at(), statements)}) {
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckPeople() const {
    for (int i = 0; i < scenario_.person_size(); ++i) {
      const Scenario::Act& act = scenario_.person(i);
      const Part part = whole_.Inside("person", act, i);
      if (!sim::IsAct(act.what())) {
        return Expected(part.LineOf("what"),
                        absl::StrCat("something a person does, such as approve or suspend, got \"",
                                     act.what(), "\""));
      }
      if (absl::Status status = InRange(part, "times", act.times(), 16); !status.ok()) {
        return status;
      }
      if (act.resource().empty()) continue;
      if (!sim::IsActUponResource(act.what())) {
        return Expected(part.LineOf("resource"),
                        absl::StrCat("no resource: ", act.what(), " is not done to one"));
      }
      if (!IsResource(act.resource())) {
        return Expected(part.LineOf("resource"),
                        absl::StrCat("a resource of this scenario, \"a\" to \"", LastResource(),
                                     "\", got \"", act.resource(), "\""));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckGoals() const {
    for (int i = 0; i < scenario_.reaches_size(); ++i) {
      const std::string expected = ExpectedGoal(scenario_.reaches(i), Families());
      if (!expected.empty()) return Expected(whole_.LineOf("reaches", i), expected);
    }
    return absl::OkStatus();
  }

  absl::Status CheckWhatItIsFor() const {
    for (int i = 0; i < scenario_.rules_size(); ++i) {
      if (IsOurs(FindIn(Rules(), scenario_.rules(i)))) continue;
      return Expected(whole_.LineOf("rules", i),
                      absl::StrCat("a rule of ", FamilyNames(), ", such as E-4.4, got \"",
                                   scenario_.rules(i), "\""));
    }
    for (int i = 0; i < scenario_.writes_size(); ++i) {
      if (IsOurs(FindIn(Writes(), scenario_.writes(i)))) continue;
      return Expected(whole_.LineOf("writes", i),
                      absl::StrCat("a durable write of ", FamilyNames(), ", such as W-10, got \"",
                                   scenario_.writes(i), "\""));
    }
    return absl::OkStatus();
  }

  // Whether a pass of one of this scenario's families can follow it; false for null.
  bool IsOurs(const Named* one) const {
    const GoalFamilies has = Families();
    return one != nullptr && ((has.schema && one->schema) || (has.migration && one->migration));
  }
  std::string FamilyNames() const {
    const GoalFamilies has = Families();
    return has.schema && has.migration ? "a schema or a migration"
           : has.schema                ? "a schema"
                                       : "a migration";
  }

  GoalFamilies Families() const {
    GoalFamilies has{.schema = scenario_.family() == Scenario::SCHEMA,
                     .migration = scenario_.family() == Scenario::MIGRATION};
    for (const Scenario::Claimant& other : scenario_.others()) {
      has.schema |= other.family() == Scenario::SCHEMA;
      has.migration |= other.family() == Scenario::MIGRATION;
    }
    return has;
  }

  // Where it says that there is a migration.
  int LineOfMigration() const {
    if (scenario_.family() == Scenario::MIGRATION) return whole_.LineOf("family");
    for (int i = 0; i < scenario_.others_size(); ++i) {
      if (scenario_.others(i).family() != Scenario::MIGRATION) continue;
      return whole_.Inside("others", scenario_.others(i), i).LineOf("family");
    }
    return 1;
  }

  // Resources are named a, b, c, ...
  std::string LastResource() const {
    return std::string(1, static_cast<char>('a' + scenario_.others_size()));
  }
  bool IsResource(const std::string& name) const {
    return name.size() == 1 && name >= "a" && name <= LastResource();
  }

  const Scenario& scenario_;
  const Part whole_;
  const absl::string_view file_;
};

}  // namespace

absl::Status CheckScenario(const Scenario& scenario, const ParseInfoTree& places,
                           absl::string_view file) {
  return Validator(scenario, places, file).Check();
}

}  // namespace model

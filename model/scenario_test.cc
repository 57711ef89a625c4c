#include "model/scenario.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/goals.h"
#include "model/scenario.pb.h"
#include "model/text_errors.h"

namespace model {
namespace {

constexpr char kGood[] =
    "about: \"one idea\"\nfamily: MIGRATION\nfiles { version: 1 statements: 2 }\n";

std::string ErrorOf(const std::string& text) {
  const auto scenario = ParseScenario(text, "s.textproto");
  return scenario.ok() ? "" : std::string(scenario.status().message());
}

TEST(ScenarioTest, IsReadFromItsText) {
  const auto scenario = ParseScenario(kGood, "s.textproto");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ((*scenario)->files(0).statements(), 2);
}

TEST(ScenarioTest, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_EQ(ErrorOf(absl::StrCat(kGood, "colour: RED\n")).rfind("s.textproto:4:", 0), 0u);
  EXPECT_EQ(ErrorOf("family: SCHEMA\npolicy: \"Sometimes\"\n"),
            "s.textproto:2: expected policy OnApproval, Always or Never, got Sometimes");
  EXPECT_EQ(
      ErrorOf("family: SCHEMA\nreaches: \"W-12\"\n").rfind("s.textproto:2: expected \"verdict", 0),
      0u);
  EXPECT_EQ(ErrorOf("family: SCHEMA\nperson { what: \"sing\" }\n").rfind("s.textproto:2: ", 0), 0u);
  EXPECT_EQ(ErrorOf("family: SCHEMA\nstatements: 65\n"),
            "s.textproto:2: expected statements from 0 to 64, got 65");
}

// One case: the line of the fault, and a part of what is said about it.
struct Fault {
  const char* text;
  int line;
  const char* expected;
};

TEST(ScenarioTest, ARuleOrAWriteOfNoFamilyOfItsOwnIsNamedWithItsLine) {
  EXPECT_EQ(ErrorOf("family: SCHEMA\nrules: \"B-10\"\nrules: \"D-5.7\"\nwrites: \"W-02\"\n"), "");
  EXPECT_EQ(ErrorOf("family: SCHEMA\nrules: \"B-1\"\nrules: \"P-6\"\n"),
            "s.textproto:3: expected a rule of a schema, such as E-4.4, got \"P-6\"");
  EXPECT_EQ(ErrorOf("family: SCHEMA\nrules: \"W-02\"\n"),
            "s.textproto:2: expected a rule of a schema, such as E-4.4, got \"W-02\"");
  EXPECT_EQ(ErrorOf("family: SCHEMA\nwrites: \"W-59\"\n"),
            "s.textproto:2: expected a durable write of a schema, such as W-10, got \"W-59\"");
  EXPECT_EQ(ErrorOf("family: SCHEMA\nrules: \"C-1\"\n"),
            "s.textproto:2: expected a rule of a schema, such as E-4.4, got \"C-1\"");
  EXPECT_EQ(ErrorOf(absl::StrCat(kGood, "writes: \"W-03\"\n")),
            "s.textproto:4: expected a durable write of a migration, such as W-10, got \"W-03\"");
  EXPECT_EQ(ErrorOf(absl::StrCat(kGood, "others { family: SCHEMA }\nwrites: \"W-03\"\n")), "");
}

TEST(ScenarioTest, EachSaysWhatItIsFor) {
  const auto scenarios = LoadScenarios("scenarios");
  ASSERT_TRUE(scenarios.ok()) << scenarios.status();
  for (const LoadedScenario& loaded : *scenarios) {
    EXPECT_GT(loaded.scenario->rules_size() + loaded.scenario->writes_size(), 0)
        << loaded.path << " names no rule and no write";
  }
}

TEST(ScenarioTest, NamesTheLineOfTheValueAndNotOfAWordLikeIt) {
  const Fault faults[] = {
      {"about: \"statements of a family\"\nfamily: SCHEMA\nstatements: 65\n", 3,
       "statements from 0 to 64, got 65"},
      {"# the policy\nfamily: SCHEMA\npolicy: \"Sometimes\"\n", 3,
       "policy OnApproval, Always or Never"},
      {"family: MIGRATION\nfiles { version: 1 fails_at: 1 }\nfiles {\n version: 2\n fails_at: 3 }",
       5, "fails_at from 0 to 2, got 3"},
      {"family: MIGRATION\nfiles { version: 2 }\nfiles {\n statements: 1\n version: 2 }", 5,
       "versions that rise"},
      {"family: MIGRATION\nfiles { version: 2 }\nfiles {\n statements: 1 }", 3,
       "versions that rise"},
      {"family: SCHEMA\nperson { what: \"approve\" }\nperson { what: \"approve\" times: 17 }", 3,
       "times from 0 to 16"},
      {"family: SCHEMA\nperson { what: \"approve\" }\nperson {\n\n what: \"sing\" }", 5,
       "something a person does"},
      {"family: SCHEMA\nothers { family: SCHEMA }\nothers { later: true }", 3,
       "family SCHEMA or MIGRATION"},
      {"family: SCHEMA\nothers { family: SCHEMA }\nothers {\n family: MIGRATION }", 4,
       "files of a migration"},
      {"family: SCHEMA\nrealm {\n denied: true\n sharing: \"Both\" }", 4,
       "sharing Exclusive or Shared"},
      {"family: SCHEMA\nworld {\n kill_pods: true\n rival_rounds: 9 }", 4,
       "rival_rounds from 0 to 8"},
      {"about: \"no family\"\npolicy: \"Always\"", 1, "family: SCHEMA or MIGRATION"},
      {"family: SCHEMA\nreaches: \"step run\"\nreaches: \"W-99\"", 3, "\"step NAME\""},
  };
  for (const Fault& fault : faults) {
    const std::string error = ErrorOf(fault.text);
    const std::string where = absl::StrCat("s.textproto:", fault.line, ": expected ");
    EXPECT_EQ(error.rfind(where, 0), 0u) << error;
    EXPECT_TRUE(absl::StrContains(error, fault.expected)) << error;
  }
}

TEST(ScenarioTest, RefusesNamesThatNothingHas) {
  const Fault faults[] = {
      {"family: SCHEMA\nreaches: \"phase Nonsense\"", 2, "a phase to reach (Pending, "},
      {"family: SCHEMA\nreaches: \"phase Reading\"", 2, "got \"Reading\""},
      {"family: SCHEMA\nreaches: \"outcome Nonsense\"", 2,
       "an outcome to reach (ApplySucceeded, OutcomeUnknown), got"},
      {"family: SCHEMA\nreaches: \"outcome Partial\"", 2, "an outcome to reach"},
      {"family: SCHEMA\nreaches: \"act Nonsense\"", 2, "something the world does to reach"},
      {"family: SCHEMA\nreaches: \"verdict Nonsense\"", 2, "a verdict to reach (dispatch, "},
      {"family: SCHEMA\nreaches: \"step Nonsense\"", 2, "a step to reach (start, "},
      {"family: SCHEMA\nreaches: \"phase \"", 2, "a phase to reach"},
      {"family: SCHEMA\nperson { what: \"delete\" resource: \"zz\" }", 2,
       "a resource of this scenario, \"a\" to \"a\", got \"zz\""},
      {"family: SCHEMA\nperson { what: \"delete\" resource: \"b\" }", 2, "got \"b\""},
      {"family: SCHEMA\nperson { what: \"delete-job\" resource: \"a\" }", 2,
       "no resource: delete-job is not done to one"},
      {"family: SCHEMA\nothers { family: SCHEMA namespace: \"Bad Name!\" }", 2, "a namespace of"},
      {"family: SCHEMA\nothers { family: SCHEMA namespace: \"-x\" }", 2, "a namespace of"},
  };
  for (const Fault& fault : faults) {
    const std::string error = ErrorOf(fault.text);
    const std::string where = absl::StrCat("s.textproto:", fault.line, ": expected ");
    EXPECT_EQ(error.rfind(where, 0), 0u) << error;
    EXPECT_TRUE(absl::StrContains(error, fault.expected)) << error;
  }
  for (const char* goal : {"phase VerifyingConvergence", "outcome OutcomeUnknown", "act evict",
                           "act retire", "verdict adopt", "step kill", "log lost, summarized"}) {
    EXPECT_EQ(ErrorOf(absl::StrCat("family: SCHEMA\nreaches: \"", goal, "\"")), "") << goal;
  }
  EXPECT_EQ(ErrorOf("family: SCHEMA\nothers { family: SCHEMA namespace: \"b-2\" }\n"
                    "person { what: \"delete\" resource: \"b\" }"),
            "");
}

TEST(ScenarioTest, SaysWhatTheParserExpected) {
  const Fault faults[] = {
      {"family: SCHEMA\ncolour: RED\n", 2, "expected a field of Scenario (about, rules, "},
      {"family: SCHEMA\nworld { colour: 1 }", 2, "expected a field of World (kill_pods, "},
      {"family: PLAN\n", 1, "expected family to be one of SCHEMA, MIGRATION, got \"PLAN\""},
      {"family: SCHEMA\nforeign: LOST\n", 2, "expected foreign to be one of NOTHING, "},
      {"family: SCHEMA\nsuspended: maybe\n", 2, "expected suspended to be true or false, got"},
      {"family: SCHEMA\nfamily: SCHEMA\n", 2, "expected family only once"},
      {"family: SCHEMA\nstatements: many\n", 2, "expected integer"},
      {"family: SCHEMA\nstatements: 99999999999\n", 2,
       "expected text format: Integer out of range"},
      {"family: SCHEMA\nabout: \"open", 2, "expected a closing quote before the end of the file"},
      {"family: SCHEMA\nabout: \"open\n", 2, "expected a closing quote on this line"},
      {"family: SCHEMA\nworld {\n", 3, "expected identifier"},
      {"family: SCHEMA\n\xc2\xbe: 1\n", 2, "expected a field's name in ASCII, got byte 194"},
      {"family: SCHEMA\n\1: 1\n", 2, "expected text, got control characters"},
      {"family: SCHEMA\n# \xff\n", 2, "expected UTF-8 text"},
      {"family: SCHEMA\nabout: \"\xc0\x80\"\n", 2, "expected UTF-8 text"},
      {"family: SCHEMA\nabout: \"\\377\"\n", 2, "expected UTF-8 text"},
  };
  for (const Fault& fault : faults) {
    const std::string error = ErrorOf(fault.text);
    EXPECT_EQ(error.rfind(absl::StrCat("s.textproto:", fault.line, ":"), 0), 0u) << error;
    EXPECT_TRUE(absl::StrContains(error, fault.expected)) << error;
    EXPECT_FALSE(absl::StrContains(error, "\n")) << error;
  }
}

TEST(TextTest, TellsUtf8FromOtherBytes) {
  for (const char* good : {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80",
                           "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(FirstNotUtf8(good), std::nullopt) << good;
  }
  for (const char* bad : {"\x80", "\xc1\xbf", "\xc2", "\xc2x", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(FirstNotUtf8(absl::StrCat("ab\n", bad)), 3u) << bad;
  }
}

TEST(ScenarioTest, RefusesWhatIsNoScenario) {
  EXPECT_NE(ErrorOf(""), "");
  EXPECT_NE(ErrorOf("family: MIGRATION"), "");
  EXPECT_NE(ErrorOf("family: SCHEMA files { version: 1 }"), "");
  EXPECT_NE(ErrorOf(std::string("\0\1\2\xff", 4)), "");
  EXPECT_NE(ErrorOf("family: MIGRATION files { version: 2 } files { version: 2 }"), "");
  EXPECT_NE(ErrorOf("family: MIGRATION files { version: 1 fails_at: 3 }"), "");
  EXPECT_NE(ErrorOf("family: SCHEMA others { family: MIGRATION }"), "") << "without files";
  EXPECT_NE(ErrorOf("family: SCHEMA others { }"), "");
  EXPECT_NE(ErrorOf("family: SCHEMA realm { sharing: \"Sometimes\" }"), "");
}

TEST(ScenarioTest, KnowsEveryActAPersonMayBeGiven) {
  for (const char* act :
       {"approve", "suspend", "resume", "edit-spec", "delete", "move-policy", "grant",
        "restore-without-status", "repoint", "upgrade", "rebuild", "overlap", "delete-policy",
        "restore-policy", "permit", "sign", "drift", "approve-as-another"}) {
    EXPECT_EQ(ErrorOf(absl::StrCat("family: SCHEMA\nperson { what: \"", act, "\" }\n")), "");
  }
  EXPECT_NE(ErrorOf("family: SCHEMA\nperson { what: \"retire\" }\n"), "")
      << "it follows an overlap by itself";
}

TEST(ScenarioTest, AFileThatIsNotThereIsNamed) {
  const auto loaded = LoadScenario("no/such/file.textproto");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().message(),
            "no/such/file.textproto: expected a scenario, and there is no such file");
}

TEST(GlobTest, StarAndQuestionMarkMatchAnything) {
  EXPECT_TRUE(MatchesGlob("schema-always", "schema-*"));
  EXPECT_TRUE(MatchesGlob("schema-always", "*a*a?s"));
  EXPECT_TRUE(MatchesGlob("schema-always", "schema-always"));
  EXPECT_FALSE(MatchesGlob("schema-always", "schema"));
  EXPECT_FALSE(MatchesGlob("schema-always", "migration-*"));
  EXPECT_FALSE(MatchesGlob("", "?"));
  EXPECT_TRUE(MatchesGlob("", "*"));
}

TEST(GoalTest, EveryAskedGoalHasItsOwnNumber) {
  const Goals goals({"step run", "phase InSync", "phase Blocked", "verdict adopt"});
  EXPECT_EQ(goals.asked()[0], goals.OfStep(sim::StepKind::kRun));
  EXPECT_EQ(goals.asked()[3], goals.OfVerdict(Verdict::kAdopt));
  EXPECT_EQ(goals.OfText("phase", "InSync"), goals.asked()[1]);
  EXPECT_NE(goals.asked()[1], goals.asked()[2]);
  EXPECT_FALSE(goals.OfText("phase", "Pending").has_value());
}

// Sets fields of a scenario to values that it may have, by reflection, so that a field that is
// added is set as well. `below(n)` picks one of n values.
class Filler {
 public:
  explicit Filler(std::function<int(int)> below) : below_(std::move(below)) {}

  Scenario Fill() {
    Scenario scenario;
    FillMessage(scenario);
    MakeValid(scenario);
    return scenario;
  }

 private:
  using Message = google::protobuf::Message;
  using FieldDescriptor = google::protobuf::FieldDescriptor;

  void FillMessage(Message& message) {
    const google::protobuf::Descriptor* type = message.GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      for (int times = field->is_repeated() ? below_(3) : 1; times > 0; --times) {
        FillField(message, field);
      }
    }
  }

  void FillField(Message& message, const FieldDescriptor* field) {
    const google::protobuf::Reflection* r = message.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (field->is_repeated()) return FillMessage(*r->AddMessage(&message, field));
        if (below_(2) == 1) FillMessage(*r->MutableMessage(&message, field));
        return;
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->SetBool(&message, field, below_(2) == 1);
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetInt32(&message, field, below_(3));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetInt64(&message, field, below_(3));
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->SetEnumValue(&message, field, below_(field->enum_type()->value_count()));
      case FieldDescriptor::CPPTYPE_STRING:
        if (field->is_repeated()) return r->AddString(&message, field, TextOf(field));
        return r->SetString(&message, field, TextOf(field));
      default:
        ADD_FAILURE() << field->full_name() << " is of a type that this test does not know";
    }
  }

  std::string TextOf(const FieldDescriptor* field) {
    static const std::map<std::string, std::vector<std::string>> kTexts = {
        {"about", {"", "one idea", "\"quoted\\\"\n\t\x01 t\xc3\xa4xt # no comment"}},
        {"policy", {"", "OnApproval", "Always"}},
        {"what", {"approve", "delete-job", "suspend"}},
        {"resource", {"", "a"}},
        {"rules", {"E-6", "D-7 late"}},
        {"writes", {"W-02", "W-12"}},
        {"reaches", {"step run", "verdict adopt", "log lost, summarized", "phase InSync"}},
        {"sharing", {"", "Exclusive", "Shared"}},
        {"namespace", {"", "b-2"}},
    };
    const auto texts = kTexts.find(field->name());
    if (texts == kTexts.end()) {
      ADD_FAILURE() << "say which texts " << field->full_name() << " may hold";
      return "";
    }
    return texts->second[below_(static_cast<int>(texts->second.size()))];
  }

  // What fields have to do with each other.
  static void MakeValid(Scenario& scenario) {
    if (scenario.family() == Scenario::FAMILY_UNSPECIFIED) scenario.set_family(Scenario::SCHEMA);
    bool schema = scenario.family() == Scenario::SCHEMA;
    bool migration = !schema;
    for (int i = 0; i < scenario.others_size(); ++i) {
      Scenario::Claimant* other = scenario.mutable_others(i);
      if (i == 0 || other->family() == Scenario::FAMILY_UNSPECIFIED) {
        other->set_family(Scenario::SCHEMA);
      }
      schema |= other->family() == Scenario::SCHEMA;
      migration |= other->family() == Scenario::MIGRATION;
    }
    if (!schema) scenario.clear_statements();
    if (!migration) scenario.clear_files();
    if (migration && scenario.files_size() == 0) scenario.add_files();
    for (int i = 0; i < scenario.files_size(); ++i) {
      Scenario::File* file = scenario.mutable_files(i);
      file->set_version(i + 1);
      if (file->statements() == 1) file->set_fails_at(std::min(file->fails_at(), 1));
    }
    for (Scenario::Act& act : *scenario.mutable_person()) {
      if (act.what() != "suspend") act.clear_resource();
    }
  }

  std::function<int(int)> below_;
};

// The name of a field that nothing is in, here or further in; empty: all hold something.
std::string EmptyFieldOf(const google::protobuf::Message& message) {
  const google::protobuf::Descriptor* type = message.GetDescriptor();
  const google::protobuf::Reflection* r = message.GetReflection();
  for (int i = 0; i < type->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = type->field(i);
    if (field->is_repeated() ? r->FieldSize(message, field) == 0 : !r->HasField(message, field)) {
      return field->full_name();
    }
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string inside =
        EmptyFieldOf(field->is_repeated() ? r->GetRepeatedMessage(message, field, 0)
                                          : r->GetMessage(message, field));
    if (!inside.empty()) return inside;
  }
  return "";
}

TEST(ScenarioTest, SurvivesARoundTripWithEveryFieldSet) {
  const Scenario scenario = Filler([](int n) { return n - 1; }).Fill();
  EXPECT_EQ(EmptyFieldOf(scenario), "");
  const auto again = ParseScenario(FormatScenario(scenario), "round.textproto");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(**again, scenario))
      << FormatScenario(scenario);
}

RC_GTEST_PROP(ScenarioProperty, SurvivesARoundTrip, ()) {
  Scenario scenario = Filler([](int n) { return *rc::gen::inRange(0, n); }).Fill();
  if (*rc::gen::arbitrary<bool>()) scenario.set_about(*rc::gen::string<std::string>());
  // Text formats are UTF-8: other bytes are not text, and are refused on the way in.
  if (FirstNotUtf8(scenario.about())) {
    for (char& c : *scenario.mutable_about()) c = static_cast<char>(c & 0x7f);
  }
  const auto again = ParseScenario(FormatScenario(scenario), "round.textproto");
  RC_ASSERT(again.ok());
  RC_ASSERT(google::protobuf::util::MessageDifferencer::Equals(**again, scenario));
}

}  // namespace
}  // namespace model

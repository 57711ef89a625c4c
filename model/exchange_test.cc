// The order of the nine steps matters: each exchange of two neighbours makes the checker report the
// property that the boundary between them keeps (spec 05, section 4), and the three exchanges that
// only reorder what precedes the mark stay clean.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/scenario.h"

namespace model {
namespace {

struct Row {
  const char* exchange;
  const char* scenario;
  const char* property;  // Null: stays clean.
  uint32_t faults_max;
};

std::string NameOf(const testing::TestParamInfo<Row>& info) {
  std::string name = absl::StrCat(info.param.scenario, "_", info.param.exchange);
  for (char& c : name) {
    if (c == '-' || c == ',') c = '_';
  }
  return name;
}

class ExchangeTest : public testing::TestWithParam<Row> {};

TEST_P(ExchangeTest, ReportsThePropertyOfItsBoundary) {
  const Row& row = GetParam();
  const auto scenario = LoadScenario(absl::StrCat("scenarios/", row.scenario, ".textproto"));
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  CheckOptions options;
  options.faults_max = row.faults_max;
  const auto current = Check(*scenario, options);
  ASSERT_TRUE(current.ok()) << current.status();
  for (const Violation& violation : current->violations) {
    ADD_FAILURE() << "the current design breaks " << InfoOf(violation.property).name << ": "
                  << violation.text;
  }

  const auto exchanged =
      lifecycle::dispatch::Exchanged(lifecycle::dispatch::CurrentDesign(), row.exchange);
  ASSERT_TRUE(exchanged.ok()) << exchanged.status();
  options.design = *exchanged;
  const auto result = Check(*scenario, options);
  ASSERT_TRUE(result.ok()) << result.status();
  std::string broken;
  for (const Violation& violation : result->violations) {
    absl::StrAppend(&broken, " ", InfoOf(violation.property).name);
  }
  if (row.property == nullptr) {
    EXPECT_EQ(broken, "");
  } else {
    EXPECT_NE(absl::StrCat(broken, " ").find(absl::StrCat(" ", row.property, " ")),
              std::string::npos)
        << "expected " << row.property << ", reported:" << broken;
  }
}

INSTANTIATE_TEST_SUITE_P(Schema, ExchangeTest,
                         testing::Values(Row{"authorize,lease", "schema-rival", "S-51", 2},
                                         Row{"lease,mark", "schema-rival", "S-06", 1},
                                         Row{"stage,mark", "schema-always", "S-06", 1},
                                         Row{"snapshot,mark", "schema-always", "S-06", 1},
                                         Row{"consume,mark", "schema-approved", "S-09", 1},
                                         Row{"mark,create", "schema-always", "S-49", 1},
                                         Row{"create,confirm", "schema-always", "L-15", 0},
                                         Row{"confirm,record", "schema-always", "S-13", 1},
                                         Row{"lease,stage", "schema-always", nullptr, 2},
                                         Row{"stage,snapshot", "schema-always", nullptr, 2},
                                         Row{"snapshot,consume", "schema-approved", nullptr, 2}),
                         NameOf);

INSTANTIATE_TEST_SUITE_P(Migration, ExchangeTest,
                         testing::Values(Row{"authorize,lease", "migration-rival", "S-51", 2},
                                         Row{"lease,mark", "migration-rival", "S-06", 1},
                                         Row{"snapshot,mark", "migration-always", "S-06", 1},
                                         Row{"consume,mark", "migration-approved", "S-09", 1},
                                         Row{"mark,create", "migration-always", "S-49", 1},
                                         Row{"create,confirm", "migration-always", "L-15", 0},
                                         Row{"confirm,record", "migration-always", "S-13", 1},
                                         Row{"lease,stage", "migration-always", nullptr, 2},
                                         Row{"stage,snapshot", "migration-always", nullptr, 2},
                                         Row{"snapshot,consume", "migration-approved", nullptr, 2}),
                         NameOf);

}  // namespace
}  // namespace model

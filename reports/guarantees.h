// The guarantees as a table: what is promised, where this tree enforces it, which durable state
// carries it, what happens when it cannot hold, and what proved it in this run.
//
// The proof is of two kinds. A property proves a promise in every scenario in which its premise
// held and nothing broke it. A test of this tree stands for each proof that the guarantees page
// names; the command looks whether it is there.
//
// Answers: the guarantees page; spec 05, 5.

#ifndef REPORTS_GUARANTEES_H_
#define REPORTS_GUARANTEES_H_

#include <string>
#include <vector>

#include "reports/report.pb.h"
#include "reports/tests.h"

namespace reports {

// A test of this tree, and the proof of the page's that it stands for.
struct NamedTest {
  const char* page;   // "TestMigrationApplyClaimsTheApprovedPlan"; empty: none of the page's.
  const char* suite;  // "MigrationApplyTest"
  const char* name;
  const char* file;  // From the root.
};

// One promise as one family keeps it.
struct Guarantee {
  int number = 0;  // Of the promise, 1 to 7.
  const char* promise = "";
  const char* family = "";  // "schema" or "migration"
  const char* enforced = "";
  const char* state = "";
  const char* failure = "";
  std::vector<const char*> properties;
  std::vector<NamedTest> tests;
};

const std::vector<Guarantee>& Guarantees();

struct GuaranteesReport {
  std::string table;                  // Markdown.
  std::vector<std::string> problems;  // What is not proved, one line each.
};

GuaranteesReport GuaranteesOf(const GateReport& report, const ReadSource& read);

}  // namespace reports

#endif  // REPORTS_GUARANTEES_H_

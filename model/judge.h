// The judge: holds every write, every pass and every state to the properties (properties.h).
//
// It sees what was sent and what was stored, the world around it and the truth; it never sees what
// the code says of itself. Verdicts are judged in verdict.h; what stands here are the properties of
// the specification, each in a function of its name.
//
// Answers: spec 05; spec 07.

#ifndef MODEL_JUDGE_H_
#define MODEL_JUDGE_H_

#include <functional>
#include <string>

#include "model/findings.h"
#include "model/objects.h"
#include "model/pass.h"
#include "model/verdict.h"
#include "sim/actors.h"

namespace model {

class Comparer;
struct PassScene;

// Judges the writes of one pass as they are sent. One object per run of a pass.
class PassJudge final : public PassObserver {
 public:
  // Both outlive the judge. `comparer` may be null: nothing is compared.
  explicit PassJudge(Findings& findings, Comparer* comparer = nullptr)
      : findings_(findings), comparer_(comparer) {}

  void Sent(const SentWrite& write, const PassTrace& trace) override;
  void Ended(const lifecycle::api::PassResult& result, const PassTrace& trace,
             const sim::World& end) override;

  // Everything the pass concluded.
  VerdictSet verdicts() const { return verdicts_; }
  // The last writes of it, for the table: what followed what.
  WriteSet writes() const { return writes_; }
  bool stored_anything() const { return !writes_.empty(); }

  // Told of each verdict and of each write that was stored, with the one stored before it.
  std::function<void(Verdict)> on_verdict;
  std::function<void(WriteSet writes, WriteSet previous)> on_write;
  // Told when a claim was written that only an old cache allowed.
  std::function<void()> on_old_census;

 private:
  // What is asked of a pass that read a cache, or whose read of its Job fails.
  void JudgeReads(const PassScene& scene);
  void Verdicts(const SentWrite& write, const PassTrace& trace);

  Findings& findings_;
  Comparer* const comparer_;
  VerdictSet verdicts_;
  WriteSet writes_;
};

// Judges a step of the world in which Pods start (judge_pods.cc).
void JudgePods(const sim::World& before, const sim::World& after, Findings& findings);

// Judges a state by itself.
void JudgeState(const sim::World& world, Findings& findings);

// Returns the property under which a state that recovery never leaves is reported.
Property RecoveryPropertyOf(const sim::World& world);

// Whether an account is open: a mutating claim, a proof, an unresolved run, an owed release, or
// what a rotation or a deletion still has to do.
bool AccountOpen(const sim::World& world);
// Whether nothing is left to do before a person acts, and every resource shows why: it is
// suspended, asks for an approval that nobody has given and admission would take, is forbidden to
// run its plan, or stands refused by its realm (L-08, L-14).
bool WaitsForPeople(const sim::World& world, const sim::Actors& actors);

// Whether the run of a scenario has ended: the claim after the last one to be followed is stored.
bool HasEnded(const sim::World& world, int operations, bool readings);

}  // namespace model

#endif  // MODEL_JUDGE_H_

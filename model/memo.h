// Passes that were run once: a decision tree of what the code asked and what it was answered.
//
// A pass is a function of its key (which controller, configuration and resource, what the process
// remembers) and of the answers it gets. So a world that answers as an earlier one did need not be
// shown to the code again: its answers lead through the tree to how that pass ended. Writes are
// submitted to the world at hand like any other question, admission included, and what it says
// chooses the branch; fates, cuts and judges see the same calls either way.
//
// What holds it to being exact: answers are compared whole; code that asks another question after
// the same answers ends the program; and a sample of the passes found here is run on real code and
// compared.
//
// Answers: design.md, "Memo".

#ifndef MODEL_MEMO_H_
#define MODEL_MEMO_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lifecycle/api/configuration.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/reconcile.h"
#include "sim/cow.h"

namespace model {

// How a pass ended, and what the process remembers then.
struct PassEnd {
  lifecycle::api::PassResult result;
  sim::Cow<lifecycle::api::Memory> memory;
};

// Whether two answers cannot be told apart. Objects are equal when they are the same object, which
// is what interned objects are.
bool SameAnswer(const lifecycle::api::Answer& a, const lifecycle::api::Answer& b);
// Whether two questions ask the same, wherever in the code they stand.
bool SameQuestion(const lifecycle::api::Question& a, const lifecycle::api::Question& b);

class PassMemo {
 public:
  // Real code: runs one pass behind the door it is given, from the memory it is given.
  using Code = std::function<lifecycle::api::PassResult(lifecycle::api::Door& door,
                                                        lifecycle::api::Memory& memory)>;

  PassMemo();
  ~PassMemo();
  PassMemo(const PassMemo&) = delete;
  PassMemo& operator=(const PassMemo&) = delete;

  // Everything that a pass depends on besides the answers. The design and the intervals are the
  // runner's and never change.
  struct Key {
    const lifecycle::api::Key& resource;
    const lifecycle::api::Configuration& configuration;
    const sim::Cow<lifecycle::api::Memory>& memory;
  };

  // Carries out one pass behind `door`, and returns how it ends. The code is run when the memo does
  // not know how; it is then answered from the calls made so far and goes on behind `door`.
  PassEnd Run(const Key& key, lifecycle::api::Door& door, const Code& code);

  // Passes carried out, and those among them for which the code was run (the sample not counted).
  uint64_t passes() const { return passes_; }
  uint64_t executed() const { return executed_; }

 private:
  struct Node;
  struct Edge;
  struct Roots;
  class Recorder;
  class Rerun;

  Node& RootOf(const Key& key);
  void CheckSample(const Key& key, const std::vector<const Edge*>& way, const Node& end,
                   const Code& code) const;

  std::unique_ptr<Roots> roots_;
  uint64_t passes_ = 0;
  uint64_t executed_ = 0;
};

}  // namespace model

#endif  // MODEL_MEMO_H_

// Where judges put what they find: the engine's Run or Visit, under the properties' own names.

#ifndef MODEL_FINDINGS_H_
#define MODEL_FINDINGS_H_

#include "model/engine/run.h"
#include "model/properties.h"

namespace model {

class Findings {
 public:
  explicit Findings(Run& run) : run_(&run) {}
  explicit Findings(Visit& visit) : visit_(&visit) {}

  void Violate(Property property, TextFn text) {
    const uint32_t number = static_cast<uint32_t>(property);
    if (run_ != nullptr) {
      run_->Violate(number, text);
    } else {
      visit_->Violate(number, text);
    }
  }
  void Premise(Property property) {
    const uint32_t number = static_cast<uint32_t>(property);
    if (run_ != nullptr) {
      run_->Premise(number);
    } else {
      visit_->Premise(number);
    }
  }
  // The premise held; and `holds` or it is violated.
  void Expect(Property property, bool holds, TextFn text) {
    Premise(property);
    if (!holds) Violate(property, text);
  }
  void Reach(uint32_t goal) {
    if (run_ != nullptr) {
      run_->Reach(goal);
    } else {
      visit_->Reach(goal);
    }
  }
  // Faults from the initial state to here.
  uint32_t faults() const { return run_ != nullptr ? run_->faults() : visit_->faults(); }

 private:
  Run* run_ = nullptr;
  Visit* visit_ = nullptr;
};

}  // namespace model

#endif  // MODEL_FINDINGS_H_

#include "model/engine/run.h"

#include <utility>

namespace model {

void Run::Start(const RunStart& start) {
  points_.clear();
  picks_ = start.picks;
  next_pick_ = 0;
  faults_ = start.faults;
  cuts_ = 0;
  fresh_from_ = start.fresh_from;
  describing_ = start.describing;
  wrote_ = false;
  stopped_ = false;
  described_.clear();
  notes_.clear();
}

uint32_t Run::Choose(uint32_t options, uint32_t faults,
                     absl::FunctionRef<ChoiceText(uint32_t picked)> text) {
  if (options < 2) return 0;
  const uint32_t point = static_cast<uint32_t>(points_.size());
  const uint64_t content = (uint64_t{options} << 32 | faults) + 1;
  points_.push_back({options, faults, (TrailOf(point) ^ content) * 0x9e3779b97f4a7c15u});
  if (next_pick_ == picks_.size() || picks_[next_pick_].point != point) return 0;
  const uint32_t picked = picks_[next_pick_].option;
  if (picked >= options) return 0;  // Left over: whoever started the run finds too few picks made.
  ++next_pick_;
  faults_ += faults;
  if (describing_ && !stopped_) {
    ChoiceText words = text(picked);
    described_.push_back(
        {point, std::move(words.label), picked, options, std::move(words.meaning)});
  }
  return picked;
}

void Run::Violate(uint32_t property, TextFn text) {
  if (Fresh()) recorder_.Violation(property, faults_, text);
}

void Run::Premise(uint32_t property) {
  if (Fresh()) recorder_.Premise(property);
}

void Run::Reach(uint32_t goal) {
  if (Fresh()) recorder_.Goal(goal, faults_);
}

void Run::Note(TextFn text) {
  if (describing_ && !stopped_) notes_.push_back(text());
}

}  // namespace model

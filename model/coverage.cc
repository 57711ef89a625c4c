#include "model/coverage.h"

namespace model {

absl::string_view FamilyName(sim::Family family) {
  return family == sim::Family::kSchema ? "schema" : "migration";
}

sim::Family FamilyOf(const lifecycle::api::Key& resource) {
  return resource.kind == lifecycle::api::Kind::kPtahSchema ? sim::Family::kSchema
                                                            : sim::Family::kMigration;
}

void Coverage::Follow(sim::Family family, absl::string_view rule) {
  Rules& rules = rules_[static_cast<size_t>(family)];
  const auto [place, fresh] = rules.places.try_emplace(rule, rules.counts.size());
  if (fresh) rules.counts.emplace_back(rule, 0);
  ++rules.counts[place->second].second;
}

void Coverage::Store(sim::Family family, const SentWrite& write) {
  for (int number = 1; number <= kWriteCount; ++number) {
    if (write.writes.Has(number)) ++writes_[{family, number}];
  }
  for (const RecordWrite& record : RecordsWritten(family, write.before, write.after)) {
    ++records_[record];
  }
}

RuleCounts Coverage::rules() const {
  RuleCounts counts;
  for (const sim::Family family : {sim::Family::kSchema, sim::Family::kMigration}) {
    for (const auto& [rule, times] : rules_[static_cast<size_t>(family)].counts) {
      counts[{family, std::string(rule)}] += times;
    }
  }
  return counts;
}

void CountingObserver::Followed(absl::string_view rule, const PassTrace& trace) {
  if (run_.Fresh()) coverage_.Follow(FamilyOf(trace.resource), rule);
  next_.Followed(rule, trace);
}

void CountingObserver::Sent(const SentWrite& write, const PassTrace& trace) {
  if (write.stored && run_.Fresh()) coverage_.Store(FamilyOf(trace.resource), write);
  next_.Sent(write, trace);
}

void CountingObserver::Ended(const lifecycle::api::PassResult& result, const PassTrace& trace,
                             const sim::World& end) {
  next_.Ended(result, trace, end);
}

}  // namespace model

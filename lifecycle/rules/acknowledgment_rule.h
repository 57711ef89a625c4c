// What a person's acknowledgment of an unresolved run is worth.
//
// Asked between operations and not under suspension, of each acknowledgment of this migration's UID
// that is neither deleting nor judged, oldest first. The first candidate settles; the rest wait a
// pass. "Judged" is Consumed or Stale, and final.
//
// Answers: spec 03, 21; P-5.

#ifndef LIFECYCLE_RULES_ACKNOWLEDGMENT_RULE_H_
#define LIFECYCLE_RULES_ACKNOWLEDGMENT_RULE_H_

namespace lifecycle::rules {

struct AcknowledgmentFacts {
  bool unresolved_run = false;
  bool stamped = false;                // acknowledgedBy, acknowledgedAt and the request's UID.
  bool names_operation = false;        // unresolvedRun.operationID
  bool resolved_run_names_it = false;  // resolvedRun.acknowledgmentRef
};

enum class AcknowledgmentAction { kCandidate, kMarkConsumed, kMarkStale };

constexpr AcknowledgmentAction JudgeAcknowledgment(const AcknowledgmentFacts& facts) {
  if (facts.unresolved_run && facts.stamped && facts.names_operation) {
    return AcknowledgmentAction::kCandidate;
  }
  return facts.resolved_run_names_it ? AcknowledgmentAction::kMarkConsumed
                                     : AcknowledgmentAction::kMarkStale;
}

// The candidate as a direct re-read found it.
struct CandidateFacts {
  bool gone = false;
  bool uid_equal = false;
  bool spec_equal = false;
  bool deleting = false;
  bool judged = false;
};

// False: nothing this pass.
constexpr bool CandidateSettles(const CandidateFacts& facts) {
  return !facts.gone && facts.uid_equal && facts.spec_equal && !facts.deleting && !facts.judged;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_ACKNOWLEDGMENT_RULE_H_

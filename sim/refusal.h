// Why a mutating run starts no child.
//
// Answers: spec 02, U-1, U-2 and U-4.

#ifndef SIM_REFUSAL_H_
#define SIM_REFUSAL_H_

#include "sim/runner.h"

namespace sim {

// Why a mutating child that has not started will not change anything.
enum class Refusal {
  kNone,
  kIncomplete,      // Something it needs to be told is missing (U-1).
  kTooLate,         // dispatchNotAfter is past (U-2).
  kNoDatabase,      // There is nothing to open.
  kWrongPlan,       // The mounted plan is not the one it was told.
  kNothingPending,  // Migration: everything is recorded already.
  kMoved,           // Migration: the history moved after the approval (U-4).
  kDirty,           // Migration: somebody has to look at the revision table first.
  kLocked,          // Migration: the Job's other Pod holds the database's migration lock.
};
// Returns why, for a mutating run whose child has not started; kNone: it will.
Refusal RefusalOf(const RunView& view);

}  // namespace sim

#endif  // SIM_REFUSAL_H_

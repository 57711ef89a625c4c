// A claim whose realm changed hands under it: no result of it may be read any more.
//
// Answers: spec 02, F-9; S-11.

#ifndef LIFECYCLE_SCHEMA_CONTINUITY_H_
#define LIFECYCLE_SCHEMA_CONTINUITY_H_

#include "lifecycle/schema/claim_work.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// F-9. The claim holds the realm and its continuity latch is set. Always ends the pass.
PassResult SettleLostContinuity(Pass& pass, ClaimWork& work);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_CONTINUITY_H_

// A pass over a schema with a claim: dispatch it, hold its Job to it, supervise, harvest.
//
// Answers: spec 02, B-20, F-1 to F-6, F-9.

#ifndef LIFECYCLE_SCHEMA_ACTIVE_H_
#define LIFECYCLE_SCHEMA_ACTIVE_H_

#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// B-20. Always ends the pass. `pass` has a claim.
PassResult WorkOnClaim(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_ACTIVE_H_

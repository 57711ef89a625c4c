// A schema that is being deleted: what is open ends in a record, the record waits for the executor,
// and only then does the finalizer go.
//
// Answers: spec 02, B-4, N-1; W-19, W-56, W-57, W-30; S-15, S-23.

#ifndef LIFECYCLE_SCHEMA_DELETION_H_
#define LIFECYCLE_SCHEMA_DELETION_H_

#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// N-1. Always ends the pass. The schema has a deletion timestamp and owes no release.
PassResult WorkOnDeletion(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_DELETION_H_

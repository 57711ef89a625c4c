// What a durable write has to store together.
//
// An entry of spec 04 names its fields, and most of the order of the lifecycle rests on their being
// one write: a stop between two halves of it is a window that no table of stops shows. The registry
// (writes.h) tells which entry a change is by what makes it that entry; this file says what else
// has to stand in the same write.
//
// Answers: spec 04, the fields of each entry; spec 03, 16.2.

#ifndef MODEL_WHOLE_WRITES_H_
#define MODEL_WHOLE_WRITES_H_

#include <string>

#include "model/writes.h"
#include "sim/interner.h"

namespace model {

// Returns what the change from `before` to `after` lacks of the entries it was taken for, such as
// "W-32 without outcome OutcomeUnknown"; empty when it is whole.
std::string LackOf(WriteSet writes, sim::Handle before, sim::Handle after);

}  // namespace model

#endif  // MODEL_WHOLE_WRITES_H_

// What every part of a pass is handed: the door, this process's memory, and what it was started
// with.
//
// A Reconciler builds one per process and passes it on by reference. Nothing in it belongs to a
// resource, so everything a pass learns about one travels as an argument.
//
// Answers: design.md, "lifecycle/: real code".

#ifndef LIFECYCLE_DISPATCH_CONTEXT_H_
#define LIFECYCLE_DISPATCH_CONTEXT_H_

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/design.h"

namespace lifecycle::dispatch {

// Nothing is owned; everything outlives the pass.
struct Context {
  api::Client& client;
  api::Memory& memory;
  const api::Configuration& configuration;
  const api::Timing& timing;
  const Design& design;
};

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_CONTEXT_H_

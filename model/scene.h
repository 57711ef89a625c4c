// What a property of a write, or of a whole pass, is asked with.
//
// Private to the judges: the write and the resource around it before and after, the truth of its
// operation, and small readings of what a run left behind. Everything here is read off objects, the
// world and the truth.

#ifndef MODEL_SCENE_H_
#define MODEL_SCENE_H_

#include <optional>
#include <string>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/reconcile.h"
#include "model/objects.h"
#include "model/pass.h"
#include "sim/world.h"

namespace model {

struct Scene {
  const SentWrite& write;
  const PassTrace& trace;
  const sim::World& world;  // Just before the write.
  const sim::World& after_world;
  ResourceView before;  // Of the resource the write changes; no key: another kind of object.
  ResourceView after;
  const sim::OperationTruth* operation = nullptr;  // Of the claim before the write.

  // Null when the truth knows no operation of that id.
  const sim::OperationTruth* OperationOf(const std::string& id) const;
  // The resource the pass is about, as stored before the write.
  ResourceView Resource() const;
  std::string Name() const;
  // The process that sends the write.
  const sim::Process& process() const { return trace.start->processes[trace.id.process]; }
};

// A pass that has ended, and its resource before and after it; no key: it is gone.
struct PassScene {
  const lifecycle::api::PassResult& result;
  const PassTrace& trace;
  const sim::World& end;
  ResourceView start;
  ResourceView now;

  const sim::World& begin() const { return *trace.start; }
  std::string Name() const;
  const sim::Process& process() const { return trace.start->processes[trace.id.process]; }
};

// Whether the write takes an Apply's claim away.
bool RetiresApply(const Scene& scene);
// The outcome recorded by the write that retires an Apply: empty when it records none.
std::string OutcomeOf(const Scene& scene);
bool IsDoubt(const std::string& outcome);
// A write that records what a run did, other than "unknown".
bool IsAccount(const Scene& scene);
// A write that marks an Apply's claim as dispatched.
bool IsMark(const Scene& scene);
bool IsJobCreate(const lifecycle::api::Request& request);

// The operation that reserved the Job name in any attempt, or null.
const sim::OperationTruth* OperationOfJob(const sim::World& world, const std::string& name);
// The stored Pods that this Job controls.
std::vector<const lifecycle::api::Pod*> PodsOf(const sim::World& world, const std::string& job_uid);
// Whether a Pod has ended.
bool HasStopped(const lifecycle::api::Pod& pod);

// The valid frame that the one Pod of the operation left in its log, whoever reads it.
std::optional<lifecycle::api::FramePayload> FrameOf(const sim::World& world,
                                                    const sim::OperationTruth* operation);
// The valid termination summary of the one Pod of a migration's Apply.
std::optional<lifecycle::api::TerminationSummary> SummaryOf(const sim::World& world,
                                                            const sim::OperationTruth* operation);
// The run's report, from the truth: the outcome that a frame of it says.
std::string ReportOf(const sim::OperationTruth& operation);

// Whether the components a process runs work with are those of the binding.
bool SameComponents(const lifecycle::api::ExecutionBinding& binding,
                    const lifecycle::api::Configuration& configuration);
// Whether a manager with this configuration builds another Job for a claim than the one, of some
// release, that the Job says made it.
bool BuildsAnother(const lifecycle::api::Configuration& configuration,
                   const lifecycle::api::Job& job);
// The execution binding in force of a resource.
const lifecycle::api::ExecutionBinding& BindingOf(const ResourceView& view);
// The part of the spec both families have.
const lifecycle::api::TargetSpec& TargetOf(const ResourceView& view);
bool IsSuspended(const ResourceView& view);
bool IsDeleting(const ResourceView& view);
int64_t ObservedGenerationOf(const ResourceView& view);
// The deadline in status; 0 for none.
int64_t NextTimeOf(const ResourceView& view);

}  // namespace model

#endif  // MODEL_SCENE_H_

// What somebody who has no part in an operation does to its Job and its Pods: take the name, put
// another Job in its place, take it from its owner, write on it or on a Pod, or slip a Pod in.
//
// A cluster lets whoever has the rights do so. The Pod template of a Job never changes, and of Jobs
// the operator's webhook judges only what the manager writes; owner references, labels and
// annotations are anybody's. It judges every Pod that is created, so one that is slipped in comes
// past admission, as from a backup. Each act is a disturbance, is offered for Jobs whose name a
// claim reserves, and leaves the truth of what the manager did as it was.
//
// Answers: spec 02, E-7, E-8, F-1, F-4, G-3, I-3; spec 03, 3.

#ifndef SIM_MEDDLING_H_
#define SIM_MEDDLING_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "sim/actor.h"

namespace sim {

namespace act {
// A Job that nobody runs, and that no resource owns, takes the name before the claim's own does.
inline constexpr char kSquatJob[] = "squat-job";
// The claim's Job is deleted and made anew, as a replacement by force does: the same in all that a
// client sets, under another UID. Only once the claim records a UID: before that nobody, the
// operator included, can tell the copy from the Job it made.
inline constexpr char kReplaceJob[] = "replace-job";
// The claim's Job loses its owner reference.
inline constexpr char kDisownJob[] = "disown-job";
// The claim's Job gets an annotation that it was not made with.
inline constexpr char kAnnotateJob[] = "annotate-job";
// A Pod of the claim's Job loses the annotation that says which envelope it was admitted under.
inline constexpr char kStripPod[] = "strip-pod";
// A Pod of another making is given to the claim's Job: with its labels and its owner reference, but
// not of its template, and it never starts. The Job controller counts it as the Job's.
inline constexpr char kPlantPod[] = "plant-pod";
}  // namespace act

bool IsMeddling(absl::string_view what);

// Offers and takes kPerson of these acts. The target is the Job, or the Pod.
void OfferMeddling(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeMeddling(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_MEDDLING_H_

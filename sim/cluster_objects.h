// What a cluster's administrator does to what shapes the operator's Pods: the service account that
// a resource names, the class its Pods run in, the limit ranges of its namespace, and the class
// that ranks every Pod that names none.
//
// Whoever needs one of them and finds it gone waits for it to come back; so bringing it back is
// help, and costs nothing. What comes back is another object of the same name. The account named
// "default" is not among them: a cluster brings it back by itself.
//
// Answers: spec 01, 12.1; spec 02, E-4.3.

#ifndef SIM_CLUSTER_OBJECTS_H_
#define SIM_CLUSTER_OBJECTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "sim/actor.h"

namespace sim {

namespace act {
// The account goes, or comes back.
inline constexpr char kDeleteAccount[] = "delete-service-account";
inline constexpr char kRestoreAccount[] = "restore-service-account";
// It is deleted and made anew at once.
inline constexpr char kReplaceAccount[] = "replace-service-account";
// Somebody writes on it: it has another version, and is the same otherwise.
inline constexpr char kAnnotateAccount[] = "annotate-service-account";
// The class goes, or comes back.
inline constexpr char kDeleteRuntime[] = "delete-runtime-class";
inline constexpr char kRestoreRuntime[] = "restore-runtime-class";
// A limit range comes into a resource's namespace. It limits volumes, so that it asks nothing of a
// Pod; a snapshot binds it all the same.
inline constexpr char kAddLimitRange[] = "add-limit-range";
// A class becomes that of every Pod that names none.
inline constexpr char kAddDefaultPriority[] = "add-default-priority-class";
}  // namespace act

// What every runtime class of a world runs Pods with.
inline constexpr char kRuntimeHandler[] = "runsc";

bool IsClusterAct(absl::string_view what);

// Offers and takes kPerson of these acts. The target is the account, the class or the limit range.
void OfferClusterActs(const World& world, std::vector<WorldStep>& steps);
void TakeClusterAct(const ApiServer& server, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_CLUSTER_OBJECTS_H_

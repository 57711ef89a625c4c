// What a cluster adds to a test's store by itself.

#ifndef LIFECYCLE_TESTING_CLUSTER_SAMPLES_H_
#define LIFECYCLE_TESTING_CLUSTER_SAMPLES_H_

#include <string>

#include "lifecycle/api/core.pb.h"

namespace lifecycle::testing {

// Returns the one account that every namespace has.
api::ServiceAccount DefaultAccount(const std::string& namespace_);

// Returns a Pod of the Job, under this name, as the plugins of a server let it through. Its UID is
// the name and "-uid".
api::Pod PodOf(const api::Job& job, const std::string& name);

}  // namespace lifecycle::testing

#endif  // LIFECYCLE_TESTING_CLUSTER_SAMPLES_H_

// What one manager process was started with: which components it runs work with, and who it is.
//
// The components are the execution binding; the manager identity binds nothing (spec 01, 1.3).

#ifndef LIFECYCLE_API_CONFIGURATION_H_
#define LIFECYCLE_API_CONFIGURATION_H_

#include <cstdint>
#include <string>

namespace lifecycle::api {

struct Configuration {
  // The execution binding's components.
  int64_t controller_state_version = 1;
  std::string ptah_version = "1.0.0";
  std::string executor_image;
  int64_t runner_protocol_version = 1;
  // The manager's own identity.
  std::string controller_image;
  std::string controller_revision;
  std::string runner_image;
  // Which operation Job this release builds for a claim. It is neither a component nor identity: a
  // release may change it alone, and then confirms no Job that its predecessor built (F-4, S-41).
  int64_t builder_revision = 1;
  // The namespace that holds every realm's Lease.
  std::string coordination_namespace = "ptah-system";
  // The user name under which the manager writes, as admission sees it.
  std::string user = "system:serviceaccount:ptah-system:ptah-operator";

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

// Returns a complete configuration with pinned images, the one scenarios start from.
Configuration DefaultConfiguration();

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_CONFIGURATION_H_

// The operator as it is while releases come and go: which of them may start, and its webhook, where
// each write is judged by a webhook of the release whose manager made it.
//
// A webhook rebuilds what a manager may write from its own configuration, so one of another release
// would refuse it. Objects that say which manager made them are judged by that release; all others,
// and those that name a manager nobody has, by the first.
//
// Answers: R-1; spec 01, 12.2 ("the plan records *this* manager").

#ifndef MODEL_RELEASES_H_
#define MODEL_RELEASES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lifecycle/admission/operator_admission.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/configuration.h"

namespace model {

// R-1, before a release starts and before the CRDs are changed for it: OK when it knows every
// version of state that is stored.
absl::Status MayStart(const lifecycle::api::Configuration& release,
                      const lifecycle::api::DirectReader& reader);

class ReleaseAdmission final : public lifecycle::api::Admission {
 public:
  // `releases` holds at least one configuration.
  explicit ReleaseAdmission(const std::vector<lifecycle::api::Configuration>& releases);

  lifecycle::api::AdmissionAnswer Review(const lifecycle::api::AdmissionRequest& request,
                                         const lifecycle::api::DirectReader& reader) const override;

 private:
  struct Release {
    std::string controller_image;
    lifecycle::admission::OperatorAdmission webhook;
  };
  std::vector<Release> releases_;
};

}  // namespace model

#endif  // MODEL_RELEASES_H_

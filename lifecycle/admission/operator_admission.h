// The operator's own webhook: it judges every write of the manager that could start or end work,
// every Pod of that work, and every decision of a person, by direct reads, and fails closed.
//
// It asks the same matcher as the controller whether a Job is the one a claim built, so it refuses
// a Job the controller would not recognize, and the controller never touches one it would refuse.
//
// Answers: spec 01, 5.3, 7, 12.2, 12.3; S-44, S-53.

#ifndef LIFECYCLE_ADMISSION_OPERATOR_ADMISSION_H_
#define LIFECYCLE_ADMISSION_OPERATOR_ADMISSION_H_

#include <utility>

#include "lifecycle/api/admission.h"
#include "lifecycle/api/configuration.h"

namespace lifecycle::admission {

class OperatorAdmission final : public api::Admission {
 public:
  explicit OperatorAdmission(api::Configuration configuration)
      : configuration_(std::move(configuration)) {}

  api::AdmissionAnswer Review(const api::AdmissionRequest& request,
                              const api::DirectReader& reader) const override;

 private:
  api::Configuration configuration_;
};

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_OPERATOR_ADMISSION_H_

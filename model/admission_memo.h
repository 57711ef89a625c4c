// A webhook whose answers are remembered: it is asked once about one write and what it reads.
//
// A webhook's answer is a function of the request and of its direct reads, so an answer given
// before holds whenever it would read the same again. Reads are compared whole.
//
// Answers: design.md, "Memo".

#ifndef MODEL_ADMISSION_MEMO_H_
#define MODEL_ADMISSION_MEMO_H_

#include <cstdint>
#include <memory>

#include "lifecycle/api/admission.h"

namespace model {

class AdmissionMemo final : public lifecycle::api::Admission {
 public:
  // `webhook` outlives it.
  explicit AdmissionMemo(const lifecycle::api::Admission& webhook);
  ~AdmissionMemo() override;

  lifecycle::api::AdmissionAnswer Review(const lifecycle::api::AdmissionRequest& request,
                                         const lifecycle::api::DirectReader& reader) const override;

  // How often the webhook itself was asked.
  uint64_t asked() const;

 private:
  struct State;
  const lifecycle::api::Admission& webhook_;
  // What is remembered changes; what is answered does not.
  const std::unique_ptr<State> state_;
};

}  // namespace model

#endif  // MODEL_ADMISSION_MEMO_H_

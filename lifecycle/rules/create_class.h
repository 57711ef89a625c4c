// What a failed create means.
//
// A Job is created exactly once per claim, so the answer of that one create decides whether the
// claim may go on. The default is Ambiguous: an answer counts as a refusal only when the request is
// known to have ended before the storage write.
//
// Answers: spec 03, 4.1; spec 06, E-2 (a fail-closed webhook is recognised by its message, not by
// its 500) and E-3 (429 is shedding when every attempt of the call was answered so).

#ifndef LIFECYCLE_RULES_CREATE_CLASS_H_
#define LIFECYCLE_RULES_CREATE_CLASS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lifecycle::rules {

enum class CreateClass {
  kStored,
  kRefusedBeforeStoring,  // Nothing can stand under the name because of this request.
  kAlreadyExists,         // Something holds the name.
  kAmbiguous,             // The write may have happened.
};

// The last answer to one create call.
struct CreateAnswer {
  // False when no answer came: client timeout, connection lost, context cancelled after sending.
  bool answered = true;
  // True when the client repeated the request within this call and an earlier attempt had no
  // answer: that attempt may have been stored, whatever the last answer says.
  bool earlier_attempt_unanswered = false;
  int code = 0;  // HTTP status.
  absl::string_view reason = "";
  absl::string_view message = "";
};

CreateClass ClassifyCreate(const CreateAnswer& answer);

// The same for what a create of the door returned. A status that carries no answer of the API
// server is Ambiguous. The door sends each create once.
CreateClass ClassifyCreate(const absl::Status& status);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_CREATE_CLASS_H_

// Conditions as Kubernetes keeps them: one of a type, whose transition time moves with its status.
//
// They are for people. No reason takes part in a safety decision.
//
// Answers: spec 01, 0.1 "condition".

#ifndef LIFECYCLE_DISPATCH_CONDITIONS_H_
#define LIFECYCLE_DISPATCH_CONDITIONS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "lifecycle/api/meta.pb.h"

namespace lifecycle::dispatch {

using Conditions = google::protobuf::RepeatedPtrField<api::Condition>;

struct ConditionValue {
  absl::string_view type = "";
  bool status = false;  // True or False.
  absl::string_view reason = "";
  absl::string_view message = "";  // Bounded to 1024 characters when it is written.
  int64_t generation = 0;
  int64_t now_ms = 0;
};

// Sets the condition of that type, adding it when there is none. One that says the same already is
// left as it is, so that writing it again changes nothing.
void SetCondition(const ConditionValue& value, Conditions& conditions);

// True when the condition of that type is True.
bool IsTrue(const Conditions& conditions, absl::string_view type);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_CONDITIONS_H_

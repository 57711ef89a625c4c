// A Pod template as canonical bytes, without reflection.
//
// A supervising pass holds its Job to the rebuilt one and to the admission snapshot, so this is the
// one walk over a message that every such pass pays for. It names each field where the general
// encoder asks the descriptor; a test changes every field there is and expects other bytes.
//
// Answers: spec 03, 7.2 (7, 10, 17).

#ifndef LIFECYCLE_RULES_POD_TEMPLATE_BYTES_H_
#define LIFECYCLE_RULES_POD_TEMPLATE_BYTES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace lifecycle::api {
class PodTemplateSpec;
}

namespace lifecycle::rules {

// True for the labels a server generates on a Job's Pods, under their old and new names.
bool IsGeneratedLabel(absl::string_view key);

// Returns the normalised template's bytes: equal for two templates exactly when they differ in
// nothing but the generated labels, the annotation that names the snapshot, the deprecated
// service-account alias where it says what the name says, and the claim's start. Absent is not
// empty.
std::string PodTemplateBytes(const api::PodTemplateSpec& pod_template, int64_t started_at_ms);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_POD_TEMPLATE_BYTES_H_

#include "sim/preconditions.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "sim/api_errors.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr char kUidMismatch[] = "metadata.uid: Invalid value: field is immutable";

// Leases are too young to be updated without a version, like every custom kind.
bool AcceptsUpdateWithoutVersion(api::Kind kind) {
  return !api::IsCustom(kind) && kind != api::Kind::kLease;
}

absl::Status CheckUpdate(const api::Request& request, const Entry& entry) {
  const std::string& uid = UidOf(request);
  const std::string& stored = api::MetaOf(*entry.object->message).uid();
  if (!uid.empty() && uid != stored) return UpdateUidConflict(request.key, uid, stored);
  if (request.version == 0 && !AcceptsUpdateWithoutVersion(request.key.kind)) {
    return InvalidError(request.key,
                        "metadata.resourceVersion: Invalid value: 0x0: must be specified for an "
                        "update");
  }
  if (request.version != 0 && request.version != entry.version) return ModifiedError(request.key);
  return absl::OkStatus();
}

absl::Status CheckPatch(const api::Request& request, const Entry& entry) {
  if (request.version != 0 && request.version != entry.version) return ModifiedError(request.key);
  // A UID in a patch is a change of it: checked like any other value.
  if (!request.uid.empty() && request.uid != api::MetaOf(*entry.object->message).uid()) {
    return InvalidError(request.key, kUidMismatch);
  }
  return absl::OkStatus();
}

absl::Status CheckDelete(const api::Request& request, const Entry& entry) {
  const std::string& stored = api::MetaOf(*entry.object->message).uid();
  if (!request.uid.empty() && request.uid != stored) {
    return ConflictError(request.key,
                         absl::StrCat("the UID in the precondition (", request.uid,
                                      ") does not match the UID in record (", stored,
                                      "). The object might have been deleted and then recreated"));
  }
  if (request.version != 0 && request.version != entry.version) {
    return ConflictError(
        request.key, absl::StrCat("the ResourceVersion in the precondition (", request.version,
                                  ") does not match the ResourceVersion in record (", entry.version,
                                  "). The object might have been modified"));
  }
  return absl::OkStatus();
}

}  // namespace

const std::string& UidOf(const api::Request& request) {
  if (!request.uid.empty() || request.verb != api::Verb::kUpdate) return request.uid;
  return api::MetaOf(*request.body).uid();
}

absl::Status UpdateUidConflict(const api::Key& key, absl::string_view wanted,
                               absl::string_view stored) {
  return ConflictError(key, absl::StrCat("Precondition failed: UID in precondition: ", wanted,
                                         ", UID in object meta: ", stored));
}

absl::Status CheckPreconditions(const api::Request& request, const Entry& entry) {
  switch (request.verb) {
    case api::Verb::kUpdate:
      return CheckUpdate(request, entry);
    case api::Verb::kPatch:
      return CheckPatch(request, entry);
    case api::Verb::kDelete:
      return CheckDelete(request, entry);
    case api::Verb::kCreate:
      break;
  }
  return absl::OkStatus();
}

// The body must be about the object that the request names.
absl::Status CheckBody(const api::Request& request) {
  const api::ObjectMeta& meta = api::MetaOf(*request.body);
  if (meta.name() != request.key.name) {
    return BadRequestError(absl::StrCat("the name of the object (", meta.name(),
                                        ") does not match the name on the URL (", request.key.name,
                                        ")"));
  }
  if (meta.namespace_() != request.key.namespace_) {
    return BadRequestError(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return absl::OkStatus();
}

}  // namespace sim

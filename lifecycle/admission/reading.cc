#include "lifecycle/admission/reading.h"

namespace lifecycle::admission {

const api::OwnerReference* SoleOwner(const api::ObjectMeta& metadata, api::Kind kind) {
  if (metadata.owner_references_size() != 1) return nullptr;
  const api::OwnerReference& owner = metadata.owner_references(0);
  const bool exact = owner.controller() && owner.block_owner_deletion() &&
                     owner.kind() == api::KindName(kind) &&
                     owner.api_version() == api::ApiVersionOf(kind);
  return exact ? &owner : nullptr;
}

bool IsOwnedBy(const api::ObjectMeta& metadata, api::Kind kind, const api::ObjectMeta& owner) {
  const api::OwnerReference* found = SoleOwner(metadata, kind);
  return found != nullptr && found->name() == owner.name() && found->uid() == owner.uid();
}

}  // namespace lifecycle::admission

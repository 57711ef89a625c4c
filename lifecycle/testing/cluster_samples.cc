#include "lifecycle/testing/cluster_samples.h"

#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"

namespace lifecycle::testing {

api::ServiceAccount DefaultAccount(const std::string& namespace_) {
  api::ServiceAccount account;
  account.mutable_metadata()->set_namespace_(namespace_);
  account.mutable_metadata()->set_name(api::kDefaultServiceAccount);
  account.mutable_metadata()->set_uid("account-uid");
  return account;
}

api::Pod PodOf(const api::Job& job, const std::string& name) {
  api::Pod pod;
  api::ObjectMeta& meta = *pod.mutable_metadata();
  meta.set_namespace_(job.metadata().namespace_());
  meta.set_name(name);
  meta.set_uid(name + "-uid");
  *meta.mutable_annotations() = job.spec().template_().metadata().annotations();
  api::OwnerReference& owner = *meta.add_owner_references();
  owner.set_api_version(api::ApiVersionOf(api::Kind::kJob));
  owner.set_kind(api::KindName(api::Kind::kJob));
  owner.set_name(job.metadata().name());
  owner.set_uid(job.metadata().uid());
  owner.set_controller(true);
  owner.set_block_owner_deletion(true);
  *pod.mutable_spec() = job.spec().template_().spec();
  pod.mutable_spec()->set_service_account_name(api::kDefaultServiceAccount);
  return pod;
}

}  // namespace lifecycle::testing

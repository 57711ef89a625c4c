#include "model/releases.h"

#include <variant>

#include "lifecycle/api/check.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/fence.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// The manager image that a new object says made it; empty when it says nothing.
std::string ManagerOf(const api::AdmissionRequest& request) {
  if (request.after == nullptr) return "";
  switch (request.key.kind) {
    case api::Kind::kJob: {
      const auto& annotations =
          static_cast<const api::Job&>(*request.after).metadata().annotations();
      const auto found = annotations.find(api::annotation::kControllerImage);
      return found == annotations.end() ? "" : found->second;
    }
    case api::Kind::kPtahSchemaPlan:
      return static_cast<const api::PtahSchemaPlan&>(*request.after).spec().controller_image();
    case api::Kind::kPtahMigrationPlan:
      return static_cast<const api::PtahMigrationPlan&>(*request.after).spec().controller_image();
    default:
      return "";
  }
}

// The door of a process that only lists what is stored.
class ListingDoor final : public api::Door {
 public:
  explicit ListingDoor(const api::DirectReader& reader) : reader_(reader) {}
  api::Answer Call(const api::Question& question) override {
    const auto* list = std::get_if<api::ListQuestion>(&question.body);
    STOPGAP_CHECK(list != nullptr, "the scan of the stored state does nothing but list");
    api::Answer answer;
    answer.list = reader_.List(list->kind, list->namespace_);
    return answer;
  }

 private:
  const api::DirectReader& reader_;
};

}  // namespace

absl::Status MayStart(const api::Configuration& release, const api::DirectReader& reader) {
  ListingDoor door(reader);
  api::Client client(door, release.user);
  return lifecycle::dispatch::CheckStoredState(client, release.controller_state_version);
}

ReleaseAdmission::ReleaseAdmission(const std::vector<api::Configuration>& releases) {
  STOPGAP_CHECK(!releases.empty(), "somebody judges every write");
  for (const api::Configuration& release : releases) {
    releases_.push_back(
        {release.controller_image, lifecycle::admission::OperatorAdmission(release)});
  }
}

api::AdmissionAnswer ReleaseAdmission::Review(const api::AdmissionRequest& request,
                                              const api::DirectReader& reader) const {
  const std::string manager = ManagerOf(request);
  for (const Release& release : releases_) {
    if (release.controller_image == manager) return release.webhook.Review(request, reader);
  }
  return releases_.front().webhook.Review(request, reader);
}

}  // namespace model

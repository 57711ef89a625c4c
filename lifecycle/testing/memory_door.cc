#include "lifecycle/testing/memory_door.h"

#include <google/protobuf/message.h>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/patch.h"

namespace lifecycle::testing {
namespace {

using google::protobuf::Message;

absl::Status NotFound(const api::Key& key) {
  return api::ToStatus({404, api::kNotFound, absl::StrCat(api::ShortName(key), " not found")});
}
absl::Status Conflict(const api::Key& key) {
  return api::ToStatus({409, api::kConflict, absl::StrCat(api::ShortName(key), " has changed")});
}

std::string WriteLabel(const api::Request& request) {
  const char* verb = "create ";
  if (request.verb == api::Verb::kUpdate) verb = "update ";
  if (request.verb == api::Verb::kPatch) verb = "patch ";
  if (request.verb == api::Verb::kDelete) verb = "delete ";
  const bool status = request.subresource == api::Subresource::kStatus;
  return absl::StrCat(verb, api::ShortName(request.key), status ? " status" : "");
}

std::shared_ptr<Message> Copy(const Message& message) {
  std::shared_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  return copy;
}

}  // namespace

api::Answer MemoryDoor::Call(const api::Question& question) {
  api::Answer answer;
  if (const auto* read = std::get_if<api::ReadQuestion>(&question.body)) return Read(*read);
  if (const auto* list = std::get_if<api::ListQuestion>(&question.body)) return List(*list);
  if (const auto* request = std::get_if<api::Request>(&question.body)) return Write(*request);
  if (const auto* log = std::get_if<api::LogQuestion>(&question.body)) {
    const auto found = logs.find(log->pod);
    if (found == logs.end()) {
      answer.status = api::ToStatus({404, api::kNotFound, "no log"});
    } else {
      answer.bytes = found->second;
    }
  } else if (std::holds_alternative<api::WallClockQuestion>(question.body)) {
    answer.time_ms = wall_ms;
  } else if (std::holds_alternative<api::MonotonicClockQuestion>(question.body)) {
    answer.time_ms = monotonic_ms;
  } else if (std::holds_alternative<api::RandomQuestion>(question.body)) {
    answer.bytes = std::string(16, '\0');
    answer.bytes.back() = static_cast<char>(++last_random_);
  } else if (const auto* rule = std::get_if<api::JournalQuestion>(&question.body)) {
    journal_.emplace_back(rule->rule);
  }
  return answer;
}

const Message& MemoryDoor::Find(const api::Key& key) const {
  const auto found = objects_.find(key);
  STOPGAP_CHECK(found != objects_.end(), "the test asks for an object that is stored");
  return *found->second.object;
}

void MemoryDoor::Store(std::shared_ptr<Message> object) {
  api::ObjectMeta* meta = api::MutableMetaOf(object.get());
  if (meta->uid().empty()) meta->set_uid(absl::StrCat("uid-", ++last_uid_));
  const api::Key key = api::KeyOf(*object);
  objects_[key] = api::AnyStored{std::move(object), ++last_version_};
}

api::Answer MemoryDoor::Read(const api::ReadQuestion& question) const {
  api::Answer answer;
  if (refuse_read) answer.status = refuse_read(question.key);
  if (!answer.status.ok()) return answer;
  const auto found = objects_.find(question.key);
  if (found == objects_.end()) {
    answer.status = NotFound(question.key);
  } else {
    answer.stored = found->second;
  }
  return answer;
}

api::Answer MemoryDoor::List(const api::ListQuestion& question) const {
  api::Answer answer;
  for (const auto& [key, stored] : objects_) {
    const bool here = question.namespace_.empty() || key.namespace_ == question.namespace_;
    if (key.kind == question.kind && here) answer.list.push_back(stored);
  }
  return answer;
}

api::Answer MemoryDoor::Write(const api::Request& request) {
  api::Answer answer;
  if (refuse) answer.status = refuse(request);
  if (answer.status.ok()) answer.status = Apply(request);
  if (!answer.status.ok()) return answer;
  writes_.push_back(WriteLabel(request));
  if (request.verb != api::Verb::kDelete) answer.stored = objects_.at(request.key);
  if (after_write) after_write(request);
  return answer;
}

absl::Status MemoryDoor::Apply(const api::Request& request) {
  const auto found = objects_.find(request.key);
  if (request.verb == api::Verb::kCreate) {
    if (found != objects_.end()) {
      return api::ToStatus({409, api::kAlreadyExists, "the name is taken"});
    }
    Store(Copy(*request.body));
    return absl::OkStatus();
  }
  if (found == objects_.end()) return NotFound(request.key);
  if (request.version != 0 && request.version != found->second.version) {
    return Conflict(request.key);
  }
  if (request.verb == api::Verb::kDelete) {
    objects_.erase(found);
    return absl::OkStatus();
  }
  std::shared_ptr<Message> next;
  if (request.verb == api::Verb::kUpdate) {
    next = Copy(*request.body);
  } else {
    next = Copy(*found->second.object);
    api::ApplyPatch(request.changed, *request.body, next.get());
  }
  Store(std::move(next));
  return absl::OkStatus();
}

}  // namespace lifecycle::testing

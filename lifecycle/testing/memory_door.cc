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

const char* VerbOf(const api::Request& request) {
  switch (request.verb) {
    case api::Verb::kCreate:
      return "create ";
    case api::Verb::kUpdate:
      return "update ";
    case api::Verb::kPatch:
      return "patch ";
    case api::Verb::kDelete:
      break;
  }
  return "delete ";
}

std::string WriteLabel(const api::Request& request) {
  const bool status = request.subresource == api::Subresource::kStatus;
  return absl::StrCat(VerbOf(request), api::ShortName(request.key), status ? " status" : "");
}

std::string ChangeLabel(const api::Request& request) {
  const bool status = request.subresource == api::Subresource::kStatus;
  std::string text =
      absl::StrCat(VerbOf(request), status ? "status " : "", api::ShortName(request.key));
  for (const api::FieldPath& path : request.changed) absl::StrAppend(&text, " ", path.ToString());
  return text;
}

std::shared_ptr<Message> Copy(const Message& message) {
  std::shared_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  return copy;
}

}  // namespace

api::Answer MemoryDoor::Call(const api::Question& question) {
  api::Answer answer;
  if (const auto* read = std::get_if<api::ReadQuestion>(&question.body)) return AnswerRead(*read);
  if (const auto* request = std::get_if<api::Request>(&question.body)) return Write(*request);
  if (const auto* log = std::get_if<api::LogQuestion>(&question.body)) return AnswerLog(*log);
  if (const auto* list = std::get_if<api::ListQuestion>(&question.body)) {
    answer.list = List(list->kind, list->namespace_);
  } else if (std::holds_alternative<api::WallClockQuestion>(question.body)) {
    answer.time_ms = wall_ms;
  } else if (std::holds_alternative<api::MonotonicClockQuestion>(question.body)) {
    answer.time_ms = monotonic_ms;
  } else if (std::holds_alternative<api::RandomQuestion>(question.body)) {
    answer.bytes = std::string(16, '\0');
    answer.bytes.back() = static_cast<char>(++last_random_);
  } else if (const auto* rule = std::get_if<api::JournalQuestion>(&question.body)) {
    journal_.emplace_back(rule->rule);
  } else if (const auto* event = std::get_if<api::EventQuestion>(&question.body)) {
    events_.push_back(event->reason);
  }
  return answer;
}

api::AnyStored MemoryDoor::Read(const api::Key& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? api::AnyStored{} : found->second;
}

std::vector<api::AnyStored> MemoryDoor::List(api::Kind kind, const std::string& namespace_) const {
  std::vector<api::AnyStored> listed;
  for (const auto& [key, stored] : objects_) {
    const bool here = namespace_.empty() || key.namespace_ == namespace_;
    if (key.kind == kind && here) listed.push_back(stored);
  }
  return listed;
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

api::Answer MemoryDoor::AnswerRead(const api::ReadQuestion& question) const {
  api::Answer answer;
  if (const auto asked = refuse_read) answer.status = asked(question.key);
  if (!answer.status.ok()) return answer;
  const auto found = objects_.find(question.key);
  if (found == objects_.end()) {
    answer.status = NotFound(question.key);
  } else {
    answer.stored = found->second;
  }
  return answer;
}

api::Answer MemoryDoor::AnswerLog(const api::LogQuestion& question) const {
  api::Answer answer;
  const auto found = logs.find(question.pod);
  if (log_error) {
    answer.status = *log_error;
  } else if (found == logs.end()) {
    answer.status = api::ToStatus({404, api::kNotFound, "no log"});
  } else {
    answer.bytes = found->second;
  }
  return answer;
}

api::Answer MemoryDoor::Write(const api::Request& request) {
  api::Answer answer;
  if (const auto asked = refuse) answer.status = asked(request);
  if (answer.status.ok()) answer.status = Apply(request);
  if (!answer.status.ok()) return answer;
  writes_.push_back(WriteLabel(request));
  changes_.push_back(ChangeLabel(request));
  if (request.verb != api::Verb::kDelete) answer.stored = objects_.at(request.key);
  if (const auto told = after_write) told(request);
  return answer;
}

absl::Status MemoryDoor::Apply(const api::Request& request) {
  const auto found = objects_.find(request.key);
  if (request.verb == api::Verb::kCreate) {
    if (found != objects_.end()) {
      return api::ToStatus({409, api::kAlreadyExists, "the name is taken"});
    }
    std::shared_ptr<Message> created = Copy(*request.body);
    api::ObjectMeta* meta = api::MutableMetaOf(created.get());
    if (meta->uid().empty()) meta->set_uid(absl::StrCat("uid-", ++last_uid_));
    meta->set_creation_timestamp_ms(wall_ms);
    if (absl::Status admitted = Admit(request, created); !admitted.ok()) return admitted;
    Store(std::move(created));
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
  if (absl::Status admitted = Admit(request, next); !admitted.ok()) return admitted;
  Store(std::move(next));
  return absl::OkStatus();
}

absl::Status MemoryDoor::Admit(const api::Request& request, std::shared_ptr<Message>& next) {
  if (admission == nullptr) return absl::OkStatus();
  const api::AdmissionAnswer answer = admission->Review({.verb = request.verb,
                                                         .key = request.key,
                                                         .subresource = request.subresource,
                                                         .before = Read(request.key).object,
                                                         .after = next,
                                                         .sender = request.sender,
                                                         .request = "request-1"},
                                                        *this);
  if (!answer.status.ok()) {
    return api::ToStatus({403, api::kForbidden, std::string(answer.status.message())});
  }
  if (answer.mutated) next = Copy(*answer.mutated);
  return absl::OkStatus();
}

}  // namespace lifecycle::testing

#include "lifecycle/migration/tiny_store.h"

#include <google/protobuf/message.h>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/patch.h"

namespace lifecycle::migration {
namespace {

using api::Answer;
using google::protobuf::Message;

Answer Failed(int code, const char* reason) {
  Answer answer;
  answer.status = api::ToStatus({code, reason, reason});
  return answer;
}

std::shared_ptr<Message> CopyOf(const Message& message) {
  std::shared_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  return copy;
}

std::string Describe(const api::Request& request) {
  const char* verb = request.verb == api::Verb::kCreate   ? "create"
                     : request.verb == api::Verb::kUpdate ? "update"
                     : request.verb == api::Verb::kPatch  ? "patch"
                                                          : "delete";
  std::string text =
      absl::StrCat(verb, request.subresource == api::Subresource::kStatus ? " status " : " ",
                   api::ShortName(request.key));
  for (const api::FieldPath& path : request.changed) absl::StrAppend(&text, " ", path.ToString());
  return text;
}

}  // namespace

void TinyStore::PutAny(api::MessagePtr object) {
  const api::Key key = api::KeyOf(*object);
  objects_[key] = {std::move(object), objects_[key].version + 1};
}

api::AnyStored TinyStore::Read(const api::Key& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? api::AnyStored{} : found->second;
}

std::vector<api::AnyStored> TinyStore::List(api::Kind kind, const std::string& namespace_) const {
  std::vector<api::AnyStored> listed;
  for (const auto& [key, stored] : objects_) {
    if (key.kind == kind && (namespace_.empty() || key.namespace_ == namespace_)) {
      listed.push_back(stored);
    }
  }
  return listed;
}

Answer TinyStore::Admit(const api::Request& request, api::MessagePtr before,
                        api::MessagePtr* after) {
  if (admission == nullptr) return {};
  const api::AdmissionAnswer answer = admission->Review({.verb = request.verb,
                                                         .key = request.key,
                                                         .subresource = request.subresource,
                                                         .before = std::move(before),
                                                         .after = *after,
                                                         .sender = request.sender,
                                                         .request = "request-1"},
                                                        *this);
  if (!answer.status.ok()) {
    Answer refused = Failed(403, api::kForbidden);
    refused.status = api::ToStatus({403, api::kForbidden, std::string(answer.status.message())});
    return refused;
  }
  if (answer.mutated) *after = answer.mutated;
  return {};
}

Answer TinyStore::Write(const api::Request& request) {
  if (before_write) {
    Answer answer;
    answer.status = before_write(request);
    if (!answer.status.ok()) return answer;
  }
  const auto found = objects_.find(request.key);
  const bool create = request.verb == api::Verb::kCreate;
  if (create && found != objects_.end()) return Failed(409, api::kAlreadyExists);
  if (!create && found == objects_.end()) return Failed(404, api::kNotFound);
  if (!create && request.version != 0 && request.version != found->second.version) {
    return Failed(409, api::kConflict);
  }
  std::shared_ptr<Message> next;
  if (request.verb == api::Verb::kPatch) {
    next = CopyOf(*found->second.object);
    api::ApplyPatch(request.changed, *request.body, next.get());
  } else {
    next = CopyOf(*request.body);
  }
  if (create) {
    const std::string uid = absl::StrCat("uid-", ++uids_);
    api::ObjectMeta* meta = api::MutableMetaOf(next.get());
    meta->set_uid(uid);
    meta->set_creation_timestamp_ms(now_ms);
  }
  api::MessagePtr after = next;
  Answer refused = Admit(request, create ? nullptr : found->second.object, &after);
  if (!refused.status.ok()) return refused;
  writes.push_back(Describe(request));
  PutAny(after);
  Answer answer;
  answer.stored = objects_.at(request.key);
  return answer;
}

Answer TinyStore::Call(const api::Question& question) {
  Answer answer;
  if (const auto* read = std::get_if<api::ReadQuestion>(&question.body)) {
    answer.stored = Read(read->key);
    return answer.stored.object ? answer : Failed(404, api::kNotFound);
  }
  if (const auto* list = std::get_if<api::ListQuestion>(&question.body)) {
    answer.list = List(list->kind, list->namespace_);
    return answer;
  }
  if (const auto* request = std::get_if<api::Request>(&question.body)) return Write(*request);
  if (const auto* log = std::get_if<api::LogQuestion>(&question.body)) {
    if (log_error) {
      answer.status = *log_error;
      return answer;
    }
    const auto found = logs.find(log->pod);
    if (found == logs.end()) return Failed(404, api::kNotFound);
    answer.bytes = found->second;
    return answer;
  }
  if (std::holds_alternative<api::RandomQuestion>(question.body)) {
    answer.bytes = std::string(15, 'r') + static_cast<char>('a' + randoms_++);
    return answer;
  }
  if (const auto* event = std::get_if<api::EventQuestion>(&question.body)) {
    events.push_back(event->reason);
    return answer;
  }
  if (const auto* rule = std::get_if<api::JournalQuestion>(&question.body)) {
    journal.push_back(std::string(rule->rule));
    return answer;
  }
  answer.time_ms = now_ms;
  return answer;
}

}  // namespace lifecycle::migration

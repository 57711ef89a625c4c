#include "lifecycle/api/client.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <cstring>

#include "lifecycle/api/meta.pb.h"

namespace lifecycle::api {
namespace {

Key KeyOf(Kind kind, const google::protobuf::Message& object) {
  const ObjectMeta& meta = MetaOf(object);
  return Key{kind, meta.namespace_(), meta.name()};
}

bool InStatus(const FieldPath& path) { return path.RootName() == "status"; }

}  // namespace

absl::StatusOr<AnyStored> Client::GetAny(Key key, Freshness freshness, Site site) {
  Answer answer = door_.Call(Question{ReadQuestion{std::move(key), freshness}, site});
  if (!answer.status.ok()) return answer.status;
  return std::move(answer.stored);
}

absl::StatusOr<std::vector<AnyStored>> Client::ListAny(Kind kind, absl::string_view namespace_,
                                                       Freshness freshness, Site site) {
  Answer answer =
      door_.Call(Question{ListQuestion{kind, std::string(namespace_), freshness}, site});
  if (!answer.status.ok()) return answer.status;
  return std::move(answer.list);
}

absl::StatusOr<AnyStored> Client::CreateAny(Kind kind, MessagePtr object, Site site) {
  Request request;
  request.verb = Verb::kCreate;
  request.key = KeyOf(kind, *object);
  request.body = std::move(object);
  request.sender = sender_;
  Answer answer = door_.Call(Question{std::move(request), site});
  if (!answer.status.ok()) return answer.status;
  return std::move(answer.stored);
}

absl::StatusOr<AnyStored> Client::PatchAny(Kind kind, AnyStored read, MessagePtr next,
                                           Subresource subresource, Site site) {
  Request request;
  request.changed = Diff(*read.object, *next);
  const bool status = subresource == Subresource::kStatus;
  request.changed.erase(
      std::remove_if(request.changed.begin(), request.changed.end(),
                     [status](const FieldPath& path) { return InStatus(path) != status; }),
      request.changed.end());
  if (request.changed.empty()) return read;
  request.verb = Verb::kPatch;
  request.key = KeyOf(kind, *read.object);
  request.subresource = subresource;
  request.body = std::move(next);
  request.version = read.version;
  request.uid = MetaOf(*read.object).uid();
  request.sender = sender_;
  Answer answer = door_.Call(Question{std::move(request), site});
  if (!answer.status.ok()) return answer.status;
  return std::move(answer.stored);
}

absl::StatusOr<AnyStored> Client::UpdateAny(Kind kind, AnyStored read, MessagePtr next,
                                            Subresource subresource, Site site) {
  Request request;
  request.verb = Verb::kUpdate;
  request.key = KeyOf(kind, *read.object);
  request.subresource = subresource;
  request.body = std::move(next);
  request.version = read.version;
  request.uid = MetaOf(*read.object).uid();
  request.sender = sender_;
  Answer answer = door_.Call(Question{std::move(request), site});
  if (!answer.status.ok()) return answer.status;
  return std::move(answer.stored);
}

absl::Status Client::Delete(const Key& key, absl::string_view uid, Site site) {
  Request request;
  request.verb = Verb::kDelete;
  request.key = key;
  request.uid = std::string(uid);
  request.sender = sender_;
  return door_.Call(Question{std::move(request), site}).status;
}

absl::StatusOr<std::string> Client::ReadLog(absl::string_view namespace_, absl::string_view pod,
                                            absl::string_view container, Site site) {
  Answer answer = door_.Call(Question{
      LogQuestion{std::string(namespace_), std::string(pod), std::string(container)}, site});
  if (!answer.status.ok()) return answer.status;
  return std::move(answer.bytes);
}

int64_t Client::WallMs(Site site) {
  return door_.Call(Question{WallClockQuestion{}, site}).time_ms;
}

int64_t Client::MonotonicMs(Site site) {
  return door_.Call(Question{MonotonicClockQuestion{}, site}).time_ms;
}

std::string Client::Random16(absl::string_view resource_uid, absl::string_view purpose, Site site) {
  return door_.Call(Question{RandomQuestion{std::string(resource_uid), std::string(purpose)}, site})
      .bytes;
}

void Client::Event(const Key& about, bool warning, absl::string_view reason,
                   absl::string_view message, Site site) {
  door_.Call(
      Question{EventQuestion{about, warning, std::string(reason), std::string(message)}, site});
}

void Client::Journal(absl::string_view rule, Site site) {
  door_.Call(Question{JournalQuestion{rule}, site});
}

}  // namespace lifecycle::api

#include "model/admission_memo.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace model {
namespace {

namespace api = lifecycle::api;

bool Same(const api::AnyStored& a, const api::AnyStored& b) {
  return a.object == b.object && a.version == b.version;
}

struct Read {
  api::Key key;
  api::AnyStored stored;
};
struct Listed {
  api::Kind kind;
  std::string namespace_;
  std::vector<api::AnyStored> list;
};

// Everything that was read for one answer.
struct Reads {
  std::vector<Read> reads;
  std::vector<Listed> lists;
  std::optional<int64_t> wall_ms;

  bool HoldIn(const api::DirectReader& reader) const {
    for (const Read& read : reads) {
      if (!Same(reader.Read(read.key), read.stored)) return false;
    }
    for (const Listed& listed : lists) {
      const std::vector<api::AnyStored> now = reader.List(listed.kind, listed.namespace_);
      if (now.size() != listed.list.size()) return false;
      for (size_t i = 0; i < now.size(); ++i) {
        if (!Same(now[i], listed.list[i])) return false;
      }
    }
    return !wall_ms || *wall_ms == reader.WallMs();
  }
};

// Reads for a webhook and notes what it read.
class NotingReader final : public api::DirectReader {
 public:
  NotingReader(const api::DirectReader& reader, Reads& notes) : reader_(reader), notes_(notes) {}
  api::AnyStored Read(const api::Key& key) const override {
    api::AnyStored stored = reader_.Read(key);
    notes_.reads.push_back({key, stored});
    return stored;
  }
  std::vector<api::AnyStored> List(api::Kind kind, const std::string& namespace_) const override {
    std::vector<api::AnyStored> list = reader_.List(kind, namespace_);
    notes_.lists.push_back({kind, namespace_, list});
    return list;
  }
  int64_t WallMs() const override {
    notes_.wall_ms = reader_.WallMs();
    return *notes_.wall_ms;
  }

 private:
  const api::DirectReader& reader_;
  Reads& notes_;
};

struct Remembered {
  // Kept, so that no other object ever has the place of one that is compared by it.
  api::AdmissionRequest request;
  Reads reads;
  api::AdmissionAnswer answer;
};

// Objects are compared as what they are, the same object, since stored ones are interned.
bool SameRequest(const api::AdmissionRequest& a, const api::AdmissionRequest& b) {
  return a.verb == b.verb && a.subresource == b.subresource && a.before == b.before &&
         a.after == b.after && a.key == b.key && a.sender == b.sender && a.request == b.request;
}

}  // namespace

struct AdmissionMemo::State {
  // By what would be stored; looked up, never walked.
  absl::flat_hash_map<const void*, std::vector<Remembered>> by_after;
  uint64_t asked = 0;
};

AdmissionMemo::AdmissionMemo(const api::Admission& webhook)
    : webhook_(webhook), state_(std::make_unique<State>()) {}
AdmissionMemo::~AdmissionMemo() = default;

uint64_t AdmissionMemo::asked() const { return state_->asked; }

api::AdmissionAnswer AdmissionMemo::Review(const api::AdmissionRequest& request,
                                           const api::DirectReader& reader) const {
  std::vector<Remembered>& known = state_->by_after[request.after.get()];
  for (const Remembered& one : known) {
    if (SameRequest(one.request, request) && one.reads.HoldIn(reader)) return one.answer;
  }
  ++state_->asked;
  Remembered made;
  made.request = request;
  made.answer = webhook_.Review(request, NotingReader(reader, made.reads));
  known.push_back(made);
  return made.answer;
}

}  // namespace model

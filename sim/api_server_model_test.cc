// The API server against a plain map with its rules restated as simply as they can be said.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

enum class Act { kCreate, kUpdate, kUpdateStatus, kPatch, kPatchStatus, kDelete };
enum class Held { kNone, kCurrent, kOther };  // A precondition.

struct Op {
  Act act = Act::kCreate;
  bool custom = true;  // A PtahSchema; else a ConfigMap.
  int name = 0;
  int value = 0;  // Of the spec or the data; of the status.
  int label = 0;
  int finalizers = 0;  // Bits.
  Held version = Held::kNone;
  Held uid = Held::kNone;
};

std::ostream& operator<<(std::ostream& out, const Op& op) {
  constexpr const char* kActs[] = {"create", "update",       "update status",
                                   "patch",  "patch status", "delete"};
  return out << kActs[static_cast<int>(op.act)] << (op.custom ? " schema/" : " config/") << op.name
             << " value " << op.value << " label " << op.label << " finalizers " << op.finalizers
             << " version " << static_cast<int>(op.version) << " uid " << static_cast<int>(op.uid);
}

bool OfStatus(Act act) { return act == Act::kUpdateStatus || act == Act::kPatchStatus; }
bool IsUpdate(Act act) { return act == Act::kUpdate || act == Act::kUpdateStatus; }

// ---- The model ----

struct Thing {
  int value = 0;
  int label = 0;
  int status = 0;
  int finalizers = 0;
  int64_t generation = 0;
  bool deleting = false;
  friend bool operator==(const Thing&, const Thing&) = default;
};

class Model {
 public:
  using Id = std::pair<bool, int>;

  // Returns what the server must say.
  std::string Do(const Op& op) {
    const Id id{op.custom, op.name};
    changed_ = false;
    if (op.act == Act::kCreate) return Create(id, op);
    if (OfStatus(op.act) && !op.custom) return "404 NotFound";  // No such subresource.
    const auto found = things_.find(id);
    if (found == things_.end()) {
      return IsUpdate(op.act) && op.uid != Held::kNone ? "409 Conflict" : "404 NotFound";
    }
    if (const std::string refusal = Precondition(op); !refusal.empty()) return refusal;
    if (op.act == Act::kDelete) return Delete(found);
    return Change(found, op);
  }

  const std::map<Id, Thing>& things() const { return things_; }
  bool changed() const { return changed_; }

 private:
  std::string Create(const Id& id, const Op& op) {
    if (things_.count(id) != 0) return "409 AlreadyExists";
    things_[id] = Thing{op.value, op.label, 0, op.finalizers, op.custom ? 1 : 0, false};
    changed_ = true;
    return "OK";
  }

  static std::string Precondition(const Op& op) {
    switch (op.act) {
      case Act::kUpdate:
      case Act::kUpdateStatus:
        if (op.uid == Held::kOther) return "409 Conflict";
        if (op.version == Held::kNone && op.custom) return "422 Invalid";
        return op.version == Held::kOther ? "409 Conflict" : "";
      case Act::kPatch:
      case Act::kPatchStatus:
        if (op.version == Held::kOther) return "409 Conflict";
        return op.uid == Held::kOther ? "422 Invalid" : "";
      case Act::kDelete:
        return op.uid == Held::kOther || op.version == Held::kOther ? "409 Conflict" : "";
      case Act::kCreate:
        break;
    }
    return "";
  }

  std::string Change(std::map<Id, Thing>::iterator at, const Op& op) {
    Thing next = at->second;
    if (OfStatus(op.act)) {
      next.status = op.value;
    } else {
      if (next.deleting && (op.finalizers & ~next.finalizers) != 0) return "422 Invalid";
      if (op.custom && next.value != op.value) ++next.generation;
      next.value = op.value;
      next.label = op.label;
      next.finalizers = op.finalizers;
    }
    changed_ = !(next == at->second);
    at->second = next;
    if (changed_ && next.deleting && next.finalizers == 0) things_.erase(at);
    return "OK";
  }

  std::string Delete(std::map<Id, Thing>::iterator at) {
    Thing& thing = at->second;
    if (thing.finalizers == 0) {
      changed_ = true;
      things_.erase(at);
    } else if (!thing.deleting) {
      changed_ = true;
      thing.deleting = true;
      if (at->first.first) ++thing.generation;
    }
    return "OK";
  }

  std::map<Id, Thing> things_;
  bool changed_ = false;
};

// ---- The server, spoken to in the same words ----

constexpr const char* kFinalizers[] = {"one", "two"};

template <class T>
void SetMeta(const Op& op, T* object) {
  api::ObjectMeta* meta = object->mutable_metadata();
  meta->mutable_labels()->clear();
  if (op.label != 0) (*meta->mutable_labels())["label"] = absl::StrCat(op.label);
  meta->clear_finalizers();
  for (int bit = 0; bit < 2; ++bit) {
    if (op.finalizers >> bit & 1) meta->add_finalizers(kFinalizers[bit]);
  }
}

void SetValue(const Op& op, api::PtahSchema* schema) {
  if (OfStatus(op.act)) {
    schema->clear_status();
    if (op.value != 0) schema->mutable_status()->set_observed_generation(op.value);
    return;
  }
  SetMeta(op, schema);
  schema->mutable_spec()->set_interval_seconds(op.value);
}
void SetValue(const Op& op, api::ConfigMap* config) {
  SetMeta(op, config);
  (*config->mutable_data())["value"] = absl::StrCat(op.value);
}

template <class T>
api::Request RequestFor(const TestStore& store, const Op& op) {
  const std::string name = absl::StrCat("thing-", op.name);
  const T* stored = store.Get<T>(name);
  T object = stored != nullptr && op.act != Act::kCreate ? *stored : Named<T>(name);
  SetValue(op, &object);
  const api::Subresource subresource =
      OfStatus(op.act) ? api::Subresource::kStatus : api::Subresource::kMain;
  api::Request request;
  switch (op.act) {
    case Act::kCreate:
      return TestStore::CreateRequest(object);
    case Act::kUpdate:
    case Act::kUpdateStatus:
      request = store.UpdateRequest(object, subresource);
      break;
    case Act::kPatch:
    case Act::kPatchStatus:
      request = store.PatchRequest(object, subresource);
      break;
    case Act::kDelete:
      request = TestStore::DeleteRequest<T>(name);
      break;
  }
  const api::Version version = store.VersionOf<T>(name);
  request.version = op.version == Held::kNone      ? 0
                    : op.version == Held::kCurrent ? version
                                                   : version + 7;
  request.uid = op.uid == Held::kNone ? ""
                : op.uid == Held::kCurrent && stored != nullptr
                    ? stored->metadata().uid()
                    : "00000000-0000-4000-8000-000000000000";
  return request;
}

Thing ThingOf(const StoredObject& object) {
  const api::ObjectMeta& meta = api::MetaOf(*object.message);
  Thing thing;
  const auto label = meta.labels().find("label");
  thing.label = label == meta.labels().end() ? 0 : label->second[0] - '0';
  for (const std::string& finalizer : meta.finalizers()) {
    thing.finalizers |= finalizer == kFinalizers[0] ? 1 : 2;
  }
  thing.generation = meta.generation();
  thing.deleting = meta.deletion_timestamp_ms() != 0;
  if (object.key.kind == api::Kind::kPtahSchema) {
    thing.value = static_cast<int>(object.As<api::PtahSchema>().spec().interval_seconds());
    thing.status = static_cast<int>(object.As<api::PtahSchema>().status().observed_generation());
  } else {
    thing.value = object.As<api::ConfigMap>().data().at("value")[0] - '0';
  }
  return thing;
}

std::map<Model::Id, Thing> ThingsOf(const World& world) {
  std::map<Model::Id, Thing> things;
  for (const Entry& entry : world.objects) {
    things[{entry.object->key.kind == api::Kind::kPtahSchema,
            entry.object->key.name.back() - '0'}] = ThingOf(*entry.object);
  }
  return things;
}

rc::Gen<Op> AnyOp() {
  return rc::gen::build<Op>(
      rc::gen::set(&Op::act, rc::gen::element(Act::kCreate, Act::kCreate, Act::kUpdate,
                                              Act::kUpdateStatus, Act::kPatch, Act::kPatch,
                                              Act::kPatchStatus, Act::kDelete, Act::kDelete)),
      rc::gen::set(&Op::custom, rc::gen::weightedElement<bool>({{3, true}, {1, false}})),
      rc::gen::set(&Op::name, rc::gen::inRange(0, 2)),
      rc::gen::set(&Op::value, rc::gen::inRange(0, 3)),
      rc::gen::set(&Op::label, rc::gen::inRange(0, 2)),
      rc::gen::set(&Op::finalizers, rc::gen::inRange(0, 4)),
      rc::gen::set(&Op::version, rc::gen::weightedElement<Held>(
                                     {{1, Held::kNone}, {3, Held::kCurrent}, {1, Held::kOther}})),
      rc::gen::set(&Op::uid, rc::gen::weightedElement<Held>(
                                 {{2, Held::kNone}, {2, Held::kCurrent}, {1, Held::kOther}})));
}

RC_GTEST_PROP(ApiServerModelTest, AnswersAndStoresWhatTheModelDoes, ()) {
  const std::vector<Op> ops = *rc::gen::container<std::vector<Op>>(AnyOp());
  TestStore store;
  Model model;
  std::map<api::Key, std::set<api::Version>> seen;
  for (const Op& op : ops) {
    const api::Request request =
        op.custom ? RequestFor<api::PtahSchema>(store, op) : RequestFor<api::ConfigMap>(store, op);
    const World before = store.world;
    const std::string expected = model.Do(op);
    const api::Answer answer = store.Send(request);
    RC_ASSERT(Said(answer.status) == expected);
    RC_ASSERT(ThingsOf(store.world) == model.things());
    // A refusal and a write that changes nothing leave the world as it was, versions included.
    const bool moved = !(MemoryDigest(store.world, {}) == MemoryDigest(before, {})) ||
                       !(ContentDigest(store.world) == ContentDigest(before));
    RC_ASSERT(moved == model.changed());
    // Every change gives a version that the object did not have.
    const Entry* entry = store.world.Find(request.key);
    if (model.changed() && entry != nullptr) {
      RC_ASSERT(seen[request.key].insert(entry->version).second);
    }
    RC_ASSERT(answer.status.ok() == (answer.stored.object != nullptr));
  }
}

}  // namespace
}  // namespace sim

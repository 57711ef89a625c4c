#include "model/memo.h"

#include <google/protobuf/message.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/patch.h"
#include "sim/hash.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// One pass in so many that the memo answered is run on real code all the same.
constexpr uint64_t kSampleEvery = 64;

bool SameStored(const api::AnyStored& a, const api::AnyStored& b) {
  return a.object == b.object && a.version == b.version;
}

bool SameBody(const api::MessagePtr& a, const api::MessagePtr& b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && a->GetDescriptor() == b->GetDescriptor() &&
         api::Equal(*a, *b);
}

bool Same(const api::ReadQuestion& a, const api::ReadQuestion& b) {
  return a.key == b.key && a.freshness == b.freshness;
}
bool Same(const api::ListQuestion& a, const api::ListQuestion& b) {
  return a.kind == b.kind && a.namespace_ == b.namespace_ && a.freshness == b.freshness;
}
bool Same(const api::Request& a, const api::Request& b) {
  return a.verb == b.verb && a.key == b.key && a.subresource == b.subresource &&
         a.version == b.version && a.uid == b.uid && a.sender == b.sender &&
         a.changed == b.changed && SameBody(a.body, b.body);
}
bool Same(const api::LogQuestion& a, const api::LogQuestion& b) {
  return a.namespace_ == b.namespace_ && a.pod == b.pod && a.container == b.container;
}
bool Same(const api::WallClockQuestion&, const api::WallClockQuestion&) { return true; }
bool Same(const api::MonotonicClockQuestion&, const api::MonotonicClockQuestion&) { return true; }
bool Same(const api::RandomQuestion& a, const api::RandomQuestion& b) {
  return a.resource == b.resource && a.purpose == b.purpose;
}
bool Same(const api::EventQuestion& a, const api::EventQuestion& b) {
  return a.about == b.about && a.warning == b.warning && a.reason == b.reason &&
         a.message == b.message;
}
bool Same(const api::JournalQuestion& a, const api::JournalQuestion& b) { return a.rule == b.rule; }

// What a question is about, for the message that ends a run of nondeterministic code.
struct Describer {
  std::string operator()(const api::ReadQuestion& q) { return "read " + api::ShortName(q.key); }
  std::string operator()(const api::ListQuestion& q) {
    return absl::StrCat("list ", api::KindName(q.kind));
  }
  std::string operator()(const api::Request& q) { return "write " + api::ShortName(q.key); }
  std::string operator()(const api::LogQuestion& q) { return "log " + q.pod; }
  std::string operator()(const api::WallClockQuestion&) { return "wall clock"; }
  std::string operator()(const api::MonotonicClockQuestion&) { return "monotonic clock"; }
  std::string operator()(const api::RandomQuestion& q) { return "random " + q.purpose; }
  std::string operator()(const api::EventQuestion& q) { return "event " + q.reason; }
  std::string operator()(const api::JournalQuestion& q) { return absl::StrCat("rule ", q.rule); }
};

std::string Describe(const api::Question& question) {
  return absl::StrCat(std::visit(Describer(), question.body), " (", question.site.file, ":",
                      question.site.line, ")");
}

void CheckSame(const api::Question& now, const api::Question& before) {
  if (SameQuestion(now, before)) return;
  STOPGAP_CHECK(false,
                absl::StrCat("the code is not deterministic: after the same answers it asked ",
                             Describe(before), " before and ", Describe(now), " now"));
}

bool SameResult(const api::PassResult& a, const api::PassResult& b) {
  return a.status == b.status && a.requeue_after_ms == b.requeue_after_ms;
}

sim::Hash128 HashOf(const api::Memory& memory) {
  sim::Hasher hasher;
  for (const auto& [name, seen] : memory.leases) {
    hasher.Text(name).Text(seen.holder).Int(static_cast<uint64_t>(seen.version));
    hasher.Int(static_cast<uint64_t>(seen.first_seen_ms));
  }
  for (const auto& [pod, failure] : memory.log_failures) {
    hasher.Text(pod).Int(static_cast<uint64_t>(failure.first_failed_ms));
  }
  return hasher.Finish();
}

struct TakeLow {
  size_t operator()(const sim::Hash128& hash) const { return hash.lo; }
};

}  // namespace

// A place in the tree: the code stands before a question, or has ended.
struct PassMemo::Node {
  std::optional<api::Question> question;
  std::vector<std::unique_ptr<Edge>> answers;  // In the order in which they were first had.
  std::optional<PassEnd> end;

  const Edge* Find(const api::Answer& answer) const;
  const Edge* Add(api::Answer answer);
};

struct PassMemo::Edge {
  const Node* from = nullptr;
  api::Answer answer;
  std::unique_ptr<Node> to;
};

const PassMemo::Edge* PassMemo::Node::Find(const api::Answer& answer) const {
  for (const std::unique_ptr<Edge>& edge : answers) {
    if (SameAnswer(edge->answer, answer)) return edge.get();
  }
  return nullptr;
}

const PassMemo::Edge* PassMemo::Node::Add(api::Answer answer) {
  answers.push_back(std::make_unique<Edge>());
  Edge& edge = *answers.back();
  edge.from = this;
  edge.answer = std::move(answer);
  edge.to = std::make_unique<Node>();
  return &edge;
}

struct PassMemo::Roots {
  struct Root {
    api::Key resource;
    api::Configuration configuration;
    sim::Cow<api::Memory> memory;
    Node node;
  };
  // By a hash of the memory, which tells most of them apart; looked up, never walked.
  absl::flat_hash_map<sim::Hash128, std::vector<std::unique_ptr<Root>>, TakeLow> by_memory;
};

// Answers the code from the way that was walked already, and from then on behind the real door,
// noting what comes.
class PassMemo::Recorder final : public api::Door {
 public:
  Recorder(api::Door& live, const std::vector<const Edge*>& way, Node& at)
      : live_(live), way_(way), at_(&at) {}

  api::Answer Call(const api::Question& question) override {
    if (next_ < way_.size()) {
      const Edge& edge = *way_[next_++];
      CheckSame(question, *edge.from->question);
      return edge.answer;
    }
    at_->question = question;
    const Edge* edge = at_->Add(live_.Call(question));
    at_ = edge->to.get();
    return edge->answer;
  }
  // Where the code stands now.
  Node& at() { return *at_; }

 private:
  api::Door& live_;
  const std::vector<const Edge*>& way_;
  size_t next_ = 0;
  Node* at_;
};

// Answers the code from a whole way, and touches nothing.
class PassMemo::Rerun final : public api::Door {
 public:
  explicit Rerun(const std::vector<const Edge*>& way) : way_(way) {}
  api::Answer Call(const api::Question& question) override {
    STOPGAP_CHECK(next_ < way_.size(),
                  absl::StrCat("the code is not deterministic: where it ended before it asked ",
                               Describe(question)));
    const Edge& edge = *way_[next_++];
    CheckSame(question, *edge.from->question);
    return edge.answer;
  }
  bool finished() const { return next_ == way_.size(); }

 private:
  const std::vector<const Edge*>& way_;
  size_t next_ = 0;
};

bool SameAnswer(const api::Answer& a, const api::Answer& b) {
  if (a.time_ms != b.time_ms || !SameStored(a.stored, b.stored) || a.list.size() != b.list.size() ||
      a.bytes != b.bytes || a.status != b.status) {
    return false;
  }
  for (size_t i = 0; i < a.list.size(); ++i) {
    if (!SameStored(a.list[i], b.list[i])) return false;
  }
  return true;
}

bool SameQuestion(const api::Question& a, const api::Question& b) {
  if (a.body.index() != b.body.index()) return false;
  return std::visit(
      [&](const auto& body) { return Same(body, std::get<std::decay_t<decltype(body)>>(b.body)); },
      a.body);
}

PassMemo::PassMemo() : roots_(std::make_unique<Roots>()) {}
PassMemo::~PassMemo() = default;

PassMemo::Node& PassMemo::RootOf(const Key& key) {
  auto& roots = roots_->by_memory[key.memory.Digest(HashOf)];
  for (const std::unique_ptr<Roots::Root>& root : roots) {
    if (root->resource == key.resource && root->configuration == key.configuration &&
        root->memory == key.memory) {
      return root->node;
    }
  }
  roots.push_back(std::make_unique<Roots::Root>());
  Roots::Root& root = *roots.back();
  root.resource = key.resource;
  root.configuration = key.configuration;
  root.memory = key.memory;
  return root.node;
}

PassEnd PassMemo::Run(const Key& key, api::Door& door, const Code& code) {
  ++passes_;
  std::vector<const Edge*> way;
  Node* at = &RootOf(key);
  while (at->question.has_value()) {
    api::Answer answer = door.Call(*at->question);
    const Edge* edge = at->Find(answer);
    if (edge == nullptr) edge = at->Add(std::move(answer));
    way.push_back(edge);
    at = edge->to.get();
  }
  if (at->end.has_value()) {
    if (passes_ % kSampleEvery == 0) CheckSample(key, way, *at, code);
    return *at->end;
  }
  ++executed_;
  Recorder recorder(door, way, *at);
  api::Memory memory = *key.memory;
  PassEnd end;
  end.result = code(recorder, memory);
  end.memory = memory == *key.memory ? key.memory : sim::Cow<api::Memory>(std::move(memory));
  recorder.at().end = end;
  return end;
}

void PassMemo::CheckSample(const Key& key, const std::vector<const Edge*>& way, const Node& end,
                           const Code& code) const {
  Rerun rerun(way);
  api::Memory memory = *key.memory;
  const api::PassResult result = code(rerun, memory);
  STOPGAP_CHECK(
      rerun.finished() && SameResult(result, end.end->result) && memory == *end.end->memory,
      absl::StrCat("the code is not deterministic: a pass over ", api::ShortName(key.resource),
                   " ended differently after the same "
                   "answers"));
}

}  // namespace model

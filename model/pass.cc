#include "model/pass.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/api/time_fields.h"
#include "lifecycle/migration/reconciler.h"
#include "lifecycle/schema/schema_reconciler.h"
#include "model/objects.h"
#include "sim/actor.h"
#include "sim/actors.h"
#include "sim/informers.h"
#include "sim/meddling.h"
#include "sim/names.h"
#include "sim/people.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// Where a pass may be left standing: around the steps of a dispatch that cross the boundary, each
// of which relies on what an earlier one wrote or read.
constexpr int kStandBefore[] = {11, 12, 13, 15};
constexpr int kStandAfter = 13;

bool IsJobCreate(const api::Request& request) {
  return request.verb == api::Verb::kCreate && request.key.kind == api::Kind::kJob;
}

// Whether the write leaves a claim that says that it dispatched.
bool IsMarked(const api::Request& request) {
  if (request.key.kind == api::Kind::kPtahSchema) {
    const auto& schema = static_cast<const api::PtahSchema&>(*request.body);
    return schema.status().active_operation().dispatch_started();
  }
  if (request.key.kind != api::Kind::kPtahMigration) return false;
  const auto& migration = static_cast<const api::PtahMigration&>(*request.body);
  return migration.status().active_operation().dispatch_started();
}

// Whether somebody could come between two calls of a pass: another manager, or who meddles with an
// operation's Job. Where nobody can, a pass that waits shows nothing new. A claim that only reads
// has but the Job to lose, and nothing that another manager would do to it.
bool SomebodyMayComeBetween(const sim::World& world, bool mutating) {
  const auto running = std::count_if(world.processes.begin(), world.processes.end(),
                                     [](const sim::Process& process) { return process.running; });
  return (mutating && running > 1) ||
         std::any_of(world.person.begin(), world.person.end(),
                     [](const auto& act) { return act.second > 0 && sim::IsMeddling(act.first); });
}

// Whether the write is of an operation that changes a database.
bool IsOfMutating(const sim::World& world, const SentWrite& sent) {
  const api::Key& key = sent.request->key;
  const ResourceView resource = ViewOf(sent.after);
  const std::string& job = resource.claim == nullptr ? key.name : resource.claim->job_name();
  const sim::OperationTruth* operation = sim::OperationOfJobName(world, key.namespace_, job);
  return operation == nullptr || operation->mutating;  // The approval is an Apply's.
}

absl::string_view VerbName(api::Verb verb) {
  switch (verb) {
    case api::Verb::kCreate:
      return "create";
    case api::Verb::kUpdate:
      return "update";
    case api::Verb::kPatch:
      return "patch";
    case api::Verb::kDelete:
      return "delete";
  }
  return "";
}

std::string RequestText(const api::Request& request) {
  return absl::StrCat(VerbName(request.verb), " ", api::ShortName(request.key),
                      request.subresource == api::Subresource::kStatus ? " status" : "");
}

api::Answer ErrorAnswer(int code, const char* reason, std::string message) {
  api::Answer answer;
  answer.status = api::ToStatus(api::ApiError{code, reason, std::move(message)});
  return answer;
}

api::Answer TimeoutAnswer() {
  return ErrorAnswer(504, api::kTimeout, "request did not complete within the allowed duration");
}

// The answer that a fate gives instead of the server's.
api::Answer AnswerOf(Fate fate, const api::Request& request) {
  switch (fate) {
    case Fate::kLands:
      return {};
    case Fate::kConflict:
      return ErrorAnswer(409, api::kConflict,
                         absl::StrCat("Operation cannot be fulfilled on \"", request.key.name,
                                      "\": the object has been modified"));
    case Fate::kFails:
    case Fate::kLostStored:
      return TimeoutAnswer();
    case Fate::kRefused:
      return ErrorAnswer(500, api::kInternalError,
                         "Internal error occurred: failed calling webhook "
                         "\"controller-writes.operator.ptah.run\": connection refused");
  }
  return {};
}

// Stands between the code of one pass and the world.
class PassDoor final : public api::Door {
 public:
  PassDoor(const sim::ApiServer& server, sim::World& world, PassTrace& trace,
           StepRun<sim::World>* run, PassObserver* observer, const PassRunner::TagOf& tag_of,
           const sim::DigestOptions& digest)
      : server_(server),
        world_(world),
        trace_(trace),
        run_(run),
        observer_(observer),
        tag_of_(tag_of),
        digest_(digest) {}

  // Answers that the pass has had already, and whether it is to be left standing after `calls`.
  void Resume(const sim::PausedPass* paused) {
    if (paused == nullptr) return;
    recorded_ = paused->answers;
    tokens_ = paused->tokens;
    replay_to_ = recorded_.size();
  }
  void PauseAfter(size_t calls) {
    pause_after_ = calls;
    recording_ = true;
  }
  // From now on the run may choose where the pass is left standing.
  void OfferPauses() {
    offers_pauses_ = true;
    recording_ = true;
    pause_after_ = SIZE_MAX;
  }
  // From now on the run may choose reads that go unanswered.
  void OfferFailingReads() { failing_reads_ = true; }
  const std::optional<sim::World>& paused_world() const { return paused_world_; }
  const sim::PausedPass& paused() const { return paused_; }

  api::Answer Call(const api::Question& question) override {
    // Events and the journal tell people something and change nothing: they are no boundary.
    if (const auto* journal = std::get_if<api::JournalQuestion>(&question.body)) {
      if (trace_.calls < replay_to_) return {};  // Said before the pass was left standing.
      Note([&] { return absl::StrCat("rule ", journal->rule); });
      if (observer_ != nullptr) observer_->Followed(journal->rule, trace_);
      return {};
    }
    if (std::holds_alternative<api::EventQuestion>(question.body)) {
      const auto& told = std::get<api::EventQuestion>(question.body);
      if (told.warning) trace_.warnings.push_back(told.message);
      Note([&] {
        const auto& event = std::get<api::EventQuestion>(question.body);
        return absl::StrCat("event ", event.reason, ": ", event.message);
      });
      return {};
    }
    if (recording_ && trace_.calls == pause_after_ && !paused_world_) {
      paused_world_ = world_;
      paused_.answers = recorded_;
      paused_.tokens = tokens_;
    }
    const size_t call = trace_.calls++;
    if (call < replay_to_) {
      if (const auto* request = std::get_if<api::Request>(&question.body)) {
        Remember(*request, recorded_[call]);
      }
      return recorded_[call];
    }
    api::Answer answer =
        std::visit([&](const auto& body) { return Ask(body, question.site); }, question.body);
    if (recording_) recorded_.push_back(answer);
    return answer;
  }

 private:
  sim::Process& process() { return world_.processes[trace_.id.process]; }

  // What the trace has to know of a write that was made before the pass was left standing. No pass
  // is left standing after an answer that was a fault's.
  void Remember(const api::Request& request, const api::Answer& answer) {
    if (IsJobCreate(request)) {
      trace_.create_sent = true;
      trace_.create_stored |= answer.status.ok();
    }
    trace_.marked_before |= answer.status.ok() && IsMarked(request);
  }

  void Note(TextFn text) {
    if (run_ != nullptr && run_->Describing()) run_->Note(text);
  }

  // Whether a read goes unanswered, where the scenario has that.
  bool Fails(absl::string_view verb, const std::string& what) {
    if (run_ == nullptr || !failing_reads_) return false;
    const uint32_t picked = run_->Choose(2, 1, [&](uint32_t option) {
      return ChoiceText{absl::StrCat(verb, " ", what),
                        option == 0 ? "is answered" : "is not answered"};
    });
    trace_.harmed |= picked != 0;
    return picked != 0;
  }

  // What a cached read is answered from: a cache is in the process's own memory, so it may be old,
  // but it answers.
  const sim::World& Shown(api::Kind kind) {
    trace_.cached = true;
    trace_.cached_wrongly |= !sim::MayBeCached(kind);
    if (process().cache == nullptr) return world_;
    shown_ = sim::ShownBy(world_, process());
    return shown_;
  }

  // The first read of the Job, and of its Pods where it stands, are for the account. What is asked
  // of them after that is whether its executor may still write (spec 03, 9).
  void NoteUnanswered(api::Kind kind) {
    trace_.unanswered = true;
    const bool whether = (kind == api::Kind::kJob && asked_for_job_) ||
                         (kind == api::Kind::kPod && (asked_for_pods_ || !job_stands_));
    trace_.evidence_unanswered |= !whether;
  }

  void NoteDecision(api::Kind kind, const api::AnyStored& stored) {
    if (!api::CreationOrderMatters(kind)) return;
    trace_.decisions.push_back(api::MetaOf(*stored.object).uid());
  }

  api::Answer Ask(const api::ReadQuestion& question, api::Site) {
    if (question.freshness == api::Freshness::kCached) {
      // Of decisions only a list may be old: it says whom to ask.
      trace_.cached_wrongly |= api::CreationOrderMatters(question.key.kind);
      return server_.Read(Shown(question.key.kind), question);
    }
    if (Fails("read", api::ShortName(question.key))) {
      NoteUnanswered(question.key.kind);
      return TimeoutAnswer();
    }
    api::Answer answer = server_.Read(world_, question);
    asked_for_job_ |= question.key.kind == api::Kind::kJob;
    job_stands_ |= question.key.kind == api::Kind::kJob && answer.status.ok();
    if (question.key.kind == api::Kind::kJob && answer.status.ok()) {
      sim::ObserveJobRead(world_, *world_.Find(question.key));
    }
    if (answer.status.ok()) NoteDecision(question.key.kind, answer.stored);
    return answer;
  }
  api::Answer Ask(const api::ListQuestion& question, api::Site) {
    if (question.freshness == api::Freshness::kCached) {
      return server_.List(Shown(question.kind), question);
    }
    if (Fails("list", std::string(api::KindName(question.kind)))) {
      NoteUnanswered(question.kind);
      return TimeoutAnswer();
    }
    asked_for_pods_ |= question.kind == api::Kind::kPod;
    api::Answer answer = server_.List(world_, question);
    for (const api::AnyStored& one : answer.list) NoteDecision(question.kind, one);
    return answer;
  }
  api::Answer Ask(const api::LogQuestion& question, api::Site) {
    if (Fails("read the log of", question.pod)) return TimeoutAnswer();
    trace_.read_log = true;
    return server_.Log(world_, question);
  }
  api::Answer Ask(const api::WallClockQuestion&, api::Site) {
    api::Answer answer;
    answer.time_ms = world_.now_ms + process().wall_offset_ms;
    return answer;
  }
  api::Answer Ask(const api::MonotonicClockQuestion&, api::Site) {
    api::Answer answer;
    answer.time_ms = world_.now_ms - process().started_ms;
    return answer;
  }
  api::Answer Ask(const api::RandomQuestion& question, api::Site) {
    api::Answer answer;
    answer.bytes =
        sim::NextToken(world_, process().name, question.resource, question.purpose, tokens_);
    tokens_.push_back(answer.bytes);
    return answer;
  }
  api::Answer Ask(const api::EventQuestion&, api::Site) { return {}; }
  api::Answer Ask(const api::JournalQuestion&, api::Site) { return {}; }

  api::Answer Ask(const api::Request& request, api::Site site) {
    const Fate fate = ChooseFate(request);
    const bool job_create = IsJobCreate(request);
    if (job_create) trace_.create_sent = true;
    SentWrite sent;
    sent.request = &request;
    sent.fate = fate;
    sent.site = site;
    const sim::World before = world_;
    const sim::Entry* stored_before = before.Find(request.key);
    sent.before = stored_before == nullptr ? nullptr : stored_before->object;
    api::Answer answer;
    if (fate == Fate::kLands || fate == Fate::kLostStored) {
      answer = server_.Write(world_, request);
      sent.stored = answer.status.ok();
      sent.refused = !sent.stored;
    }
    if (fate != Fate::kLands) {
      trace_.harmed = true;
      answer = AnswerOf(fate, request);
    }
    if (job_create) {
      trace_.create_stored |= sent.stored;
      // Of a name that is taken nobody can say by whose create (spec 03, 4.1).
      const bool exists = api::IsAlreadyExists(answer.status);
      trace_.create_refused |= fate == Fate::kRefused || (sent.refused && !exists);
      trace_.create_ambiguous |= fate == Fate::kFails || fate == Fate::kLostStored || exists;
    }
    const sim::Entry* stored_after = world_.Find(request.key);
    sent.after = stored_after == nullptr ? nullptr : stored_after->object;
    if (sent.stored) {
      sent.writes = WritesOf(request, sent.before, sent.after,
                             {.created_in_this_pass = trace_.create_stored});
      trace_.writes |= sent.writes;
      trace_.changed_unanswered |= trace_.unanswered;
      if (run_ != nullptr) run_->Wrote();
    }
    sent.world_before = &before;
    sent.world_after = &world_;
    NoteWrite(sent, answer);
    if (observer_ != nullptr) observer_->Sent(sent, trace_);
    if (sent.stored) trace_.previous = sent.writes;
    if (fate == Fate::kLands && sent.stored && run_ != nullptr) {
      OfferStop(before, sent, false);
      OfferStop(world_, sent, true);
      OfferPauseBefore(before, sent);
      OfferPauseAfter(sent, answer);
    }
    return answer;
  }

  Fate ChooseFate(const api::Request& request) {
    if (run_ == nullptr) return Fate::kLands;
    const std::vector<Fate> fates = FatesOf(request);
    const uint32_t picked =
        run_->Choose(static_cast<uint32_t>(fates.size()), 1, [&](uint32_t option) {
          return ChoiceText{RequestText(request), std::string(FateName(fates[option]))};
        });
    return fates[picked];
  }

  void OfferStop(const sim::World& world, const SentWrite& sent, bool after) {
    const uint32_t tag = tag_of_ ? tag_of_(trace_.resource, sent.writes, after) : 0;
    run_->Cut(
        {.faults = 1, .tag = tag}, [&] { return Stopped(world, trace_.id.process, digest_); },
        [&] {
          return absl::StrCat("stop ", after ? "after " : "before ", WriteNames(sent.writes), " ",
                              api::ShortName(sent.request->key));
        });
  }

  void OfferPauseBefore(const sim::World& before, const SentWrite& sent) {
    const bool stands = std::any_of(std::begin(kStandBefore), std::end(kStandBefore),
                                    [&](int number) { return sent.writes.Has(number); });
    if (stands) OfferPause(before, sent, "before ", recorded_);
  }

  void OfferPauseAfter(const SentWrite& sent, const api::Answer& answer) {
    if (!sent.writes.Has(kStandAfter)) return;
    std::vector<api::Answer> answers = recorded_;
    answers.push_back(answer);
    OfferPause(world_, sent, "after ", std::move(answers));
  }

  // A pass that stands is over for this run: whatever the code does from here on is heard by
  // nobody, and what it leaves is thrown away.
  void OfferPause(const sim::World& world, const SentWrite& sent, absl::string_view side,
                  std::vector<api::Answer> answers) {
    if (!offers_pauses_ || run_ == nullptr || trace_.harmed) return;
    if (!SomebodyMayComeBetween(world, IsOfMutating(world_, sent))) return;
    const uint32_t stands = run_->Choose(2, 0, [&](uint32_t option) {
      return ChoiceText{
          absl::StrCat(side, WriteNames(sent.writes), " ", api::ShortName(sent.request->key)),
          option == 0 ? "goes on" : "is left standing"};
    });
    if (stands == 0) return;
    paused_world_ = world;
    --paused_world_->person.Edit(sim::act::kPreempt);
    paused_.answers = std::move(answers);
    paused_.tokens = tokens_;
    run_ = nullptr;
    observer_ = nullptr;
  }

  void NoteWrite(const SentWrite& sent, const api::Answer& answer) {
    Note([&] {
      std::string text = absl::StrCat(RequestText(*sent.request), "  ");
      if (sent.stored) {
        absl::StrAppend(&text, WriteNames(sent.writes), "  ");
        if (sent.before == nullptr) {
          absl::StrAppend(&text, "created");
        } else if (sent.after == nullptr) {
          absl::StrAppend(&text, "gone");
        } else {
          absl::StrAppend(&text, api::DescribeChange(*sent.before->message, *sent.after->message));
        }
      } else {
        absl::StrAppend(&text, "nothing stored");
      }
      if (!answer.status.ok()) absl::StrAppend(&text, "  -> ", answer.status.message());
      if (sent.site.file[0] != '\0') {
        absl::StrAppend(&text, "  (", sent.site.file, ":", sent.site.line, ")");
      }
      return text;
    });
  }

  const sim::ApiServer& server_;
  sim::World& world_;
  PassTrace& trace_;
  StepRun<sim::World>* run_;
  PassObserver* observer_;
  const PassRunner::TagOf& tag_of_;
  const sim::DigestOptions digest_;

  std::vector<api::Answer> recorded_;
  std::vector<std::string> tokens_;
  size_t replay_to_ = 0;
  bool recording_ = false;
  bool offers_pauses_ = false;
  bool failing_reads_ = false;
  bool asked_for_job_ = false;   // And was answered,
  bool job_stands_ = false;      // with a Job;
  bool asked_for_pods_ = false;  // the same of Pods.
  sim::World shown_;             // While a cached read is answered from caches that lag.
  size_t pause_after_ = 0;
  std::optional<sim::World> paused_world_;
  sim::PausedPass paused_;
};

// Lets everything through but the journal, which it drops.
class SilentDoor final : public api::Door {
 public:
  explicit SilentDoor(api::Door& door) : door_(door) {}
  api::Answer Call(const api::Question& question) override {
    if (std::holds_alternative<api::JournalQuestion>(question.body)) return {};
    return door_.Call(question);
  }

 private:
  api::Door& door_;
};

std::unique_ptr<api::Reconciler> MakeReconciler(const api::Key& resource, api::Client& client,
                                                api::Memory& memory,
                                                const api::Configuration& configuration,
                                                const api::Timing& timing,
                                                const lifecycle::dispatch::Design& design) {
  if (resource.kind == api::Kind::kPtahSchema) {
    return std::make_unique<lifecycle::schema::SchemaReconciler>(client, memory, configuration,
                                                                 timing, design);
  }
  STOPGAP_CHECK(resource.kind == api::Kind::kPtahMigration, "no controller for this kind");
  return std::make_unique<lifecycle::migration::MigrationReconciler>(client, memory, configuration,
                                                                     timing, design);
}

// Requeues up to this are polls: the pass looks again at something that may not have changed.
constexpr int64_t kPollMaxMs = 60'000;

// How long an error that came twice waits at least.
constexpr int64_t kErrorRetryMs = 1'000;

// When the resource is due after a pass that answered `result`.
sim::Due NextDue(const sim::World& world, const sim::Due& before, const sim::Due& now,
                 const api::PassResult& result, bool harmed) {
  // A watch fired while the pass ran: it runs again at once.
  if (now.when == sim::Due::When::kNow) return now;
  sim::Due due;
  due.when = sim::Due::When::kNever;
  if (result.status.ok() && !result.requeue_after_ms) return due;
  const int64_t after_ms = result.status.ok() ? *result.requeue_after_ms : 0;
  if (result.status.ok() && after_ms == 0) {
    due.when = sim::Due::When::kNow;
    return due;
  }
  due.at_ms = world.now_ms + (result.status.ok() ? after_ms : kErrorRetryMs);
  if (after_ms > kPollMaxMs) {
    due.when = sim::Due::When::kAt;
    return due;
  }
  due.seen = sim::ContentDigest(world);
  // A poll that read what the last one read waits for something to happen, or for a later target.
  // So does an error that comes again: its first retry is at once, as a short back-off is.
  // What a fault answered says nothing of the next answer.
  const bool again = !harmed && before.seen == due.seen && before.when != sim::Due::When::kNever;
  due.when = again ? sim::Due::When::kParked : sim::Due::When::kAt;
  if (!again && !result.status.ok()) {
    due.when = sim::Due::When::kNow;
    due.at_ms = 0;
  }
  return due;
}

}  // namespace

absl::string_view FateName(Fate fate) {
  switch (fate) {
    case Fate::kLands:
      return "lands";
    case Fate::kConflict:
      return "conflict";
    case Fate::kFails:
      return "answer lost, not stored";
    case Fate::kLostStored:
      return "answer lost, stored";
    case Fate::kRefused:
      return "refused before storage";
  }
  return "";
}

std::vector<Fate> FatesOf(const api::Request& request) {
  if (IsJobCreate(request)) {
    return {Fate::kLands, Fate::kRefused, Fate::kFails, Fate::kLostStored};
  }
  if (request.verb == api::Verb::kCreate) {
    return {Fate::kLands, Fate::kFails, Fate::kLostStored};
  }
  return {Fate::kLands, Fate::kConflict, Fate::kFails, Fate::kLostStored};
}

sim::World PassRunner::Run(const sim::World& world, PassId id, bool probe, StepRun<sim::World>* run,
                           PassObserver* observer) const {
  sim::World end = world;
  sim::Process& process = end.processes[id.process];
  sim::Work& work = process.work[id.work];
  PassTrace trace;
  trace.id = id;
  trace.resource = work.resource;
  trace.due =
      sim::IsDue(world, world.processes[id.process], world.processes[id.process].work[id.work]);
  trace.probe = probe;
  trace.start = &world;
  trace.resumed = work.paused != nullptr;
  const sim::Due due_before = work.due;
  const std::shared_ptr<const sim::PausedPass> paused = std::move(work.paused);
  work.paused = nullptr;
  if (paused == nullptr) work.due = sim::Due{.when = sim::Due::When::kNever};

  PassDoor door(server_, end, trace, run, observer, tag_of, digest_);
  door.Resume(paused.get());
  if (run != nullptr && sim::PersonHasLeft(world, sim::act::kPreempt) > 0) door.OfferPauses();
  if (failing_reads_) door.OfferFailingReads();
  const PassMemo::Code code = [&](api::Door& way_out, api::Memory& memory) {
    SilentDoor silent(way_out);
    api::Client client(journal_ ? way_out : silent, process.configuration->user);
    return MakeReconciler(trace.resource, client, memory, *process.configuration, timing_, design_)
        ->Reconcile(trace.resource.namespace_, trace.resource.name);
  };
  // What is told in words, and a pass that was left standing, is always real code.
  const bool told = run != nullptr && run->Describing();
  PassEnd ended;
  if (memo_ != nullptr && paused == nullptr && !told) {
    ended = memo_->Run({trace.resource, *process.configuration, process.memory}, door, code);
  } else {
    api::Memory memory = *process.memory;
    ended.result = code(door, memory);
    ended.memory = sim::Cow<api::Memory>(std::move(memory));
  }
  if (door.paused_world()) return Standing(*door.paused_world(), id, door.paused());
  const api::PassResult& result = ended.result;
  if (!(process.memory == ended.memory)) process.memory = ended.memory;
  // A pass that only hands back a realm (B-3, C-3) looks at nothing else.
  const sim::Entry* began = world.Find(trace.resource);
  if (!trace.harmed && (began == nullptr || ViewOf(began->object).release == nullptr)) {
    end.truth.copy_tampered = false;
  }
  work.due = NextDue(end, due_before, work.due, result, trace.harmed);
  if (run != nullptr && run->Describing()) {
    run->Note([&] {
      if (!result.status.ok()) return absl::StrCat("ends with error: ", result.status.message());
      if (!result.requeue_after_ms) return std::string("ends, waits to be woken");
      return absl::StrCat("ends, again after ", *result.requeue_after_ms, " ms");
    });
  }
  if (observer != nullptr) observer->Ended(result, trace, end);
  sim::EndStep(end, digest_);
  return end;
}

std::optional<sim::World> PassRunner::PauseAfter(const sim::World& world, PassId id,
                                                 size_t calls) const {
  sim::World scratch = world;
  sim::Process& process = scratch.processes[id.process];
  sim::Work& work = process.work[id.work];
  PassTrace trace;
  trace.id = id;
  trace.resource = work.resource;
  trace.start = &world;
  const std::shared_ptr<const sim::PausedPass> paused = std::move(work.paused);
  work.paused = nullptr;
  work.due = sim::Due{.when = sim::Due::When::kNever};

  PassDoor door(server_, scratch, trace, nullptr, nullptr, tag_of, digest_);
  door.Resume(paused.get());
  door.PauseAfter(calls);
  api::Client client(door, process.configuration->user);
  api::Memory memory = *process.memory;
  MakeReconciler(work.resource, client, memory, *process.configuration, timing_, design_)
      ->Reconcile(trace.resource.namespace_, trace.resource.name);
  if (!door.paused_world()) return std::nullopt;
  return Standing(*door.paused_world(), id, door.paused());
}

sim::World PassRunner::Standing(sim::World world, PassId id, sim::PausedPass paused) const {
  world.processes[id.process].work[id.work].paused =
      std::make_shared<const sim::PausedPass>(std::move(paused));
  sim::EndStep(world, digest_);
  return world;
}

sim::World Stopped(const sim::World& world, size_t index, const sim::DigestOptions& digest) {
  sim::World stopped = world;
  sim::Process& process = stopped.processes[index];
  process.memory = {};
  process.cache = nullptr;
  process.started_ms = stopped.now_ms;
  for (sim::Work& work : process.work) {
    work.due = sim::Due{.when = sim::Due::When::kNow};
    work.paused = nullptr;
  }
  sim::EndStep(stopped, digest);
  return stopped;
}

}  // namespace model

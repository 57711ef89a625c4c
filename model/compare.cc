#include "model/compare.h"

#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/rules/variations.h"
#include "model/compare_harvest.h"
#include "model/scene.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using lifecycle::rules::Variation;
using lifecycle::rules::VariationsOf;

// The first so many views are all compared, and one in so many after them.
constexpr size_t kViewsAll = 32;
constexpr uint64_t kViewShare = 16;
// Jobs of one scenario, and into how many shares the variations of one are dealt.
constexpr size_t kJobsMax = 24;
constexpr size_t kJobsMaxOfEvery = 240;
constexpr uint32_t kShares = 24;

lifecycle::dispatch::ClaimContext ContextOf(const ResourceView& view) {
  const bool schema = view.schema != nullptr;
  return {
      .family = schema ? lifecycle::rules::Family::kSchema : lifecycle::rules::Family::kMigration,
      .owner = *view.meta,
      .claim = *view.claim,
      .binding = BindingOf(view),
      .plan = schema && IsApply(*view.claim) ? &view.schema->status().plan() : nullptr};
}

std::string Disagreement(bool webhook, const std::string& what, const absl::Status& refusal) {
  return absl::StrCat("the webhook ", webhook ? "admits" : "refuses", " a Job that the controller ",
                      webhook ? "refuses" : "accepts", ", with ",
                      what.empty() ? "nothing changed" : what, ": ", refusal.message());
}

}  // namespace

Comparer::Comparer(sim::Interner& interner, const api::Admission& webhook, const PassRunner& runner,
                   const sim::DigestOptions& digest, Deal deal)
    : interner_(interner),
      runner_(runner),
      digest_(digest),
      deal_(deal),
      bare_(interner, {}),
      judged_(interner, {&webhook}) {}

bool Comparer::IsSampled(const sim::World& world) {
  if (all_) return true;
  const sim::Hash128 view = sim::ViewDigest(world, digest_);
  if (views_.size() >= kViewsAll && view.lo % kViewShare != 0) return false;
  return views_.insert({view.hi, view.lo}).second;
}

void Comparer::OfState(const sim::World& world, Findings& findings) {
  CleanupTtls(world, findings);
  if (!IsSampled(world)) return;
  Scramble(world, findings);
  Harvests(world, findings);
}

void Comparer::Scramble(const sim::World& world, Findings& findings) {
  for (size_t process = 0; process < world.processes.size(); ++process) {
    if (!world.processes[process].running) continue;
    const sim::World fresh = Stopped(world, process, digest_);
    const sim::World scrambled = Scrambled(fresh, interner_);
    for (size_t work = 0; work < fresh.processes[process].work.size(); ++work) {
      const Conclusion told = ConclusionOf(runner_, fresh, {process, work});
      const Conclusion other = ConclusionOf(runner_, scrambled, {process, work});
      findings.Expect(Property::kS45, told == other, [&] {
        std::string text =
            absl::StrCat(api::ShortName(fresh.processes[process].work[work].resource),
                         ": with other reasons and phases a pass concludes otherwise:");
        for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
          const Verdict one = static_cast<Verdict>(verdict);
          if (told.verdicts.Has(one) == other.verdicts.Has(one)) continue;
          absl::StrAppend(&text, told.verdicts.Has(one) ? " no " : " ", VerdictName(one));
        }
        if (told.cleans != other.cleans) {
          absl::StrAppend(&text, told.cleans ? " no " : " ", "cleanup");
        }
        return text;
      });
    }
  }
}

void Comparer::Harvests(const sim::World& world, Findings& findings) {
  for (size_t process = 0; process < world.processes.size(); ++process) {
    if (!world.processes[process].running) continue;
    for (size_t work = 0; work < world.processes[process].work.size(); ++work) {
      const std::optional<std::string> wrong =
          CompareHarvests(Stopped(world, process, digest_), {process, work}, runner_, interner_);
      if (!wrong) continue;
      findings.Expect(Property::kS31, wrong->empty(), [&] {
        return absl::StrCat(api::ShortName(world.processes[process].work[work].resource), ": ",
                            *wrong);
      });
    }
  }
}

size_t Comparer::JobsMax() const { return deal_.every ? kJobsMaxOfEvery : kJobsMax; }

std::optional<uint32_t> Comparer::ShareOf(const std::string& job, std::set<std::string>& seen) {
  if (all_) return kShares;
  if (seen.size() >= JobsMax() || !seen.insert(job).second) return std::nullopt;
  if (deal_.every) return kShares;
  return static_cast<uint32_t>((deal_.from + seen.size() - 1) % kShares);
}

namespace {

// The Job and the variations of it that fall into the share; the Job itself comes first.
std::vector<Variation> JobsOf(const api::Job& job, uint32_t share) {
  std::vector<Variation> jobs;
  jobs.push_back({"", std::make_unique<api::Job>(job)});
  for (Variation& variation : VariationsOf(
           job, [share](size_t index) { return share == kShares || index % kShares == share; })) {
    jobs.push_back(std::move(variation));
  }
  return jobs;
}

const api::Job& JobIn(const Variation& variation) {
  return static_cast<const api::Job&>(*variation.message);
}

}  // namespace

namespace {

// The controller's match of a Job it would have sent, as it is sent and as it would read it back.
absl::Status MatchOfCreate(const lifecycle::dispatch::ClaimContext& context,
                           const api::Job& submitted, const api::Job& stored,
                           const api::Job& expected) {
  absl::Status match = lifecycle::dispatch::HoldToBuilt(lifecycle::rules::JobAsker::kWebhookCreate,
                                                        context, submitted, expected);
  return match.ok() ? lifecycle::dispatch::HoldToBuilt(lifecycle::rules::JobAsker::kReadBack,
                                                       context, stored, expected)
                    : match;
}

}  // namespace

void Comparer::OfWrite(const SentWrite& write, const PassTrace& trace, Findings& findings) {
  Takeover(write, trace, findings);
  if (!IsJobCreate(*write.request)) return;
  const sim::World& world = *write.world_before;
  const sim::Entry* entry = world.Find(trace.resource);
  const ResourceView view = ViewOf(entry == nullptr ? nullptr : entry->object);
  if (view.key == nullptr || view.claim == nullptr || world.Find(write.request->key) != nullptr ||
      view.claim->job_name() != write.request->key.name) {
    return;
  }
  const std::optional<uint32_t> share = ShareOf(write.request->key.name, created_);
  if (!share) return;
  if (*share == kShares) held_to_every_.insert(absl::StrCat("create ", view.claim->type()));
  const api::Job& sent = static_cast<const api::Job&>(*write.request->body);
  for (Variation& variation : JobsOf(sent, *share)) {
    const api::Job& job = JobIn(variation);
    if (job.metadata().name() != sent.metadata().name() ||
        job.metadata().namespace_() != sent.metadata().namespace_()) {
      continue;  // Another object: no read of the claim's name ever finds it.
    }
    api::Request request = *write.request;
    request.body = std::shared_ptr<const google::protobuf::Message>(std::move(variation.message));
    // What a server makes of it before a webhook sees it. One it would refuse itself is no
    // question.
    const absl::StatusOr<sim::Admitted> submitted = bare_.Admit(world, request);
    if (!submitted.ok()) continue;
    sim::World after = world;
    const api::Answer stored = bare_.Store(after, *submitted);
    if (!stored.status.ok()) continue;
    const bool admitted = judged_.Admit(world, request).ok();
    const absl::Status match =
        MatchOfCreate(ContextOf(view), submitted->after->As<api::Job>(),
                      static_cast<const api::Job&>(*stored.stored.object), sent);
    findings.Expect(Property::kS44, admitted == match.ok(), [&] {
      return absl::StrCat(api::ShortName(trace.resource), ": at the create, ",
                          Disagreement(admitted, variation.path, match));
    });
  }
}

namespace {

// Whether the controller would ask for the Job's cleanup: the record that names it, and its match.
absl::Status MayBeCleaned(const ResourceView& view, const api::Job& job) {
  const bool retired =
      view.schema != nullptr &&
      view.schema->status().pending_binding_retirement().job().name() == job.metadata().name();
  const bool ended = IsTerminal(job);
  const absl::Status running = absl::FailedPreconditionError("the Job is still running");
  if (retired) {
    if (!ended) return running;
    return view.claim != nullptr
               ? lifecycle::dispatch::HoldRetiredReading(
                     lifecycle::rules::JobAsker::kWebhookTtlRetiredReading, *view.schema, job)
               : lifecycle::dispatch::HoldRetiredApply(
                     lifecycle::rules::JobAsker::kWebhookTtlRetiredApply, *view.schema, job);
  }
  if (!ended && !(view.schema != nullptr && IsApply(*view.claim))) return running;
  return lifecycle::dispatch::HoldToEnvelope(lifecycle::rules::JobAsker::kWebhookTtl,
                                             ContextOf(view), job);
}

// What runs in a Job that the resource names: "Plan", "a retired Plan".
std::string KindOf(const ResourceView& view, const api::Job& job) {
  if (view.schema != nullptr) {
    const api::RetiredJob& retired = view.schema->status().pending_binding_retirement().job();
    if (retired.name() == job.metadata().name())
      return absl::StrCat("a retired ", retired.operation());
  }
  return view.claim == nullptr ? "nobody" : view.claim->type();
}

// Whether a record of the resource names this Job, UID included.
bool IsNamed(const ResourceView& view, const api::Job& job) {
  const std::string& uid = job.metadata().uid();
  if (view.claim != nullptr && view.claim->job_uid() == uid) return true;
  return view.schema != nullptr &&
         view.schema->status().pending_binding_retirement().job().uid() == uid;
}

}  // namespace

// Compares the two on the cleanup of one stored Job and its variations in the share.
void Comparer::CleanupTtl(const Cleanup& cleanup, uint32_t share, Findings& findings) {
  const sim::World& world = cleanup.world;
  const sim::Entry& stored = cleanup.job;
  const api::Job& job = stored.object->As<api::Job>();
  const ResourceView view = ViewOf(cleanup.resource.object);
  for (const Variation& variation : JobsOf(job, share)) {
    const api::Job& one = JobIn(variation);
    if (one.metadata().name() != job.metadata().name() ||
        one.metadata().namespace_() != job.metadata().namespace_() ||
        one.spec().has_ttl_seconds_after_finished() || !one.metadata().resource_version().empty()) {
      continue;  // Another object, one that has its TTL, or what no store holds.
    }
    api::Request request;
    request.verb = api::Verb::kUpdate;
    request.key = stored.object->key;
    request.sender = cleanup.sender;
    auto next = std::make_shared<api::Job>(one);
    next->mutable_spec()->set_ttl_seconds_after_finished(lifecycle::rules::kCleanupTtlSeconds);
    request.body = std::move(next);
    sim::World around = world;
    around.Put({.object = interner_.Intern(api::Kind::kJob, std::make_shared<api::Job>(one)),
                .version = stored.version});
    if (!bare_.Admit(around, request).ok()) continue;
    const bool admitted = judged_.Admit(around, request).ok();
    const absl::Status match = MayBeCleaned(view, one);
    findings.Expect(Property::kS44, admitted == match.ok(), [&] {
      return absl::StrCat(api::ShortName(*view.key), ": at its cleanup, ",
                          Disagreement(admitted, variation.path, match));
    });
  }
}

void Comparer::CleanupTtls(const sim::World& world, Findings& findings) {
  if (!all_ && cleaned_.size() >= JobsMax()) return;
  for (const sim::Process& process : world.processes) {
    for (const sim::Work& work : process.work) {
      const sim::Entry* entry = world.Find(work.resource);
      if (entry == nullptr) continue;
      const ResourceView view = ViewOf(entry->object);
      for (const sim::Entry& stored : world.objects) {
        if (stored.object->key.kind != api::Kind::kJob) continue;
        const api::Job& job = stored.object->As<api::Job>();
        if (!IsNamed(view, job) || job.spec().has_ttl_seconds_after_finished()) continue;
        const std::string kind = KindOf(view, job);
        const std::string name =
            absl::StrCat(kind, " ", job.metadata().name(), IsTerminal(job) ? " ended " : " ",
                         view.claim == nullptr ? "" : view.claim->id());
        const std::optional<uint32_t> share = ShareOf(name, cleaned_);
        if (!share) continue;
        if (*share == kShares) held_to_every_.insert(absl::StrCat("cleanup of ", kind));
        CleanupTtl({world, *entry, stored, process.configuration->user}, *share, findings);
      }
    }
  }
}

}  // namespace model

// The three digests: what each of them is of, and what ends a step.

#include "sim/world.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "sim/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr DigestOptions kExact{.exact = true};

// A world with something of everything in it.
std::unique_ptr<TestStore> FullStore() {
  auto store = std::make_unique<TestStore>();
  World& world = store->world;
  api::PtahSchema schema = store->Create(Named<api::PtahSchema>("a"));
  schema.mutable_status()->set_next_reconciliation_time_ms(world.now_ms + 60'000);
  store->PatchStatus(schema);
  store->Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  api::Pod pod = store->Create(Named<api::Pod>("p"));
  world.logs.Edit(pod.metadata().uid()).text = std::make_shared<std::string>("log");
  world.processes.push_back(Manager());
  world.processes[0].work.push_back(WorkOn(api::KeyOf(schema)));
  api::LeaseObservation& seen = world.processes[0].memory.Edit().leases["lease"];
  seen.holder = "somebody";
  seen.duration_seconds = 10;
  seen.first_seen_ms = world.now_ms;
  seen.version = 1;
  OperationTruth& operation = world.truth.operations.Edit("operation");
  operation.id = "operation";
  operation.mutating = true;
  operation.execution_not_after_ms = world.now_ms + 60'000;
  world.truth.databases.emplace_back();
  world.truth.databases[0].Edit().statements = 3;
  world.runs.emplace_back();
  world.runs[0].Edit().pod_uid = pod.metadata().uid();
  world.rivals.emplace_back();
  world.rivals[0].holder = "rival";
  world.person.Edit("approve") = 1;
  EndStep(world, {});
  return store;
}

// Which digests a change moves: some of "v", "m", "t".
std::string Moved(const std::function<void(TestStore&)>& change,
                  const DigestOptions& options = {}) {
  const auto store = FullStore();
  const World before = store->world;
  change(*store);
  std::string moved;
  if (ViewDigest(before, options) != ViewDigest(store->world, options)) moved += "v";
  if (MemoryDigest(before, options) != MemoryDigest(store->world, options)) moved += "m";
  if (TruthDigest(before, options) != TruthDigest(store->world, options)) moved += "t";
  EXPECT_EQ(moved.empty(), StateKey(before, options) == StateKey(store->world, options));
  return moved;
}

Process& ProcessOf(TestStore& store) { return store.world.processes[0]; }
Work& WorkOf(TestStore& store) { return ProcessOf(store).work[0]; }
api::LeaseObservation& SeenBy(TestStore& store) {
  return ProcessOf(store).memory.Edit().leases["lease"];
}

TEST(WorldTest, FindsPutsAndErasesInKeyOrder) {
  TestStore store;
  store.Create(Named<api::ConfigMap>("b"));
  store.Create(Named<api::PtahSchema>("z"));
  store.Create(Named<api::ConfigMap>("a"));
  ASSERT_EQ(store.world.objects.size(), 3u);
  for (size_t i = 1; i < store.world.objects.size(); ++i) {
    EXPECT_LT(store.world.objects[i - 1].object->key, store.world.objects[i].object->key);
  }
  EXPECT_NE(store.world.Get<api::ConfigMap>("ns", "a"), nullptr);
  EXPECT_EQ(store.world.Get<api::ConfigMap>("other", "a"), nullptr);
  store.world.Erase(api::KeyOf(Named<api::ConfigMap>("a")));
  EXPECT_EQ(store.world.Get<api::ConfigMap>("ns", "a"), nullptr);
}

TEST(WorldTest, ACopyIsAValue) {
  const auto store = FullStore();
  const World copy = store->world;
  const Hash128 before = StateKey(copy, {});
  store->Create(Named<api::ConfigMap>("c"));
  SeenBy(*store).holder = "another";
  store->world.truth.operations.Edit("operation").marked = true;
  store->world.truth.databases[0].Edit().in_force = 1;
  store->world.runs[0].Edit().statement = 1;
  store->world.person.Edit("approve") = 0;
  store->world.logs.Edit(copy.logs.begin()->first).lost = true;
  EXPECT_EQ(StateKey(copy, {}), before);
  EXPECT_NE(StateKey(store->world, {}), before);
}

// ---- What moves which digest ----

TEST(DigestTest, ObjectsAndLogsAreTheView) {
  EXPECT_EQ(Moved([](TestStore&) {}), "");
  EXPECT_EQ(Moved([](TestStore& store) { store.Create(Named<api::ConfigMap>("c")); }), "v");
  EXPECT_EQ(Moved([](TestStore& store) {
              store.world.logs.Edit(store.world.logs.begin()->first).lost = true;
            }),
            "v");
  EXPECT_EQ(Moved([](TestStore& store) {
              store.world.logs.Edit(store.world.logs.begin()->first).content = {1, 2};
            }),
            "v");
}

TEST(DigestTest, VersionsAreMemorysBecauseOnlyAHolderCanTellThemApart) {
  EXPECT_EQ(Moved([](TestStore& store) { store.world.objects[0].version = 2; }), "m");
  EXPECT_EQ(Moved([](TestStore& store) { SeenBy(store).version = 2; }), "m");
}

TEST(DigestTest, WhatAProcessRemembersAndOwesIsMemory) {
  EXPECT_EQ(Moved([](TestStore& store) { SeenBy(store).holder = "x"; }), "m");
  EXPECT_EQ(Moved([](TestStore& store) { SeenBy(store).duration_seconds = 7; }), "m");
  EXPECT_EQ(Moved([](TestStore& store) {
              ProcessOf(store).memory.Edit().log_failures["pod"].first_failed_ms = 1;
            }),
            "m");
  EXPECT_EQ(Moved([](TestStore& store) { ProcessOf(store).running = false; }), "m");
  EXPECT_EQ(Moved([](TestStore& store) { ProcessOf(store).wall_offset_ms = 5; }), "m");
  EXPECT_EQ(Moved([](TestStore& store) {
              ProcessOf(store).cache = std::make_shared<std::vector<Entry>>(store.world.objects);
            }),
            "m");
  EXPECT_EQ(Moved([](TestStore& store) {
              ProcessOf(store).configuration.Edit().controller_revision = "r2";
            }),
            "m");
  EXPECT_EQ(Moved([](TestStore& store) { WorkOf(store).due = {.when = Due::When::kNever}; }), "m");
  EXPECT_EQ(Moved([](TestStore& store) { WorkOf(store).paused = std::make_shared<PausedPass>(); }),
            "m");
  EXPECT_EQ(Moved([](TestStore& store) {
              store.world.in_flight.push_back(
                  {.request = TestStore::CreateRequest(Named<api::Job>("j"))});
            }),
            "m");
}

TEST(DigestTest, WhatReallyHappenedIsTruth) {
  const auto of_operation = [](const std::function<void(OperationTruth&)>& change) {
    return Moved([&](TestStore& store) { change(store.world.truth.operations.Edit("operation")); });
  };
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.created = Count::kOne; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.flying = Count::kOne; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.read_back = {"u"}; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.effect = {FileEffect{}}; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.reading = Reading{}; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.disturbed = true; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.open = false; }), "t");
  EXPECT_EQ(of_operation([](OperationTruth& o) { o.execution_not_after_ms += 1; }), "t");
  EXPECT_EQ(
      Moved([](TestStore& store) { store.world.truth.approvals.Edit("a").consumed_by = "o"; }),
      "t");
  EXPECT_EQ(Moved([](TestStore& store) { store.world.truth.databases[0].Edit().in_force = 1; }),
            "t");
  EXPECT_EQ(Moved([](TestStore& store) { store.world.truth.apply_claims = 1; }), "t");
  EXPECT_EQ(Moved([](TestStore& store) { store.world.runs[0].Edit().state = RunState::kEnded; }),
            "t");
  EXPECT_EQ(Moved([](TestStore& store) { store.world.rivals[0].rounds_left = 1; }), "t");
  EXPECT_EQ(Moved([](TestStore& store) { store.world.person.Edit("approve") = 0; }), "t");
}

TEST(DigestTest, WhatIsOnlyShownIsInNone) {
  EXPECT_EQ(Moved([](TestStore& store) { store.world.runs[0].Edit().started_ms = 5; }), "");
  EXPECT_EQ(Moved([](TestStore& store) { SeenBy(store).renew_time_ms = 5; }), "");
  EXPECT_EQ(Moved([](TestStore& store) { SeenBy(store).transitions = 1; }), "");
  EXPECT_EQ(Moved([](TestStore& store) {
              ProcessOf(store).started_ms += 1;
              SeenBy(store).first_seen_ms -= 1;
            }),
            "");
}

TEST(DigestTest, TheOrderOfApprovalsIsPartOfTheViewAlthoughTheirTimesAreNot) {
  const auto view = [](int64_t first_ms, int64_t second_ms) {
    TestStore store;
    store.world.now_ms = first_ms;
    store.Create(Named<api::PtahSchemaApproval>("a"));
    store.world.now_ms = second_ms;
    store.Create(Named<api::PtahSchemaApproval>("b"));
    return ViewDigest(store.world, {});
  };
  EXPECT_EQ(view(10, 20), view(100, 900));
  EXPECT_NE(view(10, 20), view(20, 10));
  EXPECT_NE(view(10, 20), view(10, 10));
}

// ---- Time ----

// The same world, an hour later in everything.
World LaterByAnHour() {
  constexpr int64_t kHourMs = 3'600'000;
  static Interner interner;  // The handles outlive the test's own store.
  const auto store = FullStore();
  World world = store->world;
  for (Entry& entry : world.objects) {
    if (entry.object->key.kind == api::Kind::kPtahSchema) {
      auto schema = std::make_shared<api::PtahSchema>(entry.object->As<api::PtahSchema>());
      schema->mutable_metadata()->set_creation_timestamp_ms(
          schema->metadata().creation_timestamp_ms() + kHourMs);
      schema->mutable_status()->set_next_reconciliation_time_ms(
          schema->status().next_reconciliation_time_ms() + kHourMs);
      entry.object = interner.Intern(entry.object->key.kind, schema);
    } else {
      entry.object = interner.Intern(entry.object->key.kind, entry.object->message);
    }
  }
  world.now_ms += kHourMs;
  world.processes[0].started_ms += kHourMs;
  world.truth.operations.Edit("operation").execution_not_after_ms += kHourMs;
  return world;
}

TEST(DigestTest, AWorldIsTheSameAnHourLater) {
  const auto store = FullStore();
  const World later = LaterByAnHour();
  EXPECT_EQ(ViewDigest(store->world, {}), ViewDigest(later, {}));
  EXPECT_EQ(MemoryDigest(store->world, {}), MemoryDigest(later, {}));
  EXPECT_EQ(TruthDigest(store->world, {}), TruthDigest(later, {}));
  EXPECT_NE(StateKey(store->world, kExact), StateKey(later, kExact));
}

TEST(DigestTest, TimePassingMovesWhatIsStillAheadAndNothingElse) {
  const auto advance = [](int64_t by_ms) {
    return [by_ms](TestStore& store) { store.world.now_ms += by_ms; };
  };
  EXPECT_EQ(Moved(advance(1)), "vmt");
  // Once every deadline is past and the Lease was watched for long enough, nothing moves any more.
  const auto store = FullStore();
  store->world.now_ms += 100'000;
  const Hash128 late = StateKey(store->world, {});
  store->world.now_ms += 100'000;
  EXPECT_EQ(StateKey(store->world, {}), late);
}

TEST(DigestTest, ContentIsWithoutAnyTime) {
  const auto store = FullStore();
  const Hash128 before = ContentDigest(store->world);
  store->world.now_ms += 100'000;
  EXPECT_EQ(ContentDigest(store->world), before);
  store->Create(Named<api::ConfigMap>("c"));
  EXPECT_NE(ContentDigest(store->world), before);
}

TEST(DigestTest, ADueTimeCountsByHowFarItIs) {
  const auto due_in = [](Due::When when, int64_t by_ms) {
    return [=](TestStore& store) {
      WorkOf(store).due = Due{.when = when, .at_ms = store.world.now_ms + by_ms};
    };
  };
  const auto key = [](const std::function<void(TestStore&)>& change) {
    const auto store = FullStore();
    change(*store);
    return MemoryDigest(store->world, {});
  };
  EXPECT_NE(key(due_in(Due::When::kAt, 5)), key(due_in(Due::When::kAt, 6)));
  EXPECT_EQ(key(due_in(Due::When::kAt, 0)), key(due_in(Due::When::kAt, -9)));
  EXPECT_EQ(key(due_in(Due::When::kNow, 5)), key(due_in(Due::When::kNow, 6)));
  EXPECT_EQ(key(due_in(Due::When::kNever, 5)), key(due_in(Due::When::kNever, 6)));
  EXPECT_NE(key(due_in(Due::When::kAt, 5)), key(due_in(Due::When::kParked, 5)));
}

// ---- The end of a step ----

TEST(EndStepTest, VersionsNobodyHoldsBecomeOne) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  store.Patch(schema);
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), 2);
  EndStep(store.world, {});
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), 1);
}

TEST(EndStepTest, ExactKeepsVersionsAsTheyAre) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  store.Patch(schema);
  EndStep(store.world, kExact);
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), 2);
}

TEST(EndStepTest, HeldVersionsAreNumberedByRankAndStayDistinct) {
  TestStore store;
  api::Lease lease = Named<api::Lease>("l");
  lease.mutable_metadata()->set_namespace_("ptah-system");
  lease = store.Create(lease);
  store.world.processes.push_back(Manager());
  auto& leases = store.world.processes[0].memory.Edit().leases;
  leases["l"].version = 1;
  for (int i = 0; i < 4; ++i) {
    lease.mutable_spec()->set_lease_transitions(i);
    lease = store.Patch(lease);
  }
  EndStep(store.world, {});
  const Entry* entry = store.world.Find(api::KeyOf(lease));
  EXPECT_EQ(entry->version, 2);  // Changed since: later than what is held.
  EXPECT_EQ(store.world.processes[0].memory->leases.at("l").version, 1);
  // Seen again: equal, and so the only one.
  store.world.processes[0].memory.Edit().leases["l"].version = 2;
  EndStep(store.world, {});
  EXPECT_EQ(store.world.Find(api::KeyOf(lease))->version, 1);
  EXPECT_EQ(store.world.processes[0].memory->leases.at("l").version, 1);
}

TEST(EndStepTest, PreconditionsInFlightAndAnswersOfPausedPassesAreRenumberedToo) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  const auto change = [&](int value) {
    schema.mutable_spec()->set_interval_seconds(value);
    schema = store.Patch(schema);
  };
  change(1);
  change(2);
  store.world.in_flight.push_back({.request = store.PatchRequest(schema)});  // Version 3.
  change(3);
  auto pass = std::make_shared<PausedPass>();
  pass->answers.push_back(store.server.Read(store.world, {.key = api::KeyOf(schema)}));  // 4.
  change(4);
  store.world.processes.push_back(Manager());
  store.world.processes[0].work.push_back(WorkOn(api::KeyOf(schema)));
  store.world.processes[0].work[0].paused = pass;
  EndStep(store.world, {});
  EXPECT_EQ(store.world.in_flight[0].request.version, 1);
  EXPECT_EQ(store.world.processes[0].work[0].paused->answers[0].stored.version, 2);
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), 3);
  EXPECT_EQ(pass->answers[0].stored.version, 4);  // Whoever shares it keeps what it had.
}

TEST(EndStepTest, AnObjectMadeAgainLaterHasAVersionNobodyHolds) {
  TestStore store;
  const api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  store.world.in_flight.push_back({.request = store.UpdateRequest(schema)});
  store.Delete<api::PtahSchema>("a");
  EndStep(store.world, {});
  store.Create(Named<api::PtahSchema>("a"));
  EndStep(store.world, {});
  EXPECT_NE(store.VersionOf<api::PtahSchema>("a"), store.world.in_flight[0].request.version);
}

TEST(EndStepTest, LogsOfPodsThatAreGoneAreDropped) {
  const auto store = FullStore();
  EXPECT_EQ(store->world.logs.size(), 1u);
  store->Delete<api::Pod>("p");
  EndStep(store->world, {});
  EXPECT_TRUE(store->world.logs.empty());
}

TEST(EndStepTest, APollWaitsForSomethingToHappen) {
  const auto store = FullStore();
  Due& due = WorkOf(*store).due;
  const auto park = [&] {
    due = Due{.when = Due::When::kParked,
              .at_ms = store->world.now_ms + 5'000,
              .seen = ContentDigest(store->world)};
    EndStep(store->world, {});
  };
  park();
  EXPECT_EQ(due.when, Due::When::kParked);
  store->world.now_ms += 1'000;  // The clock alone is nothing that a poll reads.
  EndStep(store->world, {});
  EXPECT_EQ(due.when, Due::When::kParked);
  api::PtahSchema schema = *store->Get<api::PtahSchema>("a");
  schema.mutable_status()->set_phase("Pending");
  schema = store->PatchStatus(schema);
  EndStep(store->world, {});
  EXPECT_EQ(due.when, Due::When::kAt);
  EXPECT_EQ(due.seen, Hash128{});
  // And back again: that it is as before does not undo that something happened.
  schema.mutable_status()->clear_phase();
  store->PatchStatus(schema);
  EndStep(store->world, {});
  EXPECT_EQ(due.when, Due::When::kAt);
  EXPECT_EQ(due.seen, Hash128{});
}

TEST(EndStepTest, WhatAFailedPassReadIsKnownUntilSomethingHappens) {
  const auto store = FullStore();
  Due& due = WorkOf(*store).due;
  due = Due{.when = Due::When::kNow, .seen = ContentDigest(store->world)};
  EndStep(store->world, {});
  EXPECT_EQ(due.seen, ContentDigest(store->world));
  store->Create(Named<api::ConfigMap>("c"));
  EndStep(store->world, {});
  EXPECT_EQ(due.when, Due::When::kNow);
  EXPECT_EQ(due.seen, Hash128{});
}

TEST(EndStepTest, WhichRequestWasSentFirstCountsForNobody) {
  const auto key = [](const std::string& first, const std::string& second) {
    TestStore store;
    store.world.in_flight.push_back({.request = TestStore::CreateRequest(Named<api::Job>(first))});
    store.world.in_flight.push_back({.request = TestStore::CreateRequest(Named<api::Job>(second))});
    EndStep(store.world, {});
    return StateKey(store.world, {});
  };
  EXPECT_EQ(key("job-1", "job-2"), key("job-2", "job-1"));
}

TEST(EndStepTest, IsIdempotent) {
  const auto store = FullStore();
  const Hash128 key = StateKey(store->world, {});
  EndStep(store->world, {});
  EXPECT_EQ(StateKey(store->world, {}), key);
}

// ---- Paths ----

// One of several small writes; `value` says what it leaves.
struct Change {
  int object = 0;  // Each writes one object of its own.
  int value = 0;
};

void Do(TestStore& store, const Change& change) {
  const std::string name = absl::StrCat("c", change.object);
  if (change.value == 0) {
    if (store.Get<api::ConfigMap>(name) != nullptr) store.Delete<api::ConfigMap>(name);
  } else if (const api::ConfigMap* stored = store.Get<api::ConfigMap>(name); stored != nullptr) {
    api::ConfigMap next = *stored;
    (*next.mutable_data())["value"] = absl::StrCat(change.value);
    store.Patch(next);
  } else {
    api::ConfigMap next = Named<api::ConfigMap>(name);
    (*next.mutable_data())["value"] = absl::StrCat(change.value);
    store.Create(next);
  }
  EndStep(store.world, {});
}

rc::Gen<Change> AnyChange() {
  return rc::gen::build<Change>(rc::gen::set(&Change::object, rc::gen::inRange(0, 3)),
                                rc::gen::set(&Change::value, rc::gen::inRange(0, 3)));
}

// What the changes leave, by the path that says nothing of how they came about.
void DoDirectly(TestStore& store, const std::vector<Change>& changes) {
  for (int object = 2; object >= 0; --object) {
    int value = 0;
    for (const Change& change : changes) {
      if (change.object == object) value = change.value;
    }
    if (value != 0) Do(store, {object, value});
  }
}

RC_GTEST_PROP(PathTest, EqualWorldsHaveEqualKeysWhateverLedToThem, ()) {
  const auto changes = *rc::gen::container<std::vector<Change>>(AnyChange());
  TestStore wandering, direct;
  for (const Change& change : changes) Do(wandering, change);
  DoDirectly(direct, changes);
  RC_ASSERT(StateKey(wandering.world, {}) == StateKey(direct.world, {}));
}

RC_GTEST_PROP(PathTest, IndependentStepsCommute, ()) {
  const auto before = *rc::gen::container<std::vector<Change>>(AnyChange());
  const Change one{0, *rc::gen::inRange(0, 3)};
  const Change other{1, *rc::gen::inRange(0, 3)};
  TestStore first, second;
  for (const Change& change : before) {
    Do(first, change);
    Do(second, change);
  }
  Do(first, one);
  Do(first, other);
  Do(second, other);
  Do(second, one);
  RC_ASSERT(StateKey(first.world, {}) == StateKey(second.world, {}));
}

TEST(PathTest, TheKeyIsTheSameInEveryRun) {
  // Two runs intern in different orders, so their handles have nothing in common.
  TestStore first, second;
  second.Create(Named<api::ConfigMap>("unrelated"));
  second.Delete<api::ConfigMap>("unrelated");
  for (TestStore* store : {&first, &second}) {
    store->Create(Named<api::PtahSchema>("a"));
    EndStep(store->world, {});
  }
  EXPECT_EQ(StateKey(first.world, {}), StateKey(second.world, {}));
}

}  // namespace
}  // namespace sim

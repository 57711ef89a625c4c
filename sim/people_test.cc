#include "sim/people.h"

#include <memory>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/actor_testing.h"
#include "sim/database.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

template <class Object>
std::shared_ptr<Object> Named(const std::string& name) {
  auto object = std::make_shared<Object>();
  object->mutable_metadata()->set_namespace_("test");
  object->mutable_metadata()->set_name(name);
  return object;
}

template <class Object>
const Object& Get(const ActorWorld& at, const std::string& name) {
  const Object* object = at.world.Get<Object>("test", name);
  EXPECT_NE(object, nullptr) << name;
  return *object;
}

template <class Object, class Status>
void SetStatus(ActorWorld& at, const std::string& name, const Status& status) {
  auto next = std::make_shared<Object>(Get<Object>(at, name));
  *next->mutable_status() = status;
  ASSERT_TRUE(Update(at.server, at.world, "test", next, api::Subresource::kStatus).status.ok());
}

template <class Status>
void AskForApproval(Status& status) {
  status.set_phase(api::phase::kAwaitingApproval);
  api::Condition* condition = status.add_conditions();
  condition->set_type(api::condition::kApprovalRequired);
  condition->set_status(api::condition_status::kTrue);
}

// A schema whose plan, of one chunk, waits for an approval.
void AddSchema(ActorWorld& at) {
  at.Add(Named<api::PtahSchema>("s"));
  auto plan = Named<api::PtahSchemaPlan>("plan");
  plan->mutable_spec()->set_fingerprint("f");
  at.Add(plan);
  auto chunk = Named<api::PtahSchemaPlanChunk>("plan-000");
  api::OwnerReference* owner = chunk->mutable_metadata()->add_owner_references();
  owner->set_api_version(api::kGroupVersion);
  owner->set_kind("PtahSchemaPlan");
  owner->set_name("plan");
  owner->set_uid(Get<api::PtahSchemaPlan>(at, "plan").metadata().uid());
  owner->set_controller(true);
  at.Add(chunk);
  api::PtahSchemaPlanStatus published;
  published.add_published_chunks()->set_name("plan-000");
  published.mutable_published_chunks(0)->set_uid(
      Get<api::PtahSchemaPlanChunk>(at, "plan-000").metadata().uid());
  SetStatus<api::PtahSchemaPlan>(at, "plan", published);
  api::PtahSchemaStatus status;
  status.mutable_plan()->set_name("plan");
  status.mutable_plan()->set_uid(Get<api::PtahSchemaPlan>(at, "plan").metadata().uid());
  status.mutable_plan()->set_fingerprint("f");
  AskForApproval(status);
  SetStatus<api::PtahSchema>(at, "s", status);
}

void AddMigration(ActorWorld& at) {
  at.Add(Named<api::PtahMigration>("m"));
  auto plan = Named<api::PtahMigrationPlan>("plan");
  plan->mutable_spec()->set_fingerprint("f");
  plan->mutable_spec()->set_history_fingerprint("h");
  at.Add(plan);
  api::PtahMigrationStatus status;
  status.mutable_plan()->set_name("plan");
  status.mutable_plan()->set_uid(Get<api::PtahMigrationPlan>(at, "plan").metadata().uid());
  AskForApproval(status);
  SetStatus<api::PtahMigration>(at, "m", status);
}

TEST(PeopleTest, ApproveThePlanThatStatusNamesWhenAsked) {
  ActorWorld at;
  AddSchema(at);
  EXPECT_FALSE(at.Find(StepKind::kPerson).has_value()) << "this person approves nothing";
  at.world.person.Edit(act::kApprove) = 2;
  at.Take(StepKind::kPerson, act::kApprove);

  const auto& approval = Get<api::PtahSchemaApproval>(at, "s-approval-1");
  EXPECT_EQ(approval.spec().plan_ref().uid(),
            Get<api::PtahSchemaPlan>(at, "plan").metadata().uid());
  EXPECT_EQ(approval.spec().schema_ref().uid(), Get<api::PtahSchema>(at, "s").metadata().uid());
  EXPECT_EQ(approval.spec().plan_fingerprint(), "f");
  EXPECT_EQ(PersonHasLeft(at.world, act::kApprove), 1);
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kApprove).has_value()) << "one waits to be used";
}

TEST(PeopleTest, ApproveAMigrationsPlanWithAllItIsBoundTo) {
  ActorWorld at;
  AddMigration(at);
  at.world.person.Edit(act::kApprove) = 1;
  at.Take(StepKind::kPerson, act::kApprove);
  const auto& approval = Get<api::PtahMigrationApproval>(at, "m-approval-1");
  EXPECT_EQ(approval.spec().history_fingerprint(), "h");
  EXPECT_EQ(approval.spec().plan_ref().name(), "plan");
}

// Records who asks for what.
class Asked final : public api::Admission {
 public:
  api::AdmissionAnswer Review(const api::AdmissionRequest& request,
                              const api::DirectReader&) const override {
    const bool approval = request.key.kind == api::Kind::kPtahMigrationApproval;
    if (approval && request.sender == kPersonUser)
      return {absl::PermissionDeniedError("alice"), {}};
    return {};
  }
};

TEST(PeopleTest, AnotherPersonApprovesWhereTheFirstMayNot) {
  ActorWorld at;
  AddMigration(at);
  const Asked asked;
  const ApiServer server(at.interner, {&asked});
  const Actors actors(server, {});
  at.world.person.Edit(act::kApprove) = 1;
  at.world.person.Edit("approve-as-another") = 1;
  std::vector<WorldStep> approvals;
  for (const WorldStep& step : actors.Offer(at.world)) {
    if (step.kind == StepKind::kPerson) approvals.push_back(step);
  }
  ASSERT_EQ(approvals.size(), 1u);
  EXPECT_EQ(approvals[0].what, "approve-as-another");
  EXPECT_EQ(approvals[0].cost, 0);
  actors.Take(at.world, approvals[0]);
  EXPECT_EQ(Get<api::PtahMigrationApproval>(at, "m-approval-1").spec().plan_ref().name(), "plan");
}

TEST(PeopleTest, ApproveNothingThatNobodyAskedFor) {
  ActorWorld at;
  AddSchema(at);
  at.world.person.Edit(act::kApprove) = 1;
  api::PtahSchemaStatus status = Get<api::PtahSchema>(at, "s").status();
  status.set_phase(api::phase::kReadyToApply);
  SetStatus<api::PtahSchema>(at, "s", status);
  EXPECT_FALSE(at.Find(StepKind::kPerson).has_value());
}

TEST(PeopleTest, ApproveAgainWhenTheApprovalWasSpent) {
  ActorWorld at;
  AddSchema(at);
  at.world.person.Edit(act::kApprove) = 2;
  at.Take(StepKind::kPerson, act::kApprove);
  api::DecisionStatus spent;
  api::Condition* condition = spent.add_conditions();
  condition->set_type(api::condition::kConsumed);
  condition->set_status(api::condition_status::kTrue);
  SetStatus<api::PtahSchemaApproval>(at, "s-approval-1", spent);
  at.Take(StepKind::kPerson, act::kApprove);
  EXPECT_NE(at.world.Get<api::PtahSchemaApproval>("test", "s-approval-2"), nullptr);
}

TEST(PeopleTest, DeleteAnApproval) {
  ActorWorld at;
  AddSchema(at);
  at.world.person.Edit(act::kApprove) = 1;
  at.world.person.Edit(act::kDeleteApproval) = 1;
  at.Take(StepKind::kPerson, act::kApprove);
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kDeleteApproval)->cost, 1);
  at.Take(StepKind::kPerson, act::kDeleteApproval);
  EXPECT_EQ(at.world.Get<api::PtahSchemaApproval>("test", "s-approval-1"), nullptr);
}

TEST(PeopleTest, ReplaceAnApprovalByOneOfItsNameAndAnotherUid) {
  ActorWorld at;
  AddSchema(at);
  at.world.person.Edit(act::kApprove) = 1;
  at.world.person.Edit(act::kReplaceApproval) = 1;
  at.Take(StepKind::kPerson, act::kApprove);
  // The schema has reserved it, so its UID is remembered and cannot be given again.
  const std::string uid = Get<api::PtahSchemaApproval>(at, "s-approval-1").metadata().uid();
  api::PtahSchemaStatus status = Get<api::PtahSchema>(at, "s").status();
  status.mutable_plan()->mutable_approval()->set_uid(uid);
  SetStatus<api::PtahSchema>(at, "s", status);
  at.Take(StepKind::kPerson, act::kReplaceApproval);

  const auto& after = Get<api::PtahSchemaApproval>(at, "s-approval-1");
  EXPECT_NE(after.metadata().uid(), uid);
  EXPECT_EQ(after.spec().plan_fingerprint(), "f");
}

TEST(PeopleTest, RepublishAPlanWithItsChunksUnderOtherUids) {
  ActorWorld at;
  AddSchema(at);
  at.world.person.Edit(act::kRepublish) = 1;
  const std::string plan_uid = Get<api::PtahSchemaPlan>(at, "plan").metadata().uid();
  at.Take(StepKind::kPerson, act::kRepublish);

  const auto& plan = Get<api::PtahSchemaPlan>(at, "plan");
  const auto& chunk = Get<api::PtahSchemaPlanChunk>(at, "plan-000");
  EXPECT_NE(plan.metadata().uid(), plan_uid);
  EXPECT_EQ(plan.spec().fingerprint(), "f");
  EXPECT_EQ(chunk.metadata().owner_references(0).uid(), plan.metadata().uid());
  ASSERT_EQ(plan.status().published_chunks_size(), 1);
  EXPECT_EQ(plan.status().published_chunks(0).uid(), chunk.metadata().uid());
  EXPECT_FALSE(at.Find(StepKind::kCollect).has_value());
}

TEST(PeopleTest, RepairADatabaseThatAnUnresolvedRunLeft) {
  ActorWorld at;
  AddMigration(at);
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.world.truth.databases[0].Edit().files[0].committed = 1;
  at.world.truth.databases[0].Edit().files[0].dirty = true;
  at.world.person.Edit(act::kRepair) = 1;
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kRepair).has_value()) << "nobody asked";
  api::PtahMigrationStatus status;
  status.mutable_unresolved_run()->set_operation_id("o");
  SetStatus<api::PtahMigration>(at, "m", status);
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kRepair)->cost, 0);
  at.Take(StepKind::kPerson, act::kRepair);

  EXPECT_TRUE(PendingFiles(at.TheDatabase()).empty());
  EXPECT_FALSE(IsDirty(at.TheDatabase()));
  EXPECT_EQ(at.TheDatabase().files[0].committed, 3);
  EXPECT_EQ(at.TheDatabase().last_changed_by, "person");
}

TEST(PeopleTest, AcknowledgeAnUnresolvedRunOnce) {
  ActorWorld at;
  AddMigration(at);
  at.world.person.Edit(act::kAcknowledge) = 2;
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kAcknowledge).has_value());
  api::PtahMigrationStatus status;
  status.mutable_unresolved_run()->set_operation_id("o");
  SetStatus<api::PtahMigration>(at, "m", status);
  at.Take(StepKind::kPerson, act::kAcknowledge);
  EXPECT_EQ(Get<api::PtahMigrationRunAcknowledgment>(at, "m-ack-1").spec().operation_id(), "o");
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kAcknowledge).has_value());
}

TEST(PeopleTest, BringBackASecondApprovalWhileItsPlanIsProven) {
  ActorWorld at;
  AddSchema(at);
  at.world.person.Edit(act::kApprove) = 1;
  at.Take(StepKind::kPerson, act::kApprove);
  at.world.person.Edit(act::kRestoreApproval) = 1;
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kRestoreApproval).has_value());
  const api::PtahSchemaApproval first = Get<api::PtahSchemaApproval>(at, "s-approval-1");
  api::PtahSchemaStatus status;
  status.mutable_pending_observation()->mutable_plan()->set_uid(first.spec().plan_ref().uid());
  SetStatus<api::PtahSchema>(at, "s", status);
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kRestoreApproval)->cost, 1);
  at.Take(StepKind::kPerson, act::kRestoreApproval);
  const api::PtahSchemaApproval& second = Get<api::PtahSchemaApproval>(at, "s-approval-1-again-1");
  EXPECT_EQ(second.spec().plan_ref().uid(), first.spec().plan_ref().uid());
  EXPECT_NE(second.metadata().uid(), first.metadata().uid());
  EXPECT_TRUE(second.status().conditions().empty());
}

TEST(PeopleTest, BringBackTheAcknowledgmentOfAnotherRunPastAdmission) {
  ActorWorld at;
  AddMigration(at);
  at.world.person.Edit(act::kRestoreAcknowledgment) = 1;
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kRestoreAcknowledgment).has_value());
  api::PtahMigrationStatus status;
  status.mutable_unresolved_run()->set_operation_id("o");
  SetStatus<api::PtahMigration>(at, "m", status);
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kRestoreAcknowledgment)->cost, 1);
  at.Take(StepKind::kPerson, act::kRestoreAcknowledgment);
  const auto& spec = Get<api::PtahMigrationRunAcknowledgment>(at, "m-old-ack-1").spec();
  EXPECT_NE(spec.operation_id(), "o");
  EXPECT_EQ(spec.acknowledged_by().username(), kPersonUser);
  EXPECT_NE(spec.acknowledged_at_ms(), 0);
  EXPECT_FALSE(spec.mutation_request_uid().empty());
}

}  // namespace
}  // namespace sim

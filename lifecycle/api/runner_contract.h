// What an operation Pod is told, by the names of its environment: the contract between the builder
// of Jobs and the runner inside them.
//
// The Pod sees its template, its mounts and its database, and nothing of the API (spec 02, U). A
// mutating Pod refuses to start anything when one of the names it needs is missing (U-1).

#ifndef LIFECYCLE_API_RUNNER_CONTRACT_H_
#define LIFECYCLE_API_RUNNER_CONTRACT_H_

namespace lifecycle::api {

inline constexpr char kExecutorContainer[] = "ptah";

inline constexpr char kEnvOperation[] = "PTAH_OPERATION";  // The runner operation of spec 03, 1.
inline constexpr char kEnvOperationId[] = "PTAH_OPERATION_ID";
inline constexpr char kEnvProtocolVersion[] = "PTAH_PROTOCOL_VERSION";
inline constexpr char kEnvCoordinationDigest[] = "PTAH_COORDINATION_DIGEST";
// Instants, carried in EnvVar.time_ms; mutating operations only (U-2, U-3).
inline constexpr char kEnvDispatchNotAfter[] = "PTAH_DISPATCH_NOT_AFTER";
inline constexpr char kEnvExecutionNotAfter[] = "PTAH_EXECUTION_NOT_AFTER";
// Whole seconds.
inline constexpr char kEnvTerminationGrace[] = "PTAH_TERMINATION_GRACE_SECONDS";
// Migration Apply: the approved sequence, "version:checksum" joined by commas (U-4).
inline constexpr char kEnvExpectSequence[] = "PTAH_EXPECT_SEQUENCE";
// Artifact and policy the operation works from.
inline constexpr char kEnvArtifactReference[] = "PTAH_ARTIFACT_REFERENCE";
inline constexpr char kEnvArtifactDigest[] = "PTAH_ARTIFACT_DIGEST";
inline constexpr char kEnvPolicyDigest[] = "PTAH_VERIFICATION_POLICY_DIGEST";
inline constexpr char kEnvEngine[] = "PTAH_ENGINE";
// Schema Plan: the tables that no plan may change, joined by commas.
inline constexpr char kEnvProtectedTables[] = "PTAH_PROTECTED_TABLES";
// Schema Apply: the plan's content digest. Its bytes (plan_content.h) are mounted, one ConfigMap a
// chunk, in the volume of this name.
inline constexpr char kEnvPlanContentDigest[] = "PTAH_PLAN_CONTENT_DIGEST";
inline constexpr char kPlanVolume[] = "plan";

// Codes of a frame's error by which an operation says that it worked and that its answer is no
// (G-12). Conditions give them as their reasons.
namespace error_code {
inline constexpr char kVerificationRefused[] = "VerificationRefused";
inline constexpr char kProtectedTable[] = "ProtectedTable";
}  // namespace error_code

// The executor asks its child to stop at the deadline and kills it after this share of the grace
// (U-3, U-6): two thirds.
inline constexpr int kStopShareNumerator = 2;
inline constexpr int kStopShareDenominator = 3;

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_RUNNER_CONTRACT_H_

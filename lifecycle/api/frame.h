// The result frame in an executor's log, and the summary in its termination message: how they are
// written, and how they are read back by somebody who trusts nothing.
//
// A frame is a header line that announces the payload's length and digest, the payload as one line
// of JSON, and a footer line:
//
//     ptah-result-begin 212 sha256:5f...
//     {"protocolVersion":1,"operation":"apply",...}
//     ptah-result-end sha256:5f...
//
// The executor's own diagnostics may come between its lines. A payload counts only under the digest
// its header announced, so a cut or damaged frame is never read as another result.
//
// Answers: spec 01, 11.1, 11.2; G-7, G-11.

#ifndef LIFECYCLE_API_FRAME_H_
#define LIFECYCLE_API_FRAME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/frame.pb.h"

namespace lifecycle::api {

// Diagnostics tolerated inside one frame, and the longest payload (a plan of 8 MiB, escaped).
inline constexpr size_t kFrameNoiseBytesMax = 64 * 1024;
inline constexpr int kFrameNoiseLinesMax = 64;
inline constexpr int64_t kFramePayloadMax = 32 * 1024 * 1024;
// A summary's line, its marker included.
inline constexpr size_t kSummaryBytesMax = 2 * 1024;

// `error.code` of the one document every protocol version can write and read: the runner did not
// understand what it was told, and started no executor.
inline constexpr char kProtocolMismatchCode[] = "ProtocolMismatch";

// What the reader is waiting for. The views outlive the call.
struct FrameExpectation {
  absl::string_view operation = "";  // The runner operation (spec 03, 1).
  absl::string_view operation_id = "";
  int64_t protocol_version = 1;
};

enum class FrameFailure {
  kNone,
  // These may still arrive.
  kNotFound,
  kIncomplete,
  // These are answers.
  kMalformed,
  kWrongDigest,
  kWrongOperation,
  kWrongAttempt,
  kTooLarge,
  kProtocolMismatch,
};

struct FrameResult {
  FrameFailure failure = FrameFailure::kNotFound;
  std::string why;       // For people; empty when ok.
  FramePayload payload;  // When ok.

  bool ok() const { return failure == FrameFailure::kNone; }
  bool MayStillArrive() const {
    return failure == FrameFailure::kNotFound || failure == FrameFailure::kIncomplete;
  }
};

// Returns the frame as the executor writes it, ending in a newline.
std::string RenderFrame(const FramePayload& payload);
// Returns the digest its header announces.
std::string FrameDigestOf(const FramePayload& payload);

// Returns the last frame of `log` that is valid for `expected`. Without one, says what is wrong
// with the last one there is.
FrameResult ParseFrame(absl::string_view log, const FrameExpectation& expected);

// Returns the digests that the complete frame headers in `log` announce, in their order.
std::vector<std::string> FrameHeaderDigests(absl::string_view log);
// True when every one of them is `digest`; true without headers.
bool FrameHeadersAgree(absl::string_view log, absl::string_view digest);

// Returns the summary as the executor writes it into its termination message, without a newline.
std::string RenderSummary(const TerminationSummary& summary);

// Reads a termination message strictly: one marker at the start of a line, which is the last one
// and at most kSummaryBytesMax long; no unknown field; this operation, attempt and protocol; flags
// that agree with the outcome. Errors: InvalidArgument says what it is not.
absl::StatusOr<TerminationSummary> ParseSummary(absl::string_view termination_message,
                                                const FrameExpectation& expected);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_FRAME_H_

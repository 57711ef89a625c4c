#include "lifecycle/api/frame.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/names.h"

namespace lifecycle::api {
namespace {

constexpr absl::string_view kBegin = "ptah-result-begin ";
constexpr absl::string_view kEnd = "ptah-result-end ";
constexpr absl::string_view kSummaryMarker = "ptah-summary ";
constexpr absl::string_view kVersionKey = "{\"protocolVersion\":";

struct Header {
  int64_t length = 0;
  absl::string_view digest;
};

// Reads what follows the marker: a canonical length and a digest.
std::optional<Header> ParseHeader(absl::string_view rest) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(' ', 1));
  Header header;
  header.digest = parts.second;
  const bool canonical = absl::SimpleAtoi(parts.first, &header.length) && header.length > 0 &&
                         absl::StrCat(header.length) == parts.first;
  if (!canonical || !IsDigest(header.digest)) return std::nullopt;
  return header;
}

// Goes through a text line by line. A line counts as complete when its newline is there.
class Lines {
 public:
  explicit Lines(absl::string_view text) : rest_(text) {}

  bool Next() {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    complete_ = end != absl::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(complete_ ? end + 1 : rest_.size());
    return true;
  }
  absl::string_view line() const { return line_; }
  bool complete() const { return complete_; }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view rest_;
  absl::string_view line_;
  bool complete_ = false;
};

FrameResult Failed(FrameFailure failure, absl::string_view why) {
  FrameResult result;
  result.failure = failure;
  result.why = std::string(why);
  return result;
}

// The version a payload of any protocol opens with, so that one this build cannot decode is still
// told from a damaged one.
std::optional<int64_t> PeekProtocolVersion(absl::string_view json) {
  if (!absl::ConsumePrefix(&json, kVersionKey)) return std::nullopt;
  int64_t version = 0;
  if (!absl::SimpleAtoi(json.substr(0, json.find_first_of(",}")), &version)) return std::nullopt;
  return version;
}

bool IsMutating(absl::string_view operation) {
  return operation == runner_operation::kApply || operation == runner_operation::kMigrationApply;
}

// What a payload may not say of itself, whoever wrote it.
bool HoldsItsRules(const FramePayload& payload) {
  const bool changed = payload.mutation_started() || payload.uncertain();
  if (changed && (!IsMutating(payload.operation()) || payload.child_exit_code() == -1)) {
    return false;
  }
  if (payload.has_migration_run() && payload.operation() != runner_operation::kMigrationApply) {
    return false;
  }
  if (payload.has_migration_history() &&
      payload.operation() != runner_operation::kMigrationHistory) {
    return false;
  }
  const std::string& outcome = payload.plan_outcome();
  return outcome.empty() ||
         (payload.operation() == runner_operation::kPlan &&
          (outcome == plan_outcome::kChanges || outcome == plan_outcome::kNoChanges));
}

// Judges a payload whose digest is right.
FrameResult Accept(absl::string_view json, const FrameExpectation& expected) {
  const std::optional<int64_t> version = PeekProtocolVersion(json);
  if (version && *version != expected.protocol_version) {
    return Failed(FrameFailure::kProtocolMismatch, absl::StrCat("protocol version ", *version));
  }
  FrameResult result;
  if (const absl::Status read = FromJson(json, &result.payload); !read.ok()) {
    return Failed(FrameFailure::kMalformed, read.message());
  }
  const FramePayload& payload = result.payload;
  if (payload.protocol_version() != expected.protocol_version ||
      payload.error().code() == kProtocolMismatchCode) {
    return Failed(FrameFailure::kProtocolMismatch, payload.error().message());
  }
  if (payload.operation() != expected.operation) {
    return Failed(FrameFailure::kWrongOperation, payload.operation());
  }
  if (payload.operation_id() != expected.operation_id) {
    return Failed(FrameFailure::kWrongAttempt, payload.operation_id());
  }
  if (!HoldsItsRules(payload)) {
    return Failed(FrameFailure::kMalformed, "the payload contradicts itself");
  }
  result.failure = FrameFailure::kNone;
  return result;
}

// Reads one frame from the line after its header. `text` starts there.
FrameResult ParseBody(absl::string_view text, const Header& header,
                      const FrameExpectation& expected) {
  if (header.length > kFramePayloadMax) {
    return Failed(FrameFailure::kTooLarge, absl::StrCat("a payload of ", header.length, " bytes"));
  }
  const std::string footer = absl::StrCat(kEnd, header.digest);
  std::optional<absl::string_view> payload;
  size_t noise_bytes = 0;
  int noise_lines = 0;
  for (Lines lines(text); lines.Next();) {
    const absl::string_view line = lines.line();
    if (line == footer) {
      if (!payload)
        return Failed(FrameFailure::kWrongDigest, "no payload has the digest announced");
      return Accept(*payload, expected);
    }
    const bool fits = static_cast<int64_t>(line.size()) == header.length && lines.complete();
    if (!payload && fits && DigestOf(line) == header.digest) {
      payload = line;
      continue;
    }
    // The last line may be a piece of what is still being written.
    if (!lines.complete() || absl::StartsWith(line, kBegin)) break;
    noise_bytes += line.size() + 1;
    // A damaged payload is no diagnostic, but it is bounded by what the header announced.
    const size_t bytes_max = kFrameNoiseBytesMax + (payload ? 0 : header.length);
    if (++noise_lines > kFrameNoiseLinesMax || noise_bytes > bytes_max) {
      return Failed(FrameFailure::kMalformed, "too much else between a frame's lines");
    }
  }
  return Failed(FrameFailure::kIncomplete, "the frame is cut off");
}

// Calls `visit(header, rest)` for every complete header line; `header` is empty when the line is
// malformed. Returns whether the text ends in the beginning of one.
template <class Visit>
bool ForEachHeader(absl::string_view log, Visit visit) {
  // Most of a log is not a frame: look for the marker, not for lines.
  size_t at = 0;
  while ((at = log.find(kBegin, at)) != absl::string_view::npos) {
    const bool starts_line = at == 0 || log[at - 1] == '\n';
    absl::string_view rest = log.substr(at + kBegin.size());
    at += kBegin.size();
    if (!starts_line) continue;
    const size_t end = rest.find('\n');
    if (end == absl::string_view::npos) return true;
    visit(ParseHeader(rest.substr(0, end)), rest.substr(end + 1));
  }
  return false;
}

absl::Status NoSummary(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("termination summary: ", why));
}

// The flags and the counts say what the outcome says.
bool IsConsistent(const TerminationSummary& summary) {
  if (!summary.has_migration()) return !summary.mutation_started() && !summary.uncertain();
  const SummaryMigration& run = summary.migration();
  const std::string& outcome = run.outcome();
  const bool open = outcome == report_outcome::kPartial || outcome == report_outcome::kUnknown;
  const bool closed = outcome == report_outcome::kUpToDate || outcome == report_outcome::kApplied ||
                      outcome == report_outcome::kDryRun || outcome == report_outcome::kFailed;
  if (!open && !closed) return false;
  if (summary.uncertain() && !open) return false;
  const int64_t count = run.applied_count();
  if (count < 0 || (outcome == report_outcome::kUpToDate && count != 0)) return false;
  if (count == 0) return run.first_applied() == 0 && run.last_applied() == 0;
  if (!summary.mutation_started() && outcome != report_outcome::kDryRun) return false;
  return (count == 1) == (run.first_applied() == run.last_applied());
}

}  // namespace

std::string RenderFrame(const FramePayload& payload) {
  const std::string json = ToJson(payload);
  const std::string digest = DigestOf(json);
  return absl::StrCat(kBegin, json.size(), " ", digest, "\n", json, "\n", kEnd, digest, "\n");
}

std::string FrameDigestOf(const FramePayload& payload) { return DigestOf(ToJson(payload)); }

FrameResult ParseFrame(absl::string_view log, const FrameExpectation& expected) {
  std::optional<FrameResult> valid;
  FrameResult last = Failed(FrameFailure::kNotFound, "no frame in the log");
  const bool cut =
      ForEachHeader(log, [&](const std::optional<Header>& header, absl::string_view rest) {
        FrameResult result = header ? ParseBody(rest, *header, expected)
                                    : Failed(FrameFailure::kMalformed, "a malformed frame header");
        if (result.ok()) {
          valid = std::move(result);
        } else {
          last = std::move(result);
        }
      });
  if (valid) return *std::move(valid);
  if (cut) return Failed(FrameFailure::kIncomplete, "the frame's header is cut off");
  return last;
}

std::vector<std::string> FrameHeaderDigests(absl::string_view log) {
  std::vector<std::string> digests;
  ForEachHeader(log, [&](const std::optional<Header>& header, absl::string_view) {
    if (header) digests.emplace_back(header->digest);
  });
  return digests;
}

bool FrameHeadersAgree(absl::string_view log, absl::string_view digest) {
  bool agree = true;
  ForEachHeader(log, [&](const std::optional<Header>& header, absl::string_view) {
    agree = agree && (!header || header->digest == digest);
  });
  return agree;
}

std::string RenderSummary(const TerminationSummary& summary) {
  return absl::StrCat(kSummaryMarker, ToJson(summary));
}

absl::StatusOr<TerminationSummary> ParseSummary(absl::string_view termination_message,
                                                const FrameExpectation& expected) {
  const size_t at = termination_message.find(kSummaryMarker);
  if (at == absl::string_view::npos) return NoSummary("none");
  if (at != 0 && termination_message[at - 1] != '\n') return NoSummary("not on a line of its own");
  const absl::string_view line = termination_message.substr(at);
  const absl::string_view json = line.substr(kSummaryMarker.size());
  if (absl::StrContains(json, kSummaryMarker)) return NoSummary("more than one marker");
  if (line.size() > kSummaryBytesMax) return NoSummary("too long");
  if (absl::StrContains(json, "\n")) return NoSummary("something follows it");
  TerminationSummary summary;
  if (const absl::Status read = FromJson(json, &summary); !read.ok()) {
    return NoSummary(read.message());
  }
  if (summary.protocol_version() != expected.protocol_version) return NoSummary("other protocol");
  if (summary.operation() != expected.operation) return NoSummary("other operation");
  if (summary.operation_id() != expected.operation_id) return NoSummary("other attempt");
  if (!IsDigest(summary.frame_digest())) return NoSummary("no frame digest");
  if (!IsConsistent(summary)) return NoSummary("its flags contradict its outcome");
  return summary;
}

}  // namespace lifecycle::api

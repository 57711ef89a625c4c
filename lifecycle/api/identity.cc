#include "lifecycle/api/identity.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"

namespace lifecycle::api {

std::string OperationId(absl::string_view input_fingerprint, absl::string_view nonce) {
  return DigestOf(Encoder().Text("operation").Int(1).Text(input_fingerprint).Text(nonce).bytes());
}

std::string HolderIdentity(absl::string_view resource_uid, absl::string_view operation_id) {
  std::string named(resource_uid);
  named.push_back('\0');
  absl::StrAppend(&named, operation_id);
  return absl::StrCat("ptah-h-", Base32Lower(Sha256(named)));
}

}  // namespace lifecycle::api

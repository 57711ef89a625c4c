#include "model/prepare.h"

#include <google/protobuf/message.h>

#include "lifecycle/api/kind.h"
#include "sim/interner.h"

namespace model {

void PrepareTypes() {
  for (const lifecycle::api::Kind kind : lifecycle::api::kAllKinds) {
    sim::ContentOf(*lifecycle::api::NewMessage(kind));
  }
}

}  // namespace model

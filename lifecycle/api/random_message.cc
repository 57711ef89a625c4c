#include "lifecycle/api/random_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"

namespace lifecycle::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// SplitMix64, so that a seed means the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Below(uint64_t bound) { return Next() % bound; }

 private:
  uint64_t Next() {
    uint64_t z = (state_ += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

class Filler {
 public:
  Filler(uint64_t seed, int per_cent) : random_(seed), per_cent_(per_cent) {}

  void Fill(Message* message) {
    for (const Field& field : FieldsOf(message->GetDescriptor())) {
      if (random_.Below(100) < static_cast<uint64_t>(per_cent_)) FillField(message, field);
    }
  }

 private:
  void FillField(Message* message, const Field& field) {
    const Reflection* reflection = message->GetReflection();
    switch (field.shape) {
      case Shape::kScalar:
        return Scalar(message, field.descriptor, false);
      case Shape::kMessage:
        return Fill(reflection->MutableMessage(message, field.descriptor));
      case Shape::kRepeated:
        reflection->ClearField(message, field.descriptor);
        for (uint64_t i = random_.Below(3); i > 0; --i) Element(message, field.descriptor);
        return;
      case Shape::kMap:
        for (uint64_t i = random_.Below(3); i > 0; --i) {
          const std::string value = Word();
          SetEntry(message, field, absl::StrCat("k", random_.Below(4)), &value);
        }
        return;
    }
  }

  void Element(Message* message, const FieldDescriptor* field) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Fill(message->GetReflection()->AddMessage(message, field));
    } else {
      Scalar(message, field, true);
    }
  }

  void Scalar(Message* message, const FieldDescriptor* field, bool add) {
    const Reflection* r = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return add ? r->AddString(message, field, Word()) : r->SetString(message, field, Word());
      case FieldDescriptor::CPPTYPE_BOOL:
        return add ? r->AddBool(message, field, random_.Below(2) == 1)
                   : r->SetBool(message, field, random_.Below(2) == 1);
      case FieldDescriptor::CPPTYPE_INT32: {
        const int32_t value = static_cast<int32_t>(random_.Below(5)) - 1;
        return add ? r->AddInt32(message, field, value) : r->SetInt32(message, field, value);
      }
      case FieldDescriptor::CPPTYPE_INT64: {
        const int64_t value = static_cast<int64_t>(random_.Below(5)) * 1000;
        return add ? r->AddInt64(message, field, value) : r->SetInt64(message, field, value);
      }
      default:
        STOPGAP_UNREACHABLE(field->full_name());
    }
  }

  // Includes the empty text, and characters that JSON has to escape.
  std::string Word() {
    constexpr const char* kWords[] = {"", "a", "b", "two words", "\"quoted\\\"", "line\nend\t\x01"};
    return kWords[random_.Below(6)];
  }

  Random random_;
  int per_cent_;
};

}  // namespace

void Randomize(uint64_t seed, int per_cent, Message* message) {
  Filler(seed, per_cent).Fill(message);
}

std::unique_ptr<Message> RandomObject(uint64_t seed) {
  std::unique_ptr<Message> object = NewMessage(kAllKinds[seed % kAllKinds.size()]);
  // Dense enough to be interesting, sparse enough that presence varies.
  Randomize(seed, 30 + 20 * static_cast<int>(seed / kAllKinds.size() % 4), object.get());
  return object;
}

std::unique_ptr<Message> RandomVariation(uint64_t seed, const Message& object) {
  std::unique_ptr<Message> copy(object.New());
  copy->CopyFrom(object);
  Randomize(seed, static_cast<int>(seed % 61), copy.get());
  return copy;
}

}  // namespace lifecycle::api

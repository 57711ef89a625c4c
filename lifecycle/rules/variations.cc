#include "lifecycle/rules/variations.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/fields.h"

namespace lifecycle::rules {
namespace {

using api::Field;
using api::Shape;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Collector {
 public:
  Collector(const Message& root, absl::FunctionRef<bool(size_t)> wanted)
      : root_(root), wanted_(wanted) {}

  // Goes through `at(root)`, where `at` finds the same place in a copy.
  void Walk(const Message& message, const std::string& path,
            const std::function<Message*(Message*)>& at) {
    for (const Field& field : api::FieldsOf(message.GetDescriptor())) {
      const std::string name = absl::StrCat(path, field.descriptor->name());
      switch (field.shape) {
        case Shape::kScalar:
          Scalar(message, field, name, at);
          break;
        case Shape::kMessage:
          Submessage(message, field, name, at);
          break;
        case Shape::kRepeated:
          List(message, field, name, at);
          break;
        case Shape::kMap:
          Map(message, field, name, at);
          break;
      }
    }
  }

  std::vector<Variation> Take() { return std::move(variations_); }

 private:
  using At = std::function<Message*(Message*)>;

  void Add(const std::string& path, const At& at, const std::function<void(Message*)>& change) {
    if (!wanted_(index_++)) return;
    std::unique_ptr<Message> copy(root_.New());
    copy->CopyFrom(root_);
    change(at(copy.get()));
    variations_.push_back({path, std::move(copy)});
  }

  void Scalar(const Message& message, const Field& field, const std::string& name, const At& at) {
    const FieldDescriptor* descriptor = field.descriptor;
    Add(absl::StrCat(name, " set"), at, [descriptor](Message* m) { SetOther(m, descriptor); });
    if (!api::IsPresent(message, field)) return;
    Add(absl::StrCat(name, " cleared"), at,
        [descriptor](Message* m) { m->GetReflection()->ClearField(m, descriptor); });
  }

  static void SetOther(Message* message, const FieldDescriptor* field) {
    const Reflection* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetString(message, field, reflection->GetString(*message, field) + "x");
      case FieldDescriptor::CPPTYPE_BOOL:
        // An optional false becomes true; one that is absent becomes present.
        return reflection->SetBool(message, field, !reflection->GetBool(*message, field));
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(message, field, reflection->GetInt32(*message, field) + 1);
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetInt64(message, field, reflection->GetInt64(*message, field) + 1);
      default:
        return;
    }
  }

  void Submessage(const Message& message, const Field& field, const std::string& name,
                  const At& at) {
    const FieldDescriptor* descriptor = field.descriptor;
    if (!api::IsPresent(message, field)) {
      Add(absl::StrCat(name, " appears"), at,
          [descriptor](Message* m) { m->GetReflection()->MutableMessage(m, descriptor); });
      return;
    }
    Add(absl::StrCat(name, " disappears"), at,
        [descriptor](Message* m) { m->GetReflection()->ClearField(m, descriptor); });
    Walk(message.GetReflection()->GetMessage(message, descriptor), name + ".",
         [at, descriptor](Message* root) {
           Message* m = at(root);
           return m->GetReflection()->MutableMessage(m, descriptor);
         });
  }

  void List(const Message& message, const Field& field, const std::string& name, const At& at) {
    const FieldDescriptor* descriptor = field.descriptor;
    const bool messages = descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool texts = descriptor->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    if (messages || texts) {
      Add(absl::StrCat(name, " grows"), at, [descriptor, messages](Message* m) {
        if (messages) {
          m->GetReflection()->AddMessage(m, descriptor);
        } else {
          m->GetReflection()->AddString(m, descriptor, "added");
        }
      });
    }
    const int size = message.GetReflection()->FieldSize(message, descriptor);
    if (size > 0) {
      Add(absl::StrCat(name, " shrinks"), at,
          [descriptor](Message* m) { m->GetReflection()->RemoveLast(m, descriptor); });
    }
    if (size > 1) {
      Add(absl::StrCat(name, " is swapped"), at,
          [descriptor](Message* m) { m->GetReflection()->SwapElements(m, descriptor, 0, 1); });
    }
    for (int i = 0; i < size; ++i) Element(message, field, absl::StrCat(name, "[", i, "]"), i, at);
  }

  void Element(const Message& message, const Field& field, const std::string& name, int i,
               const At& at) {
    const FieldDescriptor* descriptor = field.descriptor;
    if (descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Walk(message.GetReflection()->GetRepeatedMessage(message, descriptor, i), name + ".",
           [at, descriptor, i](Message* root) {
             Message* m = at(root);
             return m->GetReflection()->MutableRepeatedMessage(m, descriptor, i);
           });
    } else if (descriptor->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      Add(absl::StrCat(name, " set"), at, [descriptor, i](Message* m) {
        m->GetReflection()->SetRepeatedString(m, descriptor, i, "changed");
      });
    }
  }

  void Map(const Message& message, const Field& field, const std::string& name, const At& at) {
    const std::string value = "changed";
    Add(absl::StrCat(name, " grows"), at, [field](Message* m) {
      const std::string added = "added";
      api::SetEntry(m, field, "added", &added);
    });
    for (const api::MapEntry& entry : api::SortedEntries(message, field)) {
      const std::string key = *entry.key;
      Add(absl::StrCat(name, "[", key, "] set"), at, [field, key](Message* m) {
        const std::string other = *api::FindEntry(*m, field, key) + "x";
        api::SetEntry(m, field, key, &other);
      });
      Add(absl::StrCat(name, "[", key, "] removed"), at,
          [field, key](Message* m) { api::SetEntry(m, field, key, nullptr); });
    }
  }

  const Message& root_;
  const absl::FunctionRef<bool(size_t)> wanted_;
  size_t index_ = 0;  // Of the next variation, wanted or not.
  std::vector<Variation> variations_;
};

}  // namespace

std::vector<Variation> VariationsOf(const Message& message) {
  return VariationsOf(message, [](size_t) { return true; });
}

std::vector<Variation> VariationsOf(const Message& message,
                                    absl::FunctionRef<bool(size_t)> wanted) {
  Collector collector(message, wanted);
  collector.Walk(message, "", [](Message* root) { return root; });
  return collector.Take();
}

}  // namespace lifecycle::rules

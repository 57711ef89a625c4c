#include "lifecycle/rules/pod_template_bytes.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"

namespace lifecycle::rules {
namespace {

using Texts = google::protobuf::Map<std::string, std::string>;

// One walk. Every list and map opens with its length, everything that can be absent with whether it
// is there, so no two templates give one text.
class Writer {
 public:
  explicit Writer(int64_t started_at_ms) : started_at_ms_(started_at_ms) {}

  void Template(const api::PodTemplateSpec& pod_template) {
    out_.Bool(pod_template.has_metadata()).Bool(pod_template.has_spec());
    Entries(pod_template.metadata().labels(), IsGeneratedLabel);
    Entries(pod_template.metadata().annotations(),
            [](absl::string_view key) { return key == api::annotation::kAdmissionSnapshotDigest; });
    Pod(pod_template.spec());
  }
  std::string Take() { return out_.bytes(); }

 private:
  template <class LeftOut>
  void Entries(const Texts& texts, LeftOut left_out) {
    absl::InlinedVector<const Texts::value_type*, 24> entries;
    for (const auto& entry : texts) {
      if (!left_out(entry.first)) entries.push_back(&entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    out_.Int(entries.size());
    for (const auto* entry : entries) out_.Text(entry->first).Text(entry->second);
  }
  void All(const Texts& texts) {
    Entries(texts, [](absl::string_view) { return false; });
  }

  template <class List, class Element>
  void Each(const List& list, Element element) {
    out_.Int(list.size());
    for (const auto& one : list) element(one);
  }
  template <class List>
  void Each(const List& texts) {
    Each(texts, [this](const std::string& text) { out_.Text(text); });
  }

  // Writes whether it is there; true when what it holds is to follow.
  bool Present(bool present) {
    out_.Bool(present);
    return present;
  }

  void Pod(const api::PodSpec& pod) {
    out_.Text(pod.restart_policy());
    if (Present(pod.has_active_deadline_seconds())) out_.Int(pod.active_deadline_seconds());
    if (Present(pod.has_termination_grace_period_seconds())) {
      out_.Int(pod.termination_grace_period_seconds());
    }
    out_.Text(pod.service_account_name());
    // The server keeps the alias equal to the name, so only another one says anything.
    const bool says_more = pod.service_account() != pod.service_account_name();
    out_.Text(says_more ? pod.service_account() : std::string());
    if (Present(pod.has_automount_service_account_token())) {
      out_.Bool(pod.automount_service_account_token());
    }
    const auto container = [this](const api::Container& one) { Container(one); };
    Each(pod.init_containers(), container);
    Each(pod.containers(), container);
    Each(pod.volumes(), [this](const api::Volume& one) { Volume(one); });
    out_.Text(pod.priority_class_name());
    if (Present(pod.has_runtime_class_name())) out_.Text(pod.runtime_class_name());
    Each(pod.tolerations(), [this](const api::Toleration& one) { Toleration(one); });
    All(pod.node_selector());
    out_.Text(pod.node_name());
  }

  void Toleration(const api::Toleration& toleration) {
    out_.Text(toleration.key())
        .Text(toleration.operator_())
        .Text(toleration.value())
        .Text(toleration.effect());
    if (Present(toleration.has_toleration_seconds())) out_.Int(toleration.toleration_seconds());
  }

  void Container(const api::Container& container) {
    out_.Text(container.name()).Text(container.image());
    Each(container.command());
    Each(container.args());
    Each(container.env(), [this](const api::EnvVar& one) { Variable(one); });
    Each(container.volume_mounts(), [this](const api::VolumeMount& mount) {
      out_.Text(mount.name())
          .Text(mount.mount_path())
          .Text(mount.sub_path())
          .Bool(mount.read_only());
    });
    if (Present(container.has_resources())) {
      All(container.resources().requests());
      All(container.resources().limits());
    }
    out_.Text(container.termination_message_path())
        .Text(container.termination_message_policy())
        .Text(container.image_pull_policy());
  }

  void Variable(const api::EnvVar& variable) {
    out_.Text(variable.name()).Text(variable.value());
    if (Present(variable.has_value_from())) {
      const api::EnvVarSource& source = variable.value_from();
      if (Present(source.has_secret_key_ref())) Selector(source.secret_key_ref());
      if (Present(source.has_config_map_key_ref())) Selector(source.config_map_key_ref());
    }
    if (Present(variable.time_ms() != 0)) out_.Int(variable.time_ms() - started_at_ms_);
  }

  template <class KeySelector>
  void Selector(const KeySelector& selector) {
    out_.Text(selector.name()).Text(selector.key());
  }

  void Volume(const api::Volume& volume) {
    out_.Text(volume.name());
    if (Present(volume.has_projected())) {
      Each(volume.projected().sources(), [this](const api::VolumeProjection& source) {
        if (Present(source.has_config_map())) Projection(source.config_map());
        if (Present(source.has_secret())) Projection(source.secret());
      });
    }
    if (Present(volume.has_config_map())) Projection(volume.config_map());
    out_.Bool(volume.has_empty_dir());
  }

  template <class Source>
  void Projection(const Source& source) {
    out_.Text(source.name());
    Each(source.items(),
         [this](const api::KeyToPath& item) { out_.Text(item.key()).Text(item.path()); });
  }

  const int64_t started_at_ms_;
  api::Encoder out_;
};

}  // namespace

bool IsGeneratedLabel(absl::string_view key) {
  return key == api::label::kControllerUid || key == api::label::kJobName ||
         key == api::label::kLegacyControllerUid || key == api::label::kLegacyJobName;
}

std::string PodTemplateBytes(const api::PodTemplateSpec& pod_template, int64_t started_at_ms) {
  Writer writer(started_at_ms);
  writer.Template(pod_template);
  return writer.Take();
}

}  // namespace lifecycle::rules

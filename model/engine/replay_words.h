// What a replay says when it cannot follow its path, one line each, and the comparisons behind it.
#ifndef MODEL_ENGINE_REPLAY_WORDS_H_
#define MODEL_ENGINE_REPLAY_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/part.h"
#include "model/engine/path.h"

namespace model::words {

// The position of `label` in `labels`, if it is there. Dies if it is there twice: a system promises
// that the labels of a state's steps differ.
std::optional<size_t> OnlyMatch(const std::vector<std::string>& labels, const std::string& label);

// What differs between the choices that were recorded and those made now, if anything does.
// `options` is the number of options of each choice point that was met now.
std::optional<std::string> ChoicesDiffer(const std::vector<Choice>& recorded,
                                         const std::vector<Choice>& made,
                                         const std::vector<uint32_t>& options);

// In what a state differs from the one that was recorded, by the digests of their parts.
std::string PartsDiffer(const PartDigests& recorded, const PartDigests& now);

std::string NoSuchInitialState(uint32_t recorded, size_t count);
std::string LedNowhere(const std::string& step);
std::string NoSuchStep(const std::string& step, const std::vector<std::string>& on_offer);
std::string NoSuchCut(const Cut& recorded);
std::string CutDiffers(const Cut& recorded, const std::string& label_now);

}  // namespace model::words

#endif  // MODEL_ENGINE_REPLAY_WORDS_H_

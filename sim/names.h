// Names the world makes: UIDs and random tokens that are a function of what they name.
//
// Ids, Job names, holders and digests are hashes of each other, so renaming them afterwards would
// be unsound. Instead each is made with the smallest number from which nothing stored, in flight,
// remembered or in the truth still stems: no counter is global, independent steps commute, and a
// token drawn by a pass that stored nothing was never drawn.
//
// Answers: design.md, "Names are canonical because they are made so".

#ifndef SIM_NAMES_H_
#define SIM_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/kind.h"
#include "sim/world.h"

namespace sim {

// Returns the UID the server gives to the next object of this key: of (kind, namespace, name, n)
// with the smallest n that is free.
std::string NextUid(const World& world, const lifecycle::api::Key& key);

// Returns 16 bytes for (process, resource, purpose, k) with the smallest k that is free: no living
// operation of the resource was drawn with it, no epoch made of it is mentioned anywhere, and
// `drawn_this_pass` does not hold it.
std::string NextToken(const World& world, absl::string_view process, absl::string_view resource_uid,
                      absl::string_view purpose, const std::vector<std::string>& drawn_this_pass);

// The functions they are: a UID in its usual form, 16 bytes.
std::string MakeUid(const lifecycle::api::Key& key, uint32_t n);
std::string MakeToken(absl::string_view process, absl::string_view resource_uid,
                      absl::string_view purpose, uint32_t k);

// Whether anything of the world mentions the word (at least 6 of the characters of an identifier):
// stored objects, requests in flight, memories, paused passes, the truth.
bool IsMentioned(const World& world, absl::string_view word);
// The same without the truth.
bool IsNamedOutsideTruth(const World& world, absl::string_view word);

}  // namespace sim

#endif  // SIM_NAMES_H_

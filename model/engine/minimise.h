// Makes a path as short as it can be while it still shows the same problem.
//
// The explorer's own paths have the fewest faults and steps there are. A path that comes from
// elsewhere (a longer run, an older version of the code, a person) need not: entries are dropped,
// one at a time, whatever depended on them goes with them, and faults are taken back, until nothing
// more can go.
#ifndef MODEL_ENGINE_MINIMISE_H_
#define MODEL_ENGINE_MINIMISE_H_

#include <cstddef>
#include <utility>

#include "absl/functional/function_ref.h"
#include "model/engine/path.h"
#include "model/engine/replay.h"
#include "model/engine/system.h"

namespace model {

template <class State>
using PersistsFn = absl::FunctionRef<bool(const Replayed<State>&)>;

// Tries a smaller path; takes it over if it fits on the system and the problem persists. What does
// not fit any more is left out, so the outcome may be smaller still.
template <Explorable System>
bool TryPath(System& system, Path candidate, PersistsFn<typename System::State> persists,
             Path& path) {
  for (PathEntry& entry : candidate.entries) entry.key = {};
  const auto replayed = Replay(system, candidate, {.skip_misfits = true});
  if (replayed.divergence || !persists(replayed)) return false;
  path = replayed.path();
  return true;
}

// Tries `path` with its entry `at` gone, or else with less going wrong in it.
template <Explorable System>
bool ShrinkEntry(System& system, size_t at, PersistsFn<typename System::State> persists,
                 Path& path) {
  Path without = path;
  without.entries.erase(without.entries.begin() + static_cast<ptrdiff_t>(at));
  if (TryPath(system, std::move(without), persists, path)) return true;
  if (path.entries[at].cut.ordinal != 0) {
    Path uncut = path;
    uncut.entries[at].cut = {};
    if (TryPath(system, std::move(uncut), persists, path)) return true;
  }
  for (size_t choice = path.entries[at].choices.size(); choice-- > 0;) {
    Path calmer = path;
    auto& choices = calmer.entries[at].choices;
    choices.erase(choices.begin() + static_cast<ptrdiff_t>(choice));
    if (TryPath(system, std::move(calmer), persists, path)) return true;
  }
  return false;
}

// Returns the shortened path, with the keys of this run. `persists` says of a replay whether it
// still shows the problem; it must hold for `path` itself, which is otherwise returned as it is.
template <Explorable System>
Path Minimise(System& system, Path path, PersistsFn<typename System::State> persists) {
  if (!TryPath(system, path, persists, path)) return path;
  for (bool shrank = true; shrank;) {
    shrank = false;
    // From the end: what comes after the problem goes at once, and what caused it is asked last.
    for (size_t at = path.entries.size(); at-- > 0;) {
      if (at < path.entries.size() && ShrinkEntry(system, at, persists, path)) shrank = true;
    }
  }
  return path;
}

}  // namespace model

#endif  // MODEL_ENGINE_MINIMISE_H_

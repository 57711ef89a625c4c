// What every exploration needs first and none changes.

#ifndef MODEL_PREPARE_H_
#define MODEL_PREPARE_H_

namespace model {

// Reads the descriptors of the API types. The first exploration of a process does so anyway, and it
// takes as long as exploring a few hundred states: worth a call before a process is forked for each
// of many scenarios.
void PrepareTypes();

}  // namespace model

#endif  // MODEL_PREPARE_H_

// Asks the allocator for large pages: an exploration touches new memory all the time, and with
// pages of 4 KiB a tenth of its time goes into faults. Where the machine has none to give, nothing
// changes.
//
// Done here, as the program is loaded, because the parts that are linked with another allocator
// (tests, sanitizers) must not name this one.

#include <mimalloc.h>

namespace {

__attribute__((constructor)) void AskForLargePages() { mi_option_enable(mi_option_large_os_pages); }

}  // namespace

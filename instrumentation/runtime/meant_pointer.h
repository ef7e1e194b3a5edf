// Which allocation an argument should have pointed to: a launch that leaves the one it was given is run once
// more with the address of another, which nobody has written yet.
#pragma once

#include "instrumentation/runtime/findings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wl::runtime {

// A launch that was run, and how to run it again.
struct Suspected {
    const execution::Executable& executable;
    const Asked& asked;
    const execution::RunResult& result;
    execution::RunOptions options;
};

struct MeantPointer {
    uint64_t offset = 0;  // of the address in the parameter buffer
    std::string given,
        meant;           // the allocation that it lies in; the one with which the launch has no incident
    uint64_t bytes = 0;  // of the one that is meant
};

// Nothing where no allocation does, or more than one way; where the launch worked for long; or with a heap,
// which a trial would change.
std::optional<MeantPointer> meant_pointer(const Suspected& launch);

// Says so in the findings about what leaves an allocation, and in later ones about what nobody wrote.
// `meant`: by allocation the argument that should have pointed to it, of the launches so far.
void say_what_was_meant(
    const Suspected& launch,
    std::map<std::string, std::string>& meant,
    std::vector<capture::Finding>& findings
);

}  // namespace wl::runtime

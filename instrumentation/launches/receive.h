// A launch as the recorder inside a program tells it (recorder/wire.h), put together.
#pragma once

#include "instrumentation/launches/launch_file.h"
#include "instrumentation/recorder/wire.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::launches {

struct Receiving {
    RecordedLaunch launch;
    std::string text;                   // PTX that the program made of the kernel
    std::string triton_cache;           // the folder, as the program was told; empty: Triton's default
    bool begun = false, ended = false;  // ended: what the launch left is there, or how it failed
    std::string problem;                // why nothing could be kept
};

// Takes what belongs to a launch in; the answer that the recorder waits for, if it does.
std::optional<recorder::Packet> take(Receiving& receiving, const recorder::Message& message);

// Once all is there, or the program is gone: what is missing, and what to do about it.
void complete(Receiving& receiving);

// Variables that lie in global or constant memory, by their names in the PTX.
std::vector<std::string> variables_of(std::string_view ptx);

// The PTX that Triton left beside a cubin of these bytes in its cache; empty: there is none.
std::string triton_text(const std::string& cache, std::string_view cubin);

}  // namespace wl::launches

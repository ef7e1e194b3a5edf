// `warplens run --launch N --reference REFERENCE -- ./prog`: a launch beside one that should leave the same.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/launches/launch_file.h"

#include <string>
#include <vector>

namespace wl::app {

struct ReferenceSource {
    enum class Kind : uint8_t { program, file, function };
    Kind kind = Kind::program;
    std::string path;                  // of the launch file or of the script
    std::string function;              // in the script
    std::vector<std::string> command;  // the other program, with the arguments of the first
};
// Throws Error where --reference names nothing of these.
ReferenceSource reference_source(const Command& command);

// The launch of the file, or the given one with what the function returned in its memory. Throws Error.
launches::RecordedLaunch reference_of(const ReferenceSource& source, const launches::RecordedLaunch& launch);
launches::RecordedLaunch returned_by_function(
    const ReferenceSource& source, const launches::RecordedLaunch& launch
);

// Prints the verdict of what the launch left; the exit status.
int compare_with_reference(
    const Command& command,
    const ReferenceSource& source,
    launches::RecordedLaunch launch,
    const launches::RecordedLaunch& reference
);

}  // namespace wl::app

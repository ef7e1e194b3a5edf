// The program that is watched: it has our streams, and the signals that we get.
#include "app/cli/programs/programs.h"
#include "instrumentation/base/os/signals.h"

namespace wl::app {

ExitStatus run_child(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& environment,
    bool quiet_out
) {
    ProcessOptions options;
    options.environment = environment;
    if (quiet_out) options.output = {Stream::To::errors};
    const HandedOn handed_on;
    Process child = start_process(command, options);
    int handed = 0;
    std::optional<ExitStatus> ended;
    while (!(ended = wait_for(child))) hand_on(child.id, handed);
    return *ended;
}

}  // namespace wl::app

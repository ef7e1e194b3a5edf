// The program that is watched: it has our streams, and the signals that we get.
#include "app/cli/programs/programs.h"
#include "app/cli/progress.h"

#include <csignal>

namespace wl::app {

ExitStatus run_child(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& environment,
    bool quiet_out
) {
    ProcessOptions options;
    options.environment = environment;
    if (quiet_out) options.output = {Stream::To::errors};
    Process child = start_process(command, options);
    let_interrupts_end_waits();
    int told = 0;
    std::optional<ExitStatus> ended;
    while (!(ended = wait_for(child))) {
        if (!interrupted()) continue;
        const int asked = exit_status_of_interruption() - 128;
        if (told++ > 0)
            kill(child.id, SIGKILL);  // it was asked once, and went on
        else if (!interrupted_by_terminal())
            kill(child.id, asked);
    }
    return *ended;
}

}  // namespace wl::app

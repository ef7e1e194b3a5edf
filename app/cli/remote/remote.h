// `--host`: the run happens on another machine, by the system's ssh; the capture comes back.
#pragma once

#include "app/cli/options.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wl::app {

void add_remote_options(CLI::App& verb, KernelOptions& kernel);

// The files that a run needs, below one folder, so that what names them by relative paths finds them again.
struct Upload {
    std::string folder;              // absolute
    std::vector<std::string> files;  // relative to it
    std::string kernel, inputs;      // of them: the manifest, and the .npz of --inputs
};
// The manifest, its source, the headers that this includes by quoted names, the reference and every file of
// inputs. Throws Error as loading the manifest does.
Upload upload_of(const KernelOptions& options);

// What a program on another machine is given, and what it left.
struct RemoteJob {
    std::string host;
    std::string script;  // for its sh, on stdin
    std::string upload;  // a tar, behind it on stdin, which stays open until the script ends
};
struct RemoteAnswer {
    std::string output;     // of the script's stdout, all
    std::string last_line;  // of its stderr, but for progress
    int status = 0;         // of ssh
};
// Progress goes to who asked for it, other lines to stderr. Throws Error when ssh does not start, Cancelled.
RemoteAnswer run_over_ssh(const RemoteJob& job, const OutputOptions& output);

// `run` and `diagnose` with --host: prints what the other machine printed, writes the capture, gives the exit
// status. Throws Error when the link breaks or the machine lacks the program.
int run_remotely(const Command& command, const std::string& capture);

}  // namespace wl::app

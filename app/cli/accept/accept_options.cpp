// What is accepted, and by which limits.
#include "app/cli/accept/accept_options.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_accept_options(CLI::App& verb, AcceptOptions& o) {
    verb.add_option(
        "kernels", o.kernels, "shipped kernels, .toml or .cu, KERNEL+FAULT; default: all shipped"
    );
    verb.add_option("--presets", o.presets, "only these presets; default: all of the manifest")
        ->delimiter(',');
    verb.add_option("--max-registers", o.registers, "a thread; default: the manifest's limit, or 72");
    verb.add_option(
        "--max-shared", o.shared, "bytes a block, K for 1024; default: the manifest's limit, or 99K"
    );
    verb.add_option("--measured", o.measured, "what `bench --json` printed on a GPU: a column of its times");
}

}  // namespace wl::app

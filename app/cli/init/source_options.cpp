// Of init and of check.
#include "app/cli/init/source_options.h"

#include "instrumentation/base/error.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_source_options(CLI::App& verb, CheckOptions& o) {
    verb.add_option(
        "--entry", o.entry, "only this entry: its name in the PTX or in C++, or an instance name<int>"
    );
    verb.add_option("--arch", o.arch, "sm_80, sm_90, ...: what a .cu is compiled for");
    verb.add_option("-D,--define", o.defines, "NAME or NAME=VALUE for a .cu (repeatable)")
        ->allow_extra_args(false);
    verb.add_option("-I,--include", o.include, "a folder of a .cu's headers (repeatable)")
        ->allow_extra_args(false);
}

void add_init_options(CLI::App& init, Command& c) {
    init.add_option(
        "file", c.kernel.kernel, "a .cu, host code and all, or a .ptx; with --run it may be left out"
    );
    init.add_option("-o,--out", c.out, "the manifest to write; of --run the folder, default PROGRAM-kernels");
    init.add_flag("--force", c.init.force, "write over a manifest and a reference that are there");
    add_source_options(init, c.check);
    init.add_flag_callback(
        "--run",
        [&c] {
            if (c.program.words.empty())
                throw Error("--run needs the program after --: warplens init --run -- ./prog ARGS");
        },
        "run the program after --, and write a manifest of each kernel that it launches, with its real "
        "sizes and "
        "inputs"
    );
    init.add_option(
        "--launch",
        c.kernel.launch,
        "of --run: launch N, FIRST-LAST as one sequence, the first of a KERNEL, or all; default: the first "
        "of each kernel"
    );
}

}  // namespace wl::app

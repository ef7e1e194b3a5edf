// Of init and of check.
#include "app/cli/init/source_options.h"

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

}  // namespace wl::app

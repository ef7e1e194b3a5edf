#include "app/cli/record/record_options.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_record_options(CLI::App& verb, Command& command) {
    RecordOptions& o = command.record;
    verb.add_option("-o,--out", command.out, "the .wllaunch to write; default: named after the kernel, here");
    verb.add_option(
        "--kernel",
        o.kernel,
        "as the PTX spells it or as C++ does: scale, scale(float*), reduce<256>; without, launches are "
        "counted"
    );
    verb.add_option("--launch", o.launch, "which launch of it, from 1; without --kernel: of all kernels")
        ->check(CLI::PositiveNumber);
    verb.add_option("--limit", o.limit, "megabytes of memory to keep at most; default: 4000")
        ->check(CLI::PositiveNumber);
    verb.add_option("program", o.program, "the program and its arguments, after --")->required();
}

}  // namespace wl::app

// The emulator behind the interface of every executor.
#include "instrumentation/emulator/program/program.h"
#include "instrumentation/emulator/run.h"

namespace wl::emulator {

execution::Executor executor() {
    execution::Executor made;
    made.name = "emulator";
    made.can.checks = {.races = true, .uninitialised = true, .uniform = true};
    made.can.bounds = made.can.barriers = true;
    made.can.record = made.can.count_accesses = made.can.schedules = true;
    made.prepare = [](const ptx::Module& module, std::string_view entry) {
        const std::shared_ptr<const Program> program = lower(module, entry);
        return execution::Executable{
            std::shared_ptr<const execution::Listing>(program, &program->listing),
            program->static_shared,
            [program](const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
                return run(*program, launch, memory, options);
            }};
    };
    return made;
}

}  // namespace wl::emulator

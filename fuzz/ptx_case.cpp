// The properties that hold for every text.
#include "fuzz/ptx_case.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/run.h"
#include "instrumentation/ptx/module.h"

#include <cstring>

namespace wl::fuzz {
namespace {

constexpr uint64_t kBudget = 2000;        // warp instructions of a block
constexpr size_t kBufferBytes = 4096;     // what every pointer parameter points to
constexpr size_t kParameterBytes = 4352;  // the largest parameter space, PTX ISA 9.0, 5.1.6.1
constexpr uint32_t kDynamicShared = 512;

// Every 8 bytes of the parameters are the buffer's address: a kernel finds a pointer wherever it looks for
// one.
void run_briefly(const ptx::Module& module, const std::string& entry) {
    const auto program = emulator::lower(module, entry);
    execution::GlobalMemory memory;
    const uint64_t buffer =
        execution::allocate(memory, "buffer", std::vector<std::byte>(kBufferBytes, std::byte{1}));
    execution::Launch launch;
    launch.grid = {2, 1, 1};
    launch.block = {40, 1, 1};  // a full warp and a part of one
    launch.dynamic_shared = kDynamicShared;
    launch.params.resize(kParameterBytes);
    for (size_t at = 0; at + 8 <= launch.params.size(); at += 8)
        std::memcpy(launch.params.data() + at, &buffer, sizeof(buffer));
    execution::RunOptions options;
    options.budget = kBudget;
    options.threads = 1;
    for (const bool record : {false, true}) {
        options.record = record;
        options.max_events = 1000;
        emulator::run(*program, launch, memory, options);
    }
}

std::string try_module(const ptx::Module& module) {
    const std::string printed = ptx::print(module);
    try {
        if (ptx::print(ptx::parse(printed)) != printed)
            return "what was printed says something else when it is parsed and printed again";
    } catch (const Error& e) { return std::string("what was printed does not parse: ") + e.what(); }
    for (const emulator::EntryCheck& entry : emulator::check_entries(module)) {
        const ptx::Function& function = module.functions[static_cast<size_t>(entry.function)];
        if (!function.is_entry || !entry.refused.empty()) continue;
        try {
            run_briefly(module, function.name);
        } catch (const Unsupported& e) {
            return std::string("the check called an entry fine that lowering refuses: ") + e.what();
        }
    }
    return {};
}

}  // namespace

std::string try_ptx(std::string_view text) {
    try {
        return try_module(ptx::parse(text));
    } catch (const Error&) { return {}; }
}

}  // namespace wl::fuzz

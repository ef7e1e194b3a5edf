// Delays before racing accesses, on an executor that honours them: the emulator cannot sleep, so that here a
// run that holds a delay is made to leave other outputs, as a device may.
#include "instrumentation/diagnosis/device/delays.h"

#include "instrumentation/diagnosis/orders/hazards.h"
#include "instrumentation/ptx/module.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

manifest::Problem problem(std::vector<std::string> faults) {
    manifest::BindOptions bind;
    bind.faults = std::move(faults);
    bind.set = {
        {"B", "1" },
        {"H", "1" },
        {"S", "96"}
    };
    return manifest::bind(manifest::load(WL_SOURCE_DIR "/kernels/v2c_3.toml"), bind);
}

// The emulator; where the program holds a nanosleep, the outputs are others if `sensitive`, else always the
// same.
execution::Executor device(bool sensitive) {
    execution::Executor made;
    made.name = "gpu: a test";
    made.prepare = [sensitive](const ptx::Module& module, std::string_view entry) {
        const execution::Executable inner = emulator::executor().prepare(module, entry);
        const ptx::Function& f = ptx::entry_of(module, entry);
        const auto sleeps = std::count_if(f.code.begin(), f.code.end(), [](const ptx::Instruction& in) {
            return in.mnemonic.starts_with("nanosleep");
        });
        EXPECT_LE(sleeps, 1);
        execution::Executable out = inner;
        out.run = [inner,
                   change = sensitive && sleeps == 1](const auto& launch, auto& memory, const auto& o) {
            execution::RunResult result = inner.run(launch, memory, o);
            for (execution::Allocation& a : memory.allocations)
                if (a.name == "O") std::fill(a.bytes.begin(), a.bytes.end(), std::byte{change});
            return result;
        };
        return out;
    };
    return made;
}

TEST(Delays, RunsThatChangeAreCountedByPair) {
    const Hazards h = find_hazards(problem({"sync"}), {}, 8, device(true));
    ASSERT_TRUE(h.device.has_value());
    ASSERT_FALSE(h.device->pairs.empty());
    uint64_t runs = 0;
    for (const DelayedPair& p : h.device->pairs) {
        runs += p.runs;
        EXPECT_EQ(p.changed, p.runs) << p.text;
        EXPECT_GT(p.elements, 0) << p.text;
    }
    EXPECT_EQ(runs, 8u);
    EXPECT_NE(device_text(*h.device).find("come out otherwise"), std::string::npos);
    EXPECT_NE(device_text(*h.device).find("v2c_3.cu:"), std::string::npos);
}

TEST(Delays, RunsThatDoNotChangeProveNothing) {
    const Hazards h = find_hazards(problem({"sync"}), {}, 4, device(false));
    ASSERT_TRUE(h.device.has_value());
    for (const DelayedPair& p : h.device->pairs) EXPECT_EQ(p.changed, 0u);
    EXPECT_NE(device_text(*h.device).find("harmless only as far as tried"), std::string::npos);
}

TEST(Delays, AKernelWithoutRacesIsNotDelayed) {
    const Hazards h = find_hazards(problem({}), {}, 4, device(true));
    ASSERT_TRUE(h.device.has_value());
    EXPECT_TRUE(h.device->pairs.empty());
}

}  // namespace
}  // namespace wl::diagnosis

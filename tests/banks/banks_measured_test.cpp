// The wavefronts and sectors that the emulator counts for tests/kernels/banks.cu against Nsight Compute's on
// an H200 (docs/measured/banks-h200.json, which holds both). With WARPLENS_REWRITE=1 the file gets our
// numbers anew.
#include "instrumentation/base/error.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/emulator/run.h"
#include "instrumentation/ptx/module.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace wl::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMeasured = WL_SOURCE_DIR "/docs/measured/banks-h200.json";

struct Counted {
    uint64_t requests = 0, wavefronts = 0, ideal = 0, sectors = 0, global_requests = 0;
    bool operator==(const Counted&) const = default;
};

ptx::Module compiled(const std::string& source, bool attention) {
    compile::CompileOptions options;
    options.source_path = WL_SOURCE_DIR "/" + source;
    options.display_path = source;
    options.arch = "compute_90";
    if (attention)
        options.defines = {
            {"D",      "64"},
            {"M",      "64"},
            {"N",      "64"},
            {"CAUSAL", "0" }
        };
    return ptx::parse(compile::compile(options).ptx);
}
const ptx::Module& patterns() {
    static const ptx::Module kModule = compiled("tests/kernels/banks.cu", false);
    return kModule;
}

// Global accesses of the kind that the kernel is about: its result's store is no part of the pattern.
bool about(const std::string& name, const capture::AccessSite& s) {
    if (name.starts_with("stg")) return s.kind == AccessKind::store;
    return s.kind == (name.starts_with("cp") ? AccessKind::copy : AccessKind::load);
}

// One warp of the kernel; nothing when the emulator lacks an instruction of it.
std::optional<Counted> count(const std::string& name) {
    std::shared_ptr<const Program> program;
    try {
        program = lower(patterns(), name);
    } catch (const Unsupported&) { return {}; }
    GlobalMemory memory;
    const uint64_t buffer = allocate(memory, "memory", std::vector<std::byte>(1 << 16));
    Launch launch;
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.params.resize(8);
    std::memcpy(launch.params.data(), &buffer, 8);
    RunOptions options;
    options.threads = 1;
    options.count_accesses = true;
    const RunResult result = run(*program, launch, memory, options);
    Counted sum;
    const bool global_traffic =
        name.starts_with("ldg") || name.starts_with("stg") || name.starts_with("cp_async");
    const bool global_pattern = name.starts_with("ldg") || name.starts_with("stg");
    for (const capture::AccessSite& s : result.accesses.sites) {
        if (s.global && global_traffic && about(name, s))
            sum.sectors += s.cost, sum.global_requests += s.requests;
        if (s.global || global_pattern) continue;
        sum.requests += s.requests;
        sum.wavefronts += s.cost;
        sum.ideal += s.ideal;
    }
    return sum;
}

Json json_of(const Counted& c) {
    return {
        {"requests",        c.requests       },
        {"wavefronts",      c.wavefronts     },
        {"ideal",           c.ideal          },
        {"global_requests", c.global_requests},
        {"sectors",         c.sectors        }
    };
}

uint64_t counter(const Json& pattern, const std::string& name) {
    return pattern.at("counters").value(name, uint64_t{0});
}

// What the device counted. The hardware's counters leave out what cp.async writes to shared memory; counters
// in the instrumented machine code have it.
constexpr const char* kCopies = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts";

Counted measured(const std::string& name, const Json& pattern) {
    Counted c;
    const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared",
                      conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
    if (name.starts_with("cp_async")) {
        c.wavefronts = counter(pattern, kCopies);
        c.ideal = c.wavefronts - counter(pattern, conflicts + "_op_ldgsts");
    } else if (!name.starts_with("ldg") && !name.starts_with("stg")) {
        for (const char* kind : {"_op_ld", "_op_st", "_op_atom"}) {
            c.wavefronts += counter(pattern, wavefronts + kind);
            c.ideal += counter(pattern, wavefronts + kind) - counter(pattern, conflicts + kind);
        }
    }
    if (!name.starts_with("ldg") && !name.starts_with("stg") && !name.starts_with("cp_async")) return c;
    const char* kind = name.starts_with("stg") ? "_op_st" : "_op_ld";
    c.sectors = counter(pattern, std::string("l1tex__t_sectors_pipe_lsu_mem_global") + kind);
    c.global_requests = counter(pattern, std::string("l1tex__t_requests_pipe_lsu_mem_global") + kind);
    return c;
}

// Every difference, and why.
std::string known_difference(const std::string& name) {
    if (name.starts_with("atom_add64")) return "ptxas makes a loop of ld and atom.cas of it";
    return "";
}

TEST(BanksMeasured, TheEmulatorCountsWhatTheDeviceCountsOrTheDifferenceIsStated) {
    Json file = Json::parse(std::ifstream(kMeasured));
    const bool rewrite = std::getenv("WARPLENS_REWRITE") != nullptr;
    int equal = 0, different = 0;
    for (auto& [name, pattern] : file.at("patterns").items()) {
        const std::optional<Counted> ours = count(name);
        if (!ours) {
            ADD_FAILURE() << name << ": the emulator lacks an instruction of it";
            continue;
        }
        Counted device = measured(name, pattern);
        device.requests = ours->requests;
        // The hardware's counter of conflicts leaves copies past L1 out; their ideal is ours.
        if (name.starts_with("cp_async16")) device.ideal = ours->ideal;
        const std::string why = known_difference(name);
        if (rewrite) {
            pattern["emulated"] = json_of(*ours);
            pattern.erase("difference");
            if (*ours != device) pattern["difference"] = why;
        }
        *ours == device ? ++equal : ++different;
        EXPECT_EQ(pattern.at("emulated").dump(), json_of(*ours).dump()) << name << ": set WARPLENS_REWRITE=1";
        EXPECT_EQ(pattern.contains("difference"), *ours != device) << name;
        if (*ours != device && why.empty())
            ADD_FAILURE() << name << "\n  ours   " << json_of(*ours).dump() << "\n  device "
                          << json_of(device).dump();
    }
    std::printf("%d patterns equal, %d different for a stated reason\n", equal, different);
    EXPECT_LE(different, 2);
    if (rewrite) std::ofstream(kMeasured) << file.dump(1) << "\n";
}

// Wavefronts of a launch by kind of access, as the emulator counts them.
std::map<AccessKind, uint64_t> count_whole(const std::string& name) {
    const ptx::Module module = compiled("kernels/" + name + ".cu", true);
    constexpr uint32_t kSequence = 128, kShared = 81664;
    GlobalMemory memory;
    Launch launch;
    launch.grid = {kSequence / 64, 1, 1};
    launch.block = {256, 1, 1};
    launch.dynamic_shared = kShared;
    launch.params.resize(36);
    for (size_t k = 0; k < 4; ++k) {
        const uint64_t at =
            allocate(memory, std::string(1, "QKVO"[k]), std::vector<std::byte>(kSequence * 128));
        std::memcpy(launch.params.data() + 8 * k, &at, 8);
    }
    std::memcpy(launch.params.data() + 32, &kSequence, 4);
    RunOptions options;
    options.count_accesses = true;
    options.marks = false;
    const RunResult result = run(*lower(module, name), launch, memory, options);
    std::map<AccessKind, uint64_t> out;
    for (const capture::AccessSite& s : result.accesses.sites)
        if (!s.global) out[s.kind] += s.cost;
    return out;
}

// To the last wavefront, as the instrumented machine code counts them: the hardware's own counters of a block
// of eight warps add a few that depend on the moment (v2b: 39 of 18,503 stores). PTX has one load more than
// the machine code: softmax_rows reads a lane's first score for the maximum and once more for the
// exponential, and ptxas keeps it in a register: 8 rows, 2 iterations, 16 warps.
TEST(BanksMeasured, WholeKernelsTakeAsManyWavefrontsAsOnTheDevice) {
    const Json file = Json::parse(std::ifstream(kMeasured));
    const std::string counters = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared";
    for (const std::string name : {"v2b", "v2c_3"}) {
        const Json& device = file.at("whole_kernels").at(name);
        std::map<AccessKind, uint64_t> ours = count_whole(name);
        EXPECT_EQ(ours[AccessKind::load] - 8 * 2 * 16, counter(device, counters + "_op_ld")) << name;
        EXPECT_EQ(ours[AccessKind::store], counter(device, counters + "_op_st")) << name;
        EXPECT_LE(ours[AccessKind::copy], counter(device, kCopies)) << name;
        EXPECT_GE(
            counter(device, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"), ours[AccessKind::store]
        );
    }
}

}  // namespace
}  // namespace wl::emulator

// One function a reason; the limits are base/device_limits.h's.
#include "instrumentation/diagnosis/launch_refusals.h"

#include "instrumentation/base/device_limits.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/resources.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

constexpr int kMostRegisters = 255;  // that ptxas gives a thread

struct Refusal {
    std::string title, explanation, witness;
    uint64_t asked = 0, limit = 0;
    std::string key;  // of the launch in the manifest; empty: the kernel's own declaration
};

std::string of_device(const DeviceLimits& limits) { return "compute capability " + capability_text(limits); }

std::string dimensions(const std::array<uint32_t, 3>& n) {
    return fmt::format("({},{},{})", n[0], n[1], n[2]);
}

std::array<uint32_t, 3> declared(const uint32_t (&threads)[3]) {
    return {threads[0], std::max(threads[1], 1u), std::max(threads[2], 1u)};
}

// __launch_bounds__ and __block_size__: PTX ISA 9.0, 11.4.2 and 11.4.3.
std::optional<Refusal> by_bounds(const ptx::Function& entry, Dim3 block) {
    const std::array<uint32_t, 3> shape{block.x, block.y, block.z};
    const uint64_t threads = count(block);
    if (entry.required_threads[0] != 0 && declared(entry.required_threads) != shape) {
        const auto required = declared(entry.required_threads);
        return Refusal{
            fmt::format(
                "the launch is impossible: blocks of {}, required are {}",
                dimensions(shape),
                dimensions(required)
            ),
            "The kernel is compiled for blocks of exactly that shape (.reqntid), and a launch with another "
            "one fails. "
            "Launch it so, or change the declaration.",
            fmt::format("block {}, .reqntid {}", dimensions(shape), dimensions(required)),
            threads,
            uint64_t{required[0]} * required[1] * required[2],
            "block"};
    }
    if (entry.max_threads[0] == 0) return std::nullopt;
    const auto most = declared(entry.max_threads);
    const uint64_t limit = uint64_t{most[0]} * most[1] * most[2];
    if (threads <= limit) return std::nullopt;
    return Refusal{
        fmt::format(
            "the launch is impossible: {} threads a block, __launch_bounds__ allows {}", threads, limit
        ),
        fmt::format(
            "The compiler gave each thread registers for at most {} threads a block (.maxntid), and a launch "
            "with more "
            "fails before the kernel starts. Raise __launch_bounds__ to {} or launch smaller blocks.",
            limit,
            threads
        ),
        fmt::format("{} threads, .maxntid {}", threads, limit),
        threads,
        limit,
        "block"};
}

std::optional<Refusal> by_static_shared(const capture::Launch& launch, const DeviceLimits& limits) {
    if (launch.static_shared <= limits.shared_static) return std::nullopt;
    return Refusal{
        fmt::format(
            "the kernel cannot be assembled: {} bytes of static shared memory, {} are allowed",
            launch.static_shared,
            limits.shared_static
        ),
        "`__shared__` arrays of fixed size may take 48 KB on every device; ptxas refuses more. Declare one "
        "array as "
        "`extern __shared__` and give its bytes at the launch.",
        fmt::format(
            "{} bytes static, {} more than {}",
            launch.static_shared,
            launch.static_shared - limits.shared_static,
            limits.shared_static
        ),
        launch.static_shared,
        limits.shared_static,
        ""};
}

std::optional<Refusal> by_shared(const capture::Launch& launch, const DeviceLimits& limits) {
    const uint64_t total = uint64_t{launch.static_shared} + launch.dynamic_shared;
    if (total <= limits.shared_opted) return std::nullopt;
    return Refusal{
        fmt::format(
            "the launch is impossible: a block asks for {} bytes of shared memory, a device of {} gives {}",
            total,
            of_device(limits),
            limits.shared_opted
        ),
        "The launch fails before the kernel starts. Smaller tiles or fewer stages bring it inside; other "
        "devices give "
        "other amounts (--arch).",
        fmt::format(
            "dynamic {} + static {} = {} bytes, {} more than {}",
            launch.dynamic_shared,
            launch.static_shared,
            total,
            total - limits.shared_opted,
            limits.shared_opted
        ),
        total,
        limits.shared_opted,
        "shared"};
}

// Without a bound the compiler knows nothing of the block; up to kMostRegisters fit 256 threads anyway.
std::optional<Refusal> by_registers(
    const ptx::Function& entry, capture::Capture& c, const DeviceLimits& limits
) {
    const uint64_t threads = count(c.launch.block);
    if (registers_of_block(limits, threads, kMostRegisters) <= limits.registers) return std::nullopt;
    if (entry.max_threads[0] != 0 || entry.required_threads[0] != 0) return std::nullopt;
    const Resources resources = measure_resources(c);
    if (!resources.registers) {
        c.notes.push_back(fmt::format(
            "whether {} threads a block have registers enough is unknown: {}", threads, resources.origin
        ));
        return std::nullopt;
    }
    const uint64_t taken = registers_of_block(limits, threads, *resources.registers);
    if (taken <= limits.registers) return std::nullopt;
    return Refusal{
        fmt::format(
            "the launch is impossible: {} registers times {} threads, a block has {}",
            *resources.registers,
            threads,
            limits.registers
        ),
        fmt::format(
            "The launch fails with \"too many resources requested for launch\" before the kernel starts. "
            "Tell the "
            "compiler how many threads there are, __launch_bounds__({}), or launch smaller blocks.",
            threads
        ),
        fmt::format(
            "{}: {} registers a thread, {} a block, {} more than {}",
            resources.origin,
            *resources.registers,
            taken,
            taken - limits.registers,
            limits.registers
        ),
        taken,
        limits.registers,
        "block"};
}

}  // namespace

std::optional<capture::Finding> refused_launch(const Experiment& e, capture::Capture& c) {
    const ptx::Function& entry = ptx::entry_of(e.module, e.entry);
    const std::optional<DeviceLimits> limits = device_limits(c.launch.arch);
    std::optional<Refusal> refusal = by_bounds(entry, c.launch.block);
    if (!refusal && limits) refusal = by_static_shared(c.launch, *limits);
    if (!refusal && limits) refusal = by_shared(c.launch, *limits);
    if (!refusal && limits) refusal = by_registers(entry, c, *limits);
    if (!refusal) return std::nullopt;
    capture::Finding f;
    f.rule = "launch_impossible";
    f.title = refusal->title, f.explanation = refusal->explanation, f.proof = refusal->witness;
    f.evidence = {
        {"asked", static_cast<double>(refusal->asked)},
        {"limit", static_cast<double>(refusal->limit)}
    };
    const auto line = e.problem.kernel.lines.find(manifest::launch_of(e.problem).key + "." + refusal->key);
    if (line != e.problem.kernel.lines.end())
        f.where.file = path_from_here(e.problem.kernel.path), f.where.line = line->second;
    return f;
}

}  // namespace wl::diagnosis

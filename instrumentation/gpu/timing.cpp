// CUDA graphs of launches, replayed between events.
#include "instrumentation/gpu/timing.h"

#include "instrumentation/base/error.h"
#include "instrumentation/gpu/dumping.h"
#include "instrumentation/gpu/instrument.h"
#include "instrumentation/gpu/session.h"
#include "instrumentation/gpu/stream.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace wl::gpu {
namespace {

constexpr int kMostSets = 256;
constexpr double kWarmUp = 0.3;  // seconds of replays before the first sample

Spread measure(const Stream& s, const Graph& graph, int launches, int samples) {
    const auto replay = [&] { return s.session.d.launch_graph(graph.instance, s.stream); };
    for (double spent = 0; spent < kWarmUp;) spent += std::max(timed(s, replay), 1e-5);
    std::vector<double> all;
    for (int k = 0; k < samples; ++k) all.push_back(timed(s, replay) / launches);
    std::sort(all.begin(), all.end());
    const auto at = [&](double part) {
        return all[static_cast<size_t>(part * static_cast<double>(samples - 1))];
    };
    return {at(0.5), at(0.25), at(0.75), samples, launches};
}

int attribute(const Session& s, CUdevice_attribute which) {
    int value = 0;
    require(s.d, s.d.device_attribute(&value, which, s.device), "reading a device's attribute");
    return value;
}

void describe(Timing& t, const Session& s, const Loaded& loaded, const execution::Launch& launch) {
    const auto of = [&](CUfunction_attribute which) {
        int value = 0;
        require(s.d, s.d.function_attribute(&value, which, loaded.function), "reading a kernel's attribute");
        return value;
    };
    t.registers = of(CU_FUNC_ATTRIBUTE_NUM_REGS);
    t.local_bytes = static_cast<uint32_t>(of(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    t.shared_bytes = static_cast<uint32_t>(of(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)) + launch.dynamic_shared;
    const auto threads = static_cast<int>(count(launch.block));
    require(
        s.d,
        s.d.resident_blocks(&t.blocks_resident, loaded.function, threads, launch.dynamic_shared),
        "asking for the occupancy"
    );
    t.occupancy = static_cast<double>(t.blocks_resident) * threads /
        attribute(s, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
}

}  // namespace

Timing time_kernel(const Timed& timed, const TimeOptions& o) {
    const ptx::Module& module = timed.module;
    const std::string_view entry = timed.entry;
    const execution::Launch& launch = timed.launch;
    const execution::GlobalMemory& memory = timed.memory;
    const Session s(o.device);
    const ptx::Function& function = ptx::entry_of(module, entry);
    const Loaded loaded(s, ptx::print(module), function.name);
    const Stream stream(s);
    Timing t;
    t.device = devices().all.at(static_cast<size_t>(o.device)).name;
    t.l2_bytes = static_cast<uint64_t>(attribute(s, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    for (const execution::Allocation& a : memory.allocations) t.array_bytes += a.bytes.size();
    const uint64_t wanted = 2 * t.l2_bytes / std::max<uint64_t>(t.array_bytes, 1) + 1;
    t.sets = static_cast<int>(std::clamp<uint64_t>(wanted, 2, kMostSets));
    const Work work{loaded, function, launch, memory};
    std::deque<Placed> sets;
    for (int k = 0; k < t.sets; ++k) sets.push_back(upload(s, work, std::byte{0}));
    const auto launch_over = [&](const Placed& set) { return start(s, work, set, stream.stream); };
    require(s.d, launch_over(sets.front()), "launching the kernel");
    require(s.d, s.d.synchronize(), "running the kernel");
    describe(t, s, loaded, launch);
    const auto run_over = [&](int launches, int of) {
        CUresult status = CUDA_SUCCESS;
        for (int k = 0; k < launches && status == CUDA_SUCCESS; ++k)
            status = launch_over(sets[static_cast<size_t>(k % of)]);
        return status;
    };
    const int round = std::max(o.launches, t.sets);
    const Graph warm(stream, [&] { return run_over(o.launches, 1); });
    const Graph cold(stream, [&] { return run_over(round, t.sets); });
    t.warm = measure(stream, warm, o.launches, o.samples);
    t.cold = measure(stream, cold, round, o.samples);
    sets.clear();
    t.multiplies_matrices = multiplies_matrices(module, function);
    t.ceilings = measure_ceilings(s, stream);
    return t;
}

Observed time_observed(const Timed& timed, const TimeOptions& o) {
    const ptx::Module& module = timed.module;
    const std::string_view entry = timed.entry;
    const execution::Launch& launch = timed.launch;
    const execution::GlobalMemory& memory = timed.memory;
    const Session s(o.device);
    const ptx::Function& function = ptx::entry_of(module, entry);
    const execution::Listing listing =
        execution::list(module, static_cast<int>(&function - module.functions.data()));
    Plan plan;
    plan.threads = static_cast<uint32_t>(count(launch.block));
    const Instrumented made = instrument(module, listing, plan);
    const Loaded plain(s, ptx::print(module), function.name),
        observed(s, ptx::print(made.module), function.name);
    const execution::Launch with_room = launch_of(made, launch);
    const Stream stream(s);
    const std::unique_ptr<Buffer> room = buffer_for_records(s, false);
    const Buffer& records = *room;
    CUdeviceptr place = 0;
    require(s.d, s.d.global(&place, nullptr, observed.module, kControl), "finding the dump's control");
    const Placed arrays = upload(s, {plain, function, launch, memory}, std::byte{0});
    // Each launch finds the counts at zero; so that this costs both the same, the plain one sets them too.
    const auto graph = [&](const Loaded& loaded, const execution::Launch& l) {
        return std::make_unique<Graph>(stream, [&] {
            CUresult status = CUDA_SUCCESS;
            for (int k = 0; k < o.launches && status == CUDA_SUCCESS; ++k) {
                status = s.d.fill_later(
                    place + offsetof(Control, claimed), 0, 2 * sizeof(uint64_t), stream.stream
                );
                if (status == CUDA_SUCCESS)
                    status = start(s, {loaded, function, l, memory}, arrays, stream.stream);
            }
            return status;
        });
    };
    const auto choose = [&](uint64_t blocks) {
        Control control;
        control.records = records.address, control.capacity = records.bytes, control.end_block = blocks;
        share_out(control, made.dumped, (count(launch.block) + 31) / 32);
        require(s.d, s.d.upload(place, &control, sizeof control), "setting the dump's control");
    };
    Observed out;
    const std::unique_ptr<Graph> bare = graph(plain, launch), dumping = graph(observed, with_room);
    choose(0);
    out.plain = measure(stream, *bare, o.launches, o.samples);
    out.idle = measure(stream, *dumping, o.launches, o.samples);
    choose(1);
    out.one = measure(stream, *dumping, o.launches, o.samples);
    choose(count(launch.grid));
    out.all = measure(stream, *dumping, o.launches, o.samples);
    Control control;
    require(s.d, s.d.download(&control, place, sizeof control), "reading the dump's control");
    out.dropped = control.dropped;
    std::vector<std::byte> dumped(used_of(control));
    require(s.d, s.d.download(dumped.data(), records.address, dumped.size()), "reading the records");
    for (const execution::TileSnapshot& tile : decode(dumped, records.address, listing, made.dumped).tiles)
        out.bytes += sizeof(Record) + tile.values.size();
    return out;
}

}  // namespace wl::gpu

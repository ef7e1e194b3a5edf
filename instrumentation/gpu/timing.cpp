// CUDA graphs of launches, replayed between events.
#include "instrumentation/gpu/timing.h"

#include "instrumentation/base/error.h"
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/instrument.h"
#include "instrumentation/gpu/session.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace wl::gpu {
namespace {

constexpr int kMostSets = 256;
constexpr double kWarmUp = 0.3;                     // seconds of replays before the first sample
constexpr uint64_t kCopyBytes = uint64_t{1} << 30;  // of the copy that measures the memory

struct Stream {
    const Session& session;
    CUstream stream = nullptr;
    CUevent begin = nullptr, end = nullptr;

    explicit Stream(const Session& s) : session(s) {
        require(s.d, s.d.make_stream(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
        require(s.d, s.d.make_event(&begin, CU_EVENT_DEFAULT), "making an event");
        require(s.d, s.d.make_event(&end, CU_EVENT_DEFAULT), "making an event");
    }
    ~Stream() {
        session.d.destroy_event(begin), session.d.destroy_event(end);
        session.d.destroy_stream(stream);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
};

// Seconds that the device takes for what `work` puts into the stream.
double timed(const Stream& s, const std::function<CUresult()>& work) {
    const Driver& d = s.session.d;
    require(d, d.record_event(s.begin, s.stream), "timing");
    require(d, work(), "timing a launch");
    require(d, d.record_event(s.end, s.stream), "timing");
    require(d, d.synchronize(), "timing a launch");
    float milliseconds = 0;
    require(d, d.elapsed(&milliseconds, s.begin, s.end), "timing");
    return milliseconds * 1e-3;
}

// The least of several tries, in seconds.
double least(const Stream& s, const std::function<CUresult()>& work) {
    double best = timed(s, work);
    for (int k = 0; k < 10; ++k) best = std::min(best, timed(s, work));
    return best;
}

struct Graph {
    const Session& session;
    CUgraph graph = nullptr;
    CUgraphExec instance = nullptr;

    // What `work` puts into the stream.
    Graph(const Stream& s, const std::function<CUresult()>& work) : session(s.session) {
        const Driver& d = session.d;
        require(d, d.begin_capture(s.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "recording a graph");
        const CUresult status = work();
        require(d, d.end_capture(s.stream, &graph), "recording a graph");
        require(d, status, "recording a launch");
        require(d, d.instantiate(&instance, graph, 0), "making a graph");
    }
    ~Graph() {
        session.d.destroy_instance(instance);
        session.d.destroy_graph(graph);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
};

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

double copy_rate(const Session& s, const Stream& stream) {
    const Buffer from(s, kCopyBytes), to(s, kCopyBytes);
    if (from.address == 0 || to.address == 0) return 0;
    const auto work = [&] { return s.d.copy(to.address, from.address, kCopyBytes, stream.stream); };
    return 2 * static_cast<double>(kCopyBytes) / least(stream, work);
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
    if (!memory.textures.empty()) throw Unsupported("unsupported: textures on a GPU");
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
    std::deque<Buffers> sets;
    for (int k = 0; k < t.sets; ++k) sets.push_back(upload(s, memory, std::byte{0}));
    const auto launch_over = [&](const Buffers& set) {
        return start(s, {loaded, function, launch, memory}, set, stream.stream);
    };
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
    t.copy_rate = copy_rate(s, stream);
    return t;
}

namespace {

constexpr uint64_t kRecordBytes = uint64_t{1} << 30;

double fill_rate(const Session& s, const Stream& stream, const Buffer& buffer) {
    const auto work = [&] { return s.d.fill_later(buffer.address, 0xff, buffer.bytes, stream.stream); };
    return static_cast<double>(buffer.bytes) / least(stream, work);
}

}  // namespace

Observed time_observed(const Timed& timed, const TimeOptions& o) {
    const ptx::Module& module = timed.module;
    const std::string_view entry = timed.entry;
    const execution::Launch& launch = timed.launch;
    const execution::GlobalMemory& memory = timed.memory;
    const Session s(o.device);
    const ptx::Function& function = ptx::entry_of(module, entry);
    const execution::Listing listing =
        execution::list(module, static_cast<int>(&function - module.functions.data()));
    const Instrumented made = instrument(module, listing);
    const Loaded plain(s, ptx::print(module), function.name),
        observed(s, ptx::print(made.module), function.name);
    const execution::Launch with_room = launch_of(made, launch);
    const Stream stream(s);
    const Buffer records(s, kRecordBytes);
    if (records.address == 0) throw Unsupported("unsupported: the GPU has no room for the records of marks");
    CUdeviceptr place = 0;
    require(s.d, s.d.global(&place, nullptr, observed.module, kControl), "finding the dump's control");
    const Buffers arrays = upload(s, memory, std::byte{0});
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
        control.part = part_of(records.bytes, blocks);
        require(s.d, s.d.upload(place, &control, sizeof control), "setting the dump's control");
    };
    Observed out;
    const std::unique_ptr<Graph> bare = graph(plain, launch), dumping = graph(observed, with_room);
    out.fill_rate = fill_rate(s, stream, records);
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
    std::vector<std::byte> dumped(std::min(control.claimed, records.bytes));
    require(s.d, s.d.download(dumped.data(), records.address, dumped.size()), "reading the records");
    for (const execution::TileSnapshot& tile : decode(dumped, listing, made.dumped).tiles)
        out.bytes += sizeof(Record) + tile.values.size();
    return out;
}

}  // namespace wl::gpu

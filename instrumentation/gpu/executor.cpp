// Plain runs for memory and time, instrumented runs for tiles.
#include "instrumentation/gpu/executor.h"

#include "instrumentation/base/error.h"
#include "instrumentation/gpu/delivery.h"
#include "instrumentation/gpu/dumping.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace wl::gpu {
namespace {

using execution::GlobalMemory;
using execution::Incident;
using execution::Launch;
using execution::RunOptions;
using execution::RunResult;

// A kernel and what became of it.
struct Life {
    int device = 0;
    Order order = Order::plain_first;
    Kernel kernel;
    std::string fault;           // how a launch ended: then the process can use no GPU any more
    std::optional<Dump> before;  // what was dumped before the fault
    bool unsteady = false;       // two runs of the plain kernel left different memory
};

// What is exclusive-ored onto bytes that nobody wrote, in the run that tells which these are.
constexpr std::byte kPoison{0x5a};

std::string fault_text(const Session& s, CUresult status, bool refused, bool timed_out) {
    if (timed_out) return fmt::format("the kernel did not end within {} s", kTimeLimit);
    return (refused ? "the driver refused the launch: " : "the device stopped it: ") + describe(s.d, status);
}

void add_fault(RunResult& r, const std::string& fault) {
    Incident i;
    i.kind = Incident::Kind::device_fault;
    i.first.site = execution::kUnknownSite;
    i.detail = fault;
    r.incidents.push_back(std::move(i));
}

// Two runs with different bytes where nobody wrote: a byte that kept both is unwritten.
uint64_t mark_written(GlobalMemory& memory, const DeviceDump& first, const DeviceDump& second) {
    uint64_t unsteady = 0;
    for (size_t k = 0; k < memory.allocations.size(); ++k) {
        execution::Allocation& a = memory.allocations[k];
        for (size_t b = 0; b < a.bytes.size(); ++b) {
            const bool known = a.written.empty() || a.written[b] != 0;
            const std::byte one = first.bytes[k][b], two = second.bytes[k][b];
            const bool kept = !known && one == a.bytes[b] && two == (a.bytes[b] ^ kPoison);
            if (!known && !kept) a.written[b] = 1;
            if (!kept && one != two) ++unsteady;
        }
        a.bytes = first.bytes[k];
    }
    return unsteady;
}

// The memory that a run of the instrumented kernel alone left; written is what it changed.
void take_memory(GlobalMemory& memory, const std::vector<std::vector<std::byte>>& after) {
    for (size_t k = 0; k < memory.allocations.size(); ++k) {
        execution::Allocation& a = memory.allocations[k];
        for (size_t b = 0; b < a.written.size(); ++b)
            if (after[k][b] != a.bytes[b]) a.written[b] = 1;
        a.bytes = after[k];
    }
}

void run_plain(Session& s, Life& life, const Launch& launch, GlobalMemory& memory, RunResult& r) {
    const Kernel& k = life.kernel;
    const Loaded plain(s, k.text, k.entry);
    const DeviceDump first = shoot(s, {plain, k.function(), launch, memory}, std::byte{0});
    r.seconds = first.seconds;
    std::istringstream printed(first.printed);
    for (std::string line; std::getline(printed, line);) r.printed.push_back({-1, 0, line, 0});
    if (first.status != CUDA_SUCCESS) {
        life.fault = fault_text(s, first.status, first.refused, first.timed_out);
        return;
    }
    const DeviceDump second = shoot(s, {plain, k.function(), launch, memory}, kPoison);
    if (second.status != CUDA_SUCCESS) {
        life.fault = "in a second run " + fault_text(s, second.status, second.refused, second.timed_out);
        return;
    }
    const uint64_t unsteady = mark_written(memory, first, second);
    life.unsteady = unsteady != 0;
    if (life.unsteady)
        r.notes.push_back(fmt::format(
            "two runs of the plain kernel differ in {} bytes: it races, or reads what nobody wrote", unsteady
        ));
}

// How many bytes differ, and the first words that do.
struct Changes {
    uint64_t bytes = 0, different = 0, words = 0;
    std::vector<execution::ChangedWord> first = {};
};

Changes changes_of(const GlobalMemory& plain, const Dumping& dumping) {
    constexpr size_t kMost = 1 << 16, kWord = sizeof(uint64_t);
    Changes out;
    for (size_t k = 0; k < plain.allocations.size(); ++k) {
        const std::vector<std::byte>&one = plain.allocations[k].bytes, &two = dumping.memory[k];
        out.bytes += one.size();
        for (size_t at = 0; at < one.size(); at += kWord) {
            const size_t piece = std::min(kWord, one.size() - at);
            if (std::memcmp(one.data() + at, two.data() + at, piece) == 0) continue;
            for (size_t i = at; i < at + piece; ++i) out.different += one[i] != two[i] ? 1 : 0;
            ++out.words;
            if (out.first.size() == kMost) continue;
            execution::ChangedWord& word = out.first.emplace_back();
            word.array = plain.allocations[k].name, word.offset = at;
            std::memcpy(&word.was, one.data() + at, piece);
            std::memcpy(&word.is, two.data() + at, piece);
        }
    }
    return out;
}

void say_changes(RunResult& r, Changes&& changes, bool unsteady) {
    if (changes.different == 0) {
        r.notes.push_back(fmt::format(
            "observing changed nothing: after the instrumented run all {} bytes of memory equal those after "
            "the plain one",
            changes.bytes
        ));
        return;
    }
    r.notes.push_back(fmt::format(
        "observing changed the result: after the instrumented run {} of {} bytes of memory differ from those "
        "after the plain one{}",
        changes.different,
        changes.bytes,
        unsteady ? ", as two runs of the plain one do" : ""
    ));
    Incident i;
    i.kind = Incident::Kind::observing_changed;
    i.first.site = execution::kUnknownSite;
    i.count = changes.words, i.changed = std::move(changes.first), i.unsteady = unsteady;
    r.incidents.push_back(std::move(i));
}

Range range_of(const RunOptions& o, const Launch& launch) {
    if (o.blocks.empty()) return {0, count(launch.grid)};
    const auto [low, high] = std::minmax_element(o.blocks.begin(), o.blocks.end());
    return {static_cast<uint64_t>(*low), static_cast<uint64_t>(*high) + 1};
}

// One call of an executable on its way.
struct Call {
    Life& life;
    const Launch& launch;
    GlobalMemory& memory;
    Delivery& delivery;
    RunResult& result;
};

void say_measured(Call& c, const Dumping& dumping) {
    RunResult& r = c.result;
    if (c.life.order == Order::dump_only) {
        take_memory(c.memory, dumping.memory);
        r.notes.emplace_back("only the instrumented kernel ran: the plain one ended by a fault before");
    } else {
        say_changes(r, changes_of(c.memory, dumping), c.life.unsteady);
        r.notes.push_back(fmt::format(
            "measured: {} tiles{} dumped; the plain kernel took {:.3f} ms, the instrumented one {:.3f} ms",
            c.delivery.tiles,
            c.delivery.stores == 0 ? "" : fmt::format(" and {} stores", c.delivery.stores),
            r.seconds * 1e3,
            dumping.seconds * 1e3
        ));
    }
    if (dumping.lost != 0)
        r.notes.push_back(fmt::format("{} records found no room in the buffer and are lost", dumping.lost));
}

bool wants_marks(const Call& c) {
    const std::vector<ptx::Mark>& marks = c.life.kernel.listing.marks;
    return c.delivery.options.marks && c.delivery.options.on_tile &&
        std::any_of(marks.begin(), marks.end(), [](const ptx::Mark& m) { return is_dumped(m); });
}

bool wants_recording(const Call& c) {
    const RunOptions& o = c.delivery.options;
    return (o.record || c.life.order == Order::dump_only) && (o.recording.stores || !o.arrays.empty());
}

Plan plan_of(const Call& c) {
    const RunOptions& o = c.delivery.options;
    Plan plan;
    plan.has_marks = wants_marks(c), plan.stages = o.record;
    plan.threads = static_cast<uint32_t>(count(c.launch.block));
    plan.host_visible = c.life.order == Order::dump_only;
    if (wants_recording(c)) plan.recording = o.recording, plan.arrays = o.arrays;
    return plan;
}

// `before`: memory as the launch finds it.
void run_instrumented(Session& s, Call& c, const GlobalMemory& before) {
    Life& life = c.life;
    const bool survives = life.order == Order::dump_only;
    const Instrumented made = instrument(life.kernel.module, life.kernel.listing, plan_of(c));
    c.result.notes.insert(c.result.notes.end(), made.notes.begin(), made.notes.end());
    const RunOptions& o = c.delivery.options;
    const DumpWork work{life.kernel, made, c.launch, before, range_of(o, c.launch), o.recording, survives};
    const Dumping dumping = dump_blocks(s, work, [&](Dump&& dump) {
        if (survives) life.before = dump;
        deliver(c.delivery, std::move(dump));
    });
    if (dumping.status == CUDA_SUCCESS)
        say_measured(c, dumping);
    else
        life.fault = "instrumented, " + fault_text(s, dumping.status, false, dumping.timed_out);
}

void run_on_device(Call& c) {
    Life& life = c.life;
    Session s(life.device);
    const GlobalMemory before = c.memory;
    if (life.order == Order::plain_first) run_plain(s, life, c.launch, c.memory, c.result);
    const bool wanted = wants_marks(c) || wants_recording(c);
    if (!life.fault.empty() || (!wanted && life.order == Order::plain_first)) return;
    try {
        run_instrumented(s, c, before);
    } catch (const Unsupported& u) {
        c.result.notes.push_back(fmt::format("no tiles were dumped: {}", u.what()));
    }
}

RunResult run(Life& life, const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
    RunResult r;
    Delivery delivery{.kernel = life.kernel, .options = options};
    Call call{life, launch, memory, delivery, r};
    if (life.fault.empty())
        run_on_device(call);
    else if (life.before)
        deliver(delivery, Dump(*life.before));
    if (!life.fault.empty()) {
        add_fault(r, life.fault);
        say_last_marks(r, delivery);
    } else {
        r.blocks = options.blocks.empty() ? count(launch.grid) : options.blocks.size();
    }
    if (delivery.incomplete != 0)
        r.notes.push_back(fmt::format("{} records were begun and not ended", delivery.incomplete));
    add_records(r, delivery, launch);
    return r;
}

uint32_t static_shared(const ptx::Module& module, const execution::Listing& listing) {
    uint64_t bytes = 0;
    const auto add = [&](const std::vector<ptx::Variable>& variables) {
        for (const ptx::Variable& v : variables)
            if (v.space == ptx::Space::shared) bytes = (bytes + v.align - 1) / v.align * v.align + v.bytes;
    };
    add(module.variables);
    for (const int f : listing.functions) add(module.functions[static_cast<size_t>(f)].variables);
    return static_cast<uint32_t>(bytes);
}

}  // namespace

execution::Executor executor(int device, Order order) {
    const Devices there = devices();
    if (!there.missing.empty())
        throw Unsupported("unsupported: " + there.missing + "; the emulator (--on cpu) needs none");
    if (device < 0 || static_cast<size_t>(device) >= there.all.size())
        throw Unsupported(fmt::format(
            "unsupported: --device {}: the number of GPUs here is {}, and they are numbered from 0 "
            "(`warplens "
            "devices` lists them)",
            device,
            there.all.size()
        ));
    execution::Executor made;
    made.can.record = true;
    made.name = "gpu: " + there.all[static_cast<size_t>(device)].name;
    made.prepare = [device, order](const ptx::Module& module, std::string_view entry) {
        const auto life = std::make_shared<Life>();
        life->device = device, life->order = order;
        Kernel& kernel = life->kernel;
        kernel.module = module;
        const ptx::Function& function = ptx::entry_of(module, entry);
        kernel.entry = function.name;
        kernel.listing = execution::list(module, static_cast<int>(&function - module.functions.data()));
        kernel.text = ptx::print(module);
        return execution::Executable{
            std::shared_ptr<const execution::Listing>(life, &kernel.listing),
            static_shared(module, kernel.listing),
            [life](const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
                return run(*life, launch, memory, options);
            }};
    };
    return made;
}

}  // namespace wl::gpu

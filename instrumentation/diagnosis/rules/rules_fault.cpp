// Faults that need no reference: addresses, barriers, copies, loops, masks. Each comes with its witness.
#include "instrumentation/base/counted.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/diagnosis/rules/barriers.h"
#include "instrumentation/diagnosis/rules/extent.h"
#include "instrumentation/diagnosis/rules/held_up.h"
#include "instrumentation/diagnosis/rules/overflow.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace wl::diagnosis {

namespace {

using emulator::Access;
using emulator::Incident;
using Kind = Incident::Kind;

struct Words {
    Kind kind;
    const char* rule;
    const char* title;    // what is seen
    const char* mending;  // what to do
};

constexpr std::array<Words, 17> kWords{
    {
     {Kind::out_of_bounds,
         "out_of_bounds",
         "access outside its memory",
         "Check the index against the extent, or guard the access."},
     {Kind::misaligned,
         "misaligned",
         "address not a multiple of the access's size",
         "A GPU stops the kernel here; pad or align the buffer."},
     {Kind::divergent_barrier,
         "divergent_barrier",
         "barrier reached by only a part of its warps or lanes",
         "Move the barrier out of the divergent code."},
     {Kind::deadlock,
         "deadlock",
         "every warp that is left waits",
         "Let every warp of the block reach the same barriers."},
     {Kind::endless_loop, "endless_loop", "this loop comes to no end", "Look at what should end it."},
     {Kind::lane_not_in_mask,
         "shuffle_misuse",
         "lanes and member mask of a warp-wide instruction do not agree",
         "Give each lane that executes it the mask of all lanes that do, itself among them."},
     {Kind::async_copy_wait,
         "async_copy_wait",
         "bytes of an asynchronous copy or product used before the wait for its group",
         "Wait for the copy (cp.async.wait_group), then synchronise the warps that read it."},
     {Kind::mbarrier_misuse,
         "mbarrier_misuse",
         "mbarrier used against its rules",
         "Let one thread initialise it once, before a barrier of the block, and let each phase see exactly "
         "the "
         "arrivals that it was made for."},
     {Kind::proxy_fence,
         "proxy_fence",
         "bulk copy of bytes that the async proxy need not see yet",
         "Execute fence.proxy.async in the threads that store, after their stores and before the barrier "
         "that "
         "the copying thread passes (PTX ISA 9.0, 8.6 and 9.7.13.4): the copy goes through another proxy "
         "than "
         "the stores, and a barrier alone does not order the two."},
     {Kind::read_only_load,
         "read_only_load",
         "load through the read-only cache of what the launch writes",
         "Load it by ld.global: what ld.global.nc reads must not change while the kernel runs (PTX ISA 9.0, "
         "9.7.9.9), so no __ldg and no const __restrict__ pointer for it."},
     {Kind::mark_not_reached,
         "divergent_barrier",
         "a block mark that some warps never reach",
         "The tile at this mark was taken without them; move the mark to where all warps pass, or use "
         "WL_WARP_TILE."},
     {Kind::stack_overflow,
         "out_of_bounds",
         "a thread's stack is full",
         "End the recursion earlier, or raise cudaLimitStackSize and, with it, launch.stack of the "
         "manifest."},
     {Kind::undefined_target,
         "out_of_bounds",
         "a call or branch to nowhere",
         "Check the function pointer or the index that chooses the target."},
     {Kind::bad_free,
         "out_of_bounds",
         "free of what is not allocated",
         "Free each pointer once, and only what malloc gave."},
     {Kind::endless_wait,
         "deadlock",
         "memory is polled that will never change",
         "Let no block wait for what only a later one does, and launch no more blocks than fit on the device "
         "at "
         "once."},
     {Kind::trap,
         "trap",
         "the kernel trapped",
         "Nothing that the launch would have done after it was done: look at what leads to this line."},
     {Kind::assertion,
         "assertion",
         "an assertion failed",
         "Nothing that the launch would have done after it was done: look at what the condition rests on."},
     }
};

const Words* words_of(Kind kind) {
    for (const Words& w : kWords) {
        if (w.kind == kind) return &w;
    }
    return nullptr;
}

// What to do about it: a product of a warpgroup is waited for by another instruction than a copy.
const char* mending_of(const Incident& i) {
    const bool product =
        i.kind == Kind::async_copy_wait && i.detail.find("it was waited for") != std::string::npos;
    return product ? "Wait for the product (wgmma.wait_group) first." : words_of(i.kind)->mending;
}

// An mbarrier by its variable: "the mbarrier empty[0] at shared address 0x410".
std::string with_names(const Symptoms& s, const std::string& detail) {
    constexpr std::string_view kBefore = "mbarrier at shared address 0x";
    constexpr uint64_t kMbarrier = 8;  // bytes
    std::string out = detail;
    for (size_t at = out.find(kBefore); at != out.npos; at = out.find(kBefore, at + kBefore.size())) {
        const uint64_t offset = std::strtoull(&out[at + kBefore.size()], nullptr, 16);
        for (const emulator::SharedVariable& v : unedited_program(s.prover).shared_variables) {
            if (offset < v.offset || offset - v.offset >= v.bytes) continue;
            std::string name = demangle(v.name);
            name = name.substr(name.rfind(':') + 1);  // all of it where it has no scope
            if (v.bytes > kMbarrier) name += fmt::format("[{}]", (offset - v.offset) / kMbarrier);
            out.insert(at + std::string_view("mbarrier ").size(), name + " ");
            break;
        }
    }
    return out;
}

std::string witness(const Symptoms& s, const Incident& i) {
    const Access& a = i.first;
    std::string out = fmt::format(
        "block {}, warp {}, {}, epoch {}",
        block_text(s.capture, a.block),
        a.warp,
        lanes_named(a.lanes),
        a.epoch
    );
    if (a.bytes > 0)
        out += fmt::format(
            ": {} {} at {} address {:#x}",
            a.write ? "writes" : "reads",
            counted(a.bytes, "byte"),
            a.memory,
            a.address
        );
    if (i.kind == Kind::endless_wait && a.memory.starts_with("global "))
        out += fmt::format(", which hold {}", a.value);
    if (!i.detail.empty()) out += "; " + with_names(s, i.detail);
    return out;
}

// Where an access lies that leaves its memory: against the end of the block's shared memory, or of the array
// before.
void name_extent(const Symptoms& s, const Incident& i, capture::Finding& f) {
    const Extent extent = extent_of(s, i.first);
    if (extent.text.empty()) return;
    f.title = fmt::format("{} {} {}", place(f.where), i.first.write ? "writes" : "reads", extent.text);
    f.explanation = fmt::format(
        "{}: {} of warp {}, block {}, {} {} {}{}. {}",
        quoted(s.capture, f.where),
        lanes_named(i.first.lanes),
        i.first.warp,
        block_text(s.capture, i.first.block),
        std::string(i.first.write ? "write" : "read") + (std::has_single_bit(i.first.lanes) ? "s" : ""),
        counted(i.first.bytes, "byte"),
        extent.text,
        extent.region.empty() ? "" : "; inside, " + extent.region,
        words_of(i.kind)->mending
    );
    f.proof += ", " + extent.text;
}

// What a stand-in runtime names so: the program's own memory, which kernels do not see.
void name_host_memory(const Symptoms& s, const Incident& i, capture::Finding& f) {
    const std::string& memory = i.first.memory;
    if (!memory.starts_with("host")) return;
    f.title = fmt::format(
        "{}: {} memory of the host{}",
        place(f.where),
        i.first.write ? "writes" : "reads",
        memory == "host" ? "" : ", its " + memory.substr(std::string_view("host ").size())
    );
    f.explanation = fmt::format(
        "At {} {}. A kernel sees no memory of the host that `malloc`, `new` or a variable gave: allocate it "
        "with "
        "cudaMalloc(), fill it with cudaMemcpy() and pass that pointer; or make the host's visible with "
        "cudaMallocManaged(), cudaMallocHost() or cudaHostRegister().",
        quoted(s.capture, f.where),
        witness(s, i)
    );
}

// A finding in the making, with what pairing it with another needs.
struct Fault {
    capture::Finding f;
    uint32_t site = 0;
    std::string seen;  // at f.where
};

// One cause is one finding, in however many copies the compiler made of its line: faults of one line; copies
// that one read does not wait for; the two barriers at which parts of a block wait for each other.
bool one_cause(const capture::Finding& known, const capture::Finding& f) {
    if (known.rule != f.rule) return false;
    const bool one_read = f.rule == "async_copy_wait" && f.other.line > 0 && same_line(known.other, f.other);
    const bool crossed =
        f.other.line > 0 && same_line(known.where, f.other) && same_line(known.other, f.where);
    const bool awaited = f.other.line > 0 && known.other.line == 0 && same_line(known.where, f.other);
    return one_read || same_line(known.where, f.where) || crossed || awaited ||
        (f.other.line == 0 && same_line(known.other, f.where));
}

// Lanes or warps that wait at different barriers: the earlier one in the program first.
void pair_barriers(Fault& known, const Fault& fault) {
    const uint64_t count = std::max(known.f.count, fault.f.count);
    Fault first = known.site < fault.site ? known : fault;
    const Fault& second = known.site < fault.site ? fault : known;
    // At one barrier some know where the others wait.
    const bool one = same_line(known.f.where, fault.f.where);
    first.f.other = one ? fault.f.other : second.f.where;
    if (first.f.title.find(", while the others wait") == first.f.title.npos)
        first.f.title += ", while the others wait at " + place(first.f.other);
    first.f.proof += "; at " + place(second.f.where) + " " + second.seen;
    first.f.count = count;
    if (!one) first.f.evidence.emplace_back("other_site", static_cast<double>(second.site));
    known = std::move(first);
}

bool are_paired(const capture::Finding& known, const capture::Finding& f) {
    return f.rule == "divergent_barrier" && known.rule == f.rule && known.other.line == 0 &&
        f.other.line == 0 && !same_line(known.where, f.where) && known.where.block == f.where.block &&
        known.where.epoch == f.where.epoch &&
        (known.where.warp != f.where.warp || known.where.lanes != f.where.lanes);
}

// The address of what a cooperative launch brings along lies in %envreg1 and %envreg2 (driver_abi.h of
// cooperative groups).
bool reads_workspace(const Symptoms& s) {
    return std::any_of(s.functions.begin(), s.functions.end(), [&](size_t f) {
        const ptx::Code& code = s.experiment.module.functions[f].code;
        return std::any_of(code.begin(), code.end(), [](const ptx::Instruction& i) {
            return std::any_of(i.operands.begin(), i.operands.end(), [](const ptx::Operand& o) {
                return o.kind == ptx::Operand::Kind::special &&
                    static_cast<ptx::SpecialRegister>(o.index) == ptx::SpecialRegister::envreg;
            });
        });
    });
}

// Is it the trap of grid.sync() and the like, where the launch gives the grid no barrier?
bool is_grid_barrier(const Symptoms& s, const Incident& i) {
    if (i.kind != Kind::trap || manifest::launch_of(s.experiment.problem).cooperative) return false;
    const ptx::Module& m = s.experiment.module;
    const auto at = code_place(m, s.entry, i.first.site);
    const int32_t location = at ? m.functions[at->function].code[at->index].location : -1;
    if (location < 0 || m.locations[static_cast<size_t>(location)].file < 0) return false;
    const std::string& file = m.files[static_cast<size_t>(m.locations[static_cast<size_t>(location)].file)];
    return file.find("cooperative_groups") != std::string::npos && reads_workspace(s);
}

void name_grid_barrier(const Symptoms& s, const Incident& i, capture::Finding& f) {
    if (!is_grid_barrier(s, i)) return;
    f.title = fmt::format("{}: the grid synchronises in a launch that is not cooperative", place(f.where));
    f.explanation = fmt::format(
        "At {} all blocks of the grid wait for each other, for which they have to be launched by "
        "cudaLaunchCooperativeKernel(); an "
        "ordinary launch traps here. Launch it so, and say so in the manifest: `cooperative = true` under "
        "[launch].",
        quoted(s.capture, f.where)
    );
}

Fault fault_of(const Symptoms& s, const Incident& i, const Words& w) {
    Fault out{{}, i.first.site, witness(s, i)};
    capture::Finding& f = out.f;
    f.rule = w.rule;
    f.where = where_of_access(s, i.first);
    if (i.second.block >= 0) f.other = where_of_access(s, i.second);
    if (i.first.memory == "shared") {
        const auto element = element_at(s.capture, i.first.block, i.first.address);
        if (element) f.where.tile = element->tile;
    }
    const char* title =
        i.detail == emulator::kInactiveSource ? "a shuffle reads a lane that takes no part" : w.title;
    f.title =
        fmt::format("{}: {}{}", place(f.where), title, f.where.tile.empty() ? "" : " (" + f.where.tile + ")");
    f.explanation = fmt::format("At {} {}. {}", quoted(s.capture, f.where), out.seen, mending_of(i));
    f.evidence = {
        {"occurrences", static_cast<double>(i.count)     },
        {"site",        static_cast<double>(i.first.site)}
    };
    if (i.second.block >= 0) f.evidence.emplace_back("other_site", static_cast<double>(i.second.site));
    f.proof = out.seen, f.count = i.count;
    if (i.kind == Kind::out_of_bounds) {
        name_extent(s, i, f), name_host_memory(s, i, f);
        f.explanation += overflow_text(s, i.first);
    }
    name_grid_barrier(s, i, f);
    if (i.kind == Kind::divergent_barrier && f.other.line > 0)
        f.title += ", while the others wait at " + place(f.other);
    return out;
}

void add(std::vector<Fault>& faults, Fault fault) {
    const capture::Finding& f = fault.f;
    const auto known = std::find_if(faults.begin(), faults.end(), [&](const Fault& k) {
        return one_cause(k.f, f) || are_paired(k.f, f);
    });
    if (known == faults.end()) {
        faults.push_back(std::move(fault));
    } else if (!one_cause(known->f, f)) {
        pair_barriers(*known, fault);
    } else {
        known->f.count += f.count;
        if (known->f.other.line == 0 && f.rule == "divergent_barrier" && f.other.line > 0)
            pair_barriers(*known, fault);
    }
}

}  // namespace

const char* fault_name(Kind kind) {
    const Words* w = words_of(kind);
    return w == nullptr ? nullptr : w->rule;
}

Ruled fault_rule(const Symptoms& s) {
    std::vector<Fault> faults;
    for (const Incident& i : s.incidents) {
        const Words* w = words_of(i.kind);
        if (w != nullptr) add(faults, fault_of(s, i, *w));
    }
    Ruled out;
    for (Fault& fault : faults) out.findings.push_back(std::move(fault.f));
    blame_conditional(s, out.findings);
    prove_copies(s, out.findings);
    join_to_shuffles(out.findings);
    return out;
}

}  // namespace wl::diagnosis

// never_written, of outputs: elements that nobody stored to, with or without a reference, and who should
// have, by who wrote the elements beside them.
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

// Looking for a neighbour's writer runs the launch about twice more and keeps 8 bytes a byte of the output.
constexpr size_t kMostBytes = size_t{1} << 24;
constexpr int64_t kMostBlocks = int64_t{1} << 16;

// After these what is not written follows from them.
bool stops(const emulator::Incident& i) {
    switch (i.kind) {
        case Kind::out_of_bounds:
        case Kind::misaligned:
        case Kind::divergent_barrier:
        case Kind::deadlock:
        case Kind::endless_loop:
        case Kind::endless_wait:
        case Kind::trap:
        case Kind::assertion:
        case Kind::stack_overflow:
        case Kind::undefined_target:
        case Kind::bad_free: return true;
        default: return false;
    }
}

struct Search {
    const Symptoms& s;
    execution::Executable executable;
    const capture::Output& output;
    size_t size = 0;  // bytes of an element
    int64_t blocks = 0;
    int threads = 0;  // of a block
};

// Which elements nobody wrote, in a run of all blocks.
std::vector<int64_t> unwritten_elements(const Search& f) {
    Prepared prepared = prepare_launch(f.s.experiment.problem, f.s.entry);
    execution::RunOptions run = run_options(f.s.experiment.options, "diagnose");
    run.checks = {.races = false, .uninitialised = false, .uniform = false}, run.marks = false;
    f.executable.run(prepared.launch, prepared.memory, run);
    const execution::Allocation* a = execution::find_named(prepared.memory, f.output.name);
    std::vector<int64_t> out;
    if (a == nullptr) return out;
    for (size_t at = 0; at + f.size <= a->written.size(); at += f.size) {
        const auto first = a->written.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::all_of(first, first + static_cast<std::ptrdiff_t>(f.size), [](uint8_t w) { return w == 0; }))
            out.push_back(static_cast<int64_t>(at / f.size));
    }
    return out;
}

struct Writer {
    int64_t block = 0;
    capture::Owner owner;
    int64_t thread(const Search& f) const { return block * f.threads + owner.warp * 32 + owner.lane; }
};

// Who wrote the element, of the blocks [first, end); nobody: kNobody.
capture::Owner owner_of(const Search& f, int64_t element, int64_t first, int64_t end) {
    Prepared prepared = prepare_launch(f.s.experiment.problem, f.s.entry);
    execution::RunOptions run = run_options(f.s.experiment.options, "diagnose");
    run.checks = {.races = false, .uninitialised = false, .uniform = false}, run.marks = false;
    run.record = true, run.max_events = 0;
    run.blocks.resize(static_cast<size_t>(end - first));
    std::iota(run.blocks.begin(), run.blocks.end(), first);
    const execution::RunResult result = f.executable.run(prepared.launch, prepared.memory, run);
    const size_t byte = static_cast<size_t>(element) * f.size;
    for (const auto& [name, owners] : result.global_owners)
        if (name == f.output.name && byte < owners.size()) return owners[byte];
    return {};
}

std::optional<Writer> writer_of(const Search& f, int64_t element) {
    int64_t first = 0, end = f.blocks;
    while (end - first > 1) {
        const int64_t middle = first + (end - first) / 2;
        const bool here = owner_of(f, element, first, middle).warp != capture::Owner::kNobody;
        (here ? end : first) = middle;
    }
    const capture::Owner owner = owner_of(f, element, first, end);
    if (owner.warp == capture::Owner::kNobody) return std::nullopt;
    return Writer{first, owner};
}

std::string thread_text(const Search& f, int64_t thread) {
    const int64_t block = thread / f.threads, within = thread % f.threads;
    const std::string name =
        block < f.blocks ? block_text(f.s.capture, block) : fmt::format("number {}", block);
    return fmt::format("block {}, warp {}, lane {}", name, within / 32, within % 32);
}

// Who should have written the first of them, and what is known of it.
struct Expected {
    std::string text;
    int64_t thread = -1;  // in the launch; -1: not known
    std::optional<Writer> neighbour;
};

Expected expected_writer(const Search& f, int64_t first) {
    Expected out;
    if (first == 0) {
        const int64_t all = f.output.of.elements;
        if (f.output.of.unwritten == all && all == f.blocks * f.threads)
            out.thread = 0,
            out.text = " There are as many threads as elements: the first should be written by " +
                thread_text(f, 0) + ".";
        return out;
    }
    out.neighbour = writer_of(f, first - 1);
    if (!out.neighbour) return out;
    const int64_t beside = out.neighbour->thread(f);
    out.text = fmt::format(" Element {} is written by {}", first - 1, thread_text(f, beside));
    const std::optional<Writer> before = first > 1 ? writer_of(f, first - 2) : std::nullopt;
    if (!before || before->thread(f) + 1 != beside) {
        out.text += "; what writes beside it should have written this one.";
        return out;
    }
    out.thread = beside + 1;
    out.text += fmt::format(
        ", and element {} by the thread before: element {} should be written by {}",
        first - 2,
        first,
        thread_text(f, out.thread)
    );
    out.text += out.thread / f.threads < f.blocks
        ? "."
        : fmt::format(
              ", but the launch has {} blocks, 0 to {}: the grid is too small.", f.blocks, f.blocks - 1
          );
    return out;
}

std::string ranges_text(const std::vector<int64_t>& elements) {
    constexpr int kMost = 4;
    std::string out;
    int ranges = 0;
    for (size_t i = 0; i < elements.size();) {
        size_t end = i + 1;
        while (end < elements.size() && elements[end] == elements[end - 1] + 1) ++end;
        if (++ranges > kMost) return out + ", ...";
        out += (out.empty() ? "" : ", ") + std::to_string(elements[i]);
        if (end > i + 1) out += ".." + std::to_string(elements[end - 1]);
        i = end;
    }
    return out;
}

capture::Finding finding_of(const Search& f) {
    capture::Finding out;
    out.rule = "never_written";
    out.where.tile = f.output.name;
    const capture::Compared& of = f.output.of;
    out.title =
        fmt::format("{} of {} elements of {} are never written", of.unwritten, of.elements, f.output.name);
    out.explanation = of.unwritten == of.elements
        ? fmt::format("No thread of the launch stores to {}; it holds what was there before.", f.output.name)
        : "No thread of the launch stores to them; they hold what was there before.";
    out.proof = "every store of the launch was seen";
    out.evidence = {
        {"never_written", static_cast<double>(of.unwritten)}
    };
    const bool small = static_cast<size_t>(of.elements) * f.size <= kMostBytes && f.blocks <= kMostBlocks;
    const std::vector<int64_t> elements = small ? unwritten_elements(f) : std::vector<int64_t>{};
    if (elements.empty()) return out;
    const int64_t first = elements.front(), cols = f.output.shape.empty() ? 1 : f.output.shape.back();
    out.where.element[0] = static_cast<int>(first / cols),
    out.where.element[1] = static_cast<int>(first % cols);
    if (of.unwritten < of.elements)
        out.explanation += " They are the elements " + ranges_text(elements) + ".";
    const Expected expected = expected_writer(f, first);
    out.explanation += expected.text;
    if (expected.neighbour && expected.neighbour->owner.site < f.s.entry.code.size()) {
        const capture::Where store = where_of(f.s, expected.neighbour->owner.site);
        out.where.file = store.file, out.where.line = store.line;
        out.explanation += fmt::format(" The store beside is {}.", quoted(f.s.capture, store));
    }
    if (expected.thread < 0 || expected.thread / f.threads >= f.blocks) return out;
    out.where.block = expected.thread / f.threads;
    out.where.warp = static_cast<int>(expected.thread % f.threads / 32);
    out.where.lanes = std::to_string(expected.thread % 32);
    return out;
}

// What need not be compared with anything may be room that the kernel never needs.
bool is_waived(const Symptoms& s, const capture::Output& output) {
    const auto rule = s.experiment.problem.kernel.outputs.find(output.name);
    return rule != s.experiment.problem.kernel.outputs.end() && !rule->second.compare;
}

}  // namespace

Ruled unwritten_rule(const Symptoms& s) {
    Ruled out;
    if (std::any_of(s.incidents.begin(), s.incidents.end(), stops)) return out;
    for (const capture::Output& o : s.capture.outputs) {
        if (o.of.unwritten == 0 || is_waived(s, o) || !s.experiment.options.executor.can.record) continue;
        const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(o.tile)];
        Search search{
            s,
            s.experiment.options.executor.prepare(s.experiment.module, s.experiment.entry),
            o,
            size_of(s.capture.probes[static_cast<size_t>(tile.probe)].dtype),
            static_cast<int64_t>(count(s.capture.launch.grid)),
            static_cast<int>(count(s.capture.launch.block))};
        out.findings.push_back(finding_of(search));
        out.explains = out.explains || (s.first_bad == o.tile && tile.bad <= o.of.unwritten);
    }
    return out;
}

}  // namespace wl::diagnosis

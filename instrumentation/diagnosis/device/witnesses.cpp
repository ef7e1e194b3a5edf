// Both run the same blocks; snapshots wait by what they are until the other's comes.
#include "instrumentation/diagnosis/device/witnesses.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/diff_elements.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

namespace wl::diagnosis {
namespace {

using execution::TileSnapshot;

// Kind and name of the mark, block, iteration, warp.
using Key = std::tuple<ptx::Mark::Kind, std::string, int64_t, int, int>;
using Snapshots = std::map<Key, TileSnapshot>;

constexpr int64_t kBlocksAtATime = 256;

// Twice: each of the two may be as far from the reference as it allows.
constexpr double kTwo = 2;

struct Run {
    Snapshots tiles;
    execution::GlobalMemory memory;
    execution::RunResult result;
};

Run run_on(
    const Experiment& e,
    const execution::Executable& executable,
    const std::vector<int64_t>& blocks,  // empty: all of them, for the outputs alone
    const Options& options,
    const std::vector<execution::Array>& arrays = {}  // if any, these in place of marks
) {
    Run out;
    Prepared prepared = prepare(e);
    execution::RunOptions o = run_options(options, "run");
    o.checks = {.races = false, .uninitialised = false, .uniform = false};
    o.blocks = blocks, o.marks = !blocks.empty() && arrays.empty();
    o.record = !arrays.empty(), o.arrays = arrays, o.recording = options.recording;
    std::mutex mutex;
    o.on_tile = [&](TileSnapshot&& s) {
        const ptx::Mark& mark = mark_of(*executable.listing, arrays, s.mark);
        const std::scoped_lock lock(mutex);
        out.tiles.insert_or_assign(Key{mark.kind, mark.name, s.block, s.iteration, s.warp}, std::move(s));
    };
    out.result = executable.run(prepared.launch, prepared.memory, o);
    if (out.result.cancelled) throw_cancelled();
    out.memory = std::move(prepared.memory);
    return out;
}

bool same_bits(const std::vector<std::byte>& a, const std::vector<std::byte>& b, size_t i, size_t size) {
    return std::memcmp(a.data() + i * size, b.data() + i * size, size) == 0;
}

// One element that is not equal in all its bits.
void judge(Agreement& out, double a, double b, double allowed, const Disagreement& place) {
    const bool both_nan = std::isnan(a) && std::isnan(b);
    const bool known = !std::isnan(allowed);
    if (known) ++out.compared;
    if (both_nan || a == b) return;
    if (!known) {
        ++out.unjudged;
        const double size = std::max(std::abs(a), std::abs(b));
        const double part = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) / size : INFINITY;
        out.worst_unjudged = std::max(out.worst_unjudged, part);
        return;
    }
    const double difference = std::abs(a - b);
    const bool beyond = !(difference <= allowed);
    if (allowed > 0 && std::isfinite(difference)) out.worst = std::max(out.worst, difference / allowed);
    if (!beyond) return;
    ++out.beyond;
    if (!out.first) {
        out.first = place;
        out.first->a = a, out.first->b = b, out.first->allowed = allowed;
    }
}

struct Elements {
    DType dtype = DType::f32;
    int rows = 0, cols = 0;
    const std::vector<std::byte>&a, &b;
    const Matrix<float>& limit;       // of each of the two; empty: none is known
    const Matrix<double>& reference;  // NaN: not compared
};

// Does the reference's limit hold here? It is derived for values near the reference.
bool is_limited(const Elements& e, double a, size_t i) {
    if (i >= e.limit.data.size() || std::isnan(e.reference.data[i])) return false;
    return !analysis::is_bad(a, e.reference.data[i], e.limit.data[i]);
}

void compare_elements(Agreement& out, const Elements& e, const Disagreement& place) {
    const size_t size = size_of(e.dtype);
    const std::vector<double> a = analysis::widen(e.dtype, e.a), b = analysis::widen(e.dtype, e.b);
    out.elements += static_cast<int64_t>(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
        const bool limited = is_limited(e, a[i], i);
        if (same_bits(e.a, e.b, i, size)) {
            ++out.equal;
            if (limited) ++out.compared;
            continue;
        }
        Disagreement here = place;
        here.row = static_cast<int>(i) / std::max(e.cols, 1),
        here.col = static_cast<int>(i) % std::max(e.cols, 1);
        judge(out, a[i], b[i], limited ? kTwo * double{e.limit.data[i]} : NAN, here);
    }
}

Agreement& entry_for(Witnesses& w, const std::string& name, bool output) {
    for (Agreement& a : w.all)
        if (a.name == name && a.output == output) return a;
    Agreement& made = w.all.emplace_back();
    made.name = name, made.output = output;
    return made;
}

void compare_tiles(Witnesses& w, Observer& observer, const Snapshots& a, const Snapshots& b) {
    for (const auto& [key, one] : a) {
        Agreement& out = entry_for(w, std::get<1>(key), false);
        const auto found = b.find(key);
        if (found == b.end() || found->second.values.size() != one.values.size()) {
            ++out.missing;
            continue;
        }
        ++out.tiles;
        const analysis::ReferenceTile reference = reference_of(observer, std::get<1>(key), one);
        const bool known = reference.problem.empty() && !reference.value.data.empty();
        const Matrix<float> limit = known ? analysis::limits(one.dtype, reference) : Matrix<float>{};
        compare_elements(
            out,
            {one.dtype, one.rows, one.cols, one.values, found->second.values, limit, reference.value},
            {.block = one.block, .warp = one.warp, .iteration = one.iteration, .time = one.time}
        );
    }
    for (const auto& [key, other] : b)
        if (!a.contains(key)) ++entry_for(w, std::get<1>(key), false).missing;
}

// Outputs with the limits that the observer's comparison left in its capture.
void compare_results(Witnesses& w, Observer& observer, const Run& a, const Run& b) {
    compare_outputs(observer, a.memory);
    finish(observer);
    for (const capture::Output& o : observer.capture.outputs) {
        Agreement& out = entry_for(w, o.name, true);
        ++out.tiles;
        const execution::Allocation *one = execution::find_named(a.memory, o.name),
                                    *two = execution::find_named(b.memory, o.name);
        if (one == nullptr || two == nullptr || o.tile < 0) continue;
        const capture::Tile& tile = observer.capture.tiles[static_cast<size_t>(o.tile)];
        const analysis::TileData data = analysis::load_tile(observer.capture, tile);
        compare_elements(
            out, {data.dtype, data.rows, data.cols, one->bytes, two->bytes, data.bound, data.reference}, {}
        );
    }
}

std::vector<int64_t> group_of_blocks(int64_t first, int64_t all) {
    std::vector<int64_t> blocks(static_cast<size_t>(std::min(kBlocksAtATime, all - first)));
    std::iota(blocks.begin(), blocks.end(), first);
    return blocks;
}

std::string fault_of(const execution::RunResult& result) {
    for (const execution::Incident& i : result.incidents)
        if (i.kind == execution::Incident::Kind::device_fault) return i.detail;
    return {};
}

std::string line_of(const Witnesses& w, const Agreement& a) {
    std::string out = fmt::format(
        "{} {}: {} tiles, {} of {} elements equal in all their bits",
        a.output ? "output" : "tile",
        a.name,
        a.tiles,
        a.equal,
        a.elements
    );
    if (a.equal < a.elements && a.compared > 0 && a.beyond == 0)
        out += fmt::format(", the others within {:.2g} of what is allowed", a.worst);
    if (a.unjudged > 0)
        out += fmt::format(
            "; {} differ where no limit holds, by {:.2g} of their size at most", a.unjudged, a.worst_unjudged
        );
    if (a.beyond > 0) out += fmt::format("; {} differ by more than is allowed", a.beyond);
    if (a.missing > 0)
        out += fmt::format("; {} tiles were seen by one of {} and {} alone", a.missing, w.a, w.b);
    return out;
}

// The block and element that differ first, in the emulator's time: of tiles, else of outputs.
const Agreement* first_apart(const Witnesses& w) {
    const Agreement* out = nullptr;
    for (const Agreement& a : w.all) {
        if (!a.first || a.output) continue;
        const auto when = [](const Agreement& x) { return std::pair(x.first->block, x.first->time); };
        if (out == nullptr || when(a) < when(*out)) out = &a;
    }
    for (const Agreement& a : w.all)
        if (out == nullptr && a.first && a.output) out = &a;
    return out;
}

// By tiles first, then by the stores of that block.
void part(
    Witnesses& w,
    const Experiment& e,
    const execution::Executable& a,
    const execution::Executable& b,
    const capture::Capture& c
) {
    const Agreement* const apart = first_apart(w);
    if (apart == nullptr) return;
    Apart question{e, a, b, apart->first->block, {}, 0};
    if (apart->output) {
        for (const manifest::BoundArgument& x : e.problem.args) {
            if (!x.array || x.name != apart->name) continue;
            const int64_t columns = x.data.shape.empty() ? 1 : x.data.shape.back();
            const auto element = static_cast<uint64_t>(apart->first->row * columns + apart->first->col);
            question.output = x.name, question.element = element * size_of(x.data.dtype);
        }
        const std::optional<int64_t> block = block_that_writes(e, question.output, question.element);
        if (question.output.empty() || !block) return;
        question.block = *block;
    }
    w.parting = find_parting(question);
    if (w.parting) w.parted = parting_text(*w.parting, c);
}

}  // namespace

bool agree(const Witnesses& w) {
    return w.fault.empty() && std::all_of(w.all.begin(), w.all.end(), [](const Agreement& a) {
               return a.beyond == 0 && a.missing == 0;
           });
}

Witnesses witness(manifest::Problem problem, const Options& options, const execution::Executor& other) {
    capture::Capture c;
    const Experiment e = make_experiment(std::move(problem), options, c);
    const execution::Executable a = options.executor.prepare(e.module, e.entry),
                                b = other.prepare(e.module, e.entry);
    describe_launch(e, a, c);
    Witnesses w{options.executor.name, other.name, {}, {}, {}, {}, {}};
    Observer observer{
        .problem = e.problem,
        .listing = *a.listing,
        .reference = e.reference ? &*e.reference : nullptr,
        .wanted = options.reference,
        .keep = true,
        .capture = c};
    const bool marks = !a.listing->marks.empty();
    const auto all = static_cast<int64_t>(count(manifest::launch_of(e.problem).grid));
    for (int64_t first = 0; marks && first < all && w.fault.empty(); first += kBlocksAtATime) {
        const std::vector<int64_t> blocks = group_of_blocks(first, all);
        const Run one = run_on(e, a, blocks, options), two = run_on(e, b, blocks, options);
        w.fault = fault_of(two.result);
        if (w.notes.empty()) w.notes = two.result.notes;
        if (w.fault.empty()) compare_tiles(w, observer, one.tiles, two.tiles);
    }
    if (options.recording.barriers && w.fault.empty()) {
        const std::vector<execution::Array> arrays =
            arrays_of(e.module, *a.listing, manifest::launch_of(e.problem).shared);
        const std::vector<int64_t> blocks = options.record.empty() ? std::vector<int64_t>{0} : options.record;
        const Run one = run_on(e, a, blocks, options, arrays), two = run_on(e, b, blocks, options, arrays);
        w.fault = fault_of(two.result);
        if (w.fault.empty()) compare_tiles(w, observer, one.tiles, two.tiles);
    }
    const Run one = run_on(e, a, {}, options), two = run_on(e, b, {}, options);
    if (w.fault.empty()) w.fault = fault_of(two.result);
    if (w.notes.empty()) w.notes = two.result.notes;
    if (w.fault.empty()) compare_results(w, observer, one, two);
    if (w.fault.empty() && !agree(w)) part(w, e, a, b, c);
    return w;
}

std::string witnesses_text(const Witnesses& w) {
    std::string out = fmt::format("two witnesses: {} and {}\n", w.a, w.b);
    for (const Agreement& a : w.all) {
        out += "  " + line_of(w, a) + "\n";
        if (a.first)
            out += fmt::format(
                "    first: {}{}element ({}, {}): {} and {}, {} allowed\n",
                a.output ? "" : fmt::format("block {}, ", a.first->block),
                a.output ? "" : fmt::format("iteration {}, ", a.first->iteration),
                a.first->row,
                a.first->col,
                a.first->a,
                a.first->b,
                a.first->allowed
            );
    }
    if (!w.parted.empty()) out += "  " + w.parted + "\n";
    if (!w.fault.empty()) out += fmt::format("  {}: {}\n", w.b, w.fault);
    for (const std::string& note : w.notes) out += fmt::format("  {}: {}\n", w.b, note);
    return out +
        (agree(w) ? "  they agree: every element is equal or within what the arithmetic allows\n"
                  : "  they disagree\n");
}

void add_witnesses(capture::Capture& c, const Witnesses& w) {
    for (const Agreement& a : w.all) c.notes.push_back(fmt::format("{} and {}: {}", w.a, w.b, line_of(w, a)));
    for (const std::string& note : w.notes) c.notes.push_back(fmt::format("{}: {}", w.b, note));
    if (agree(w)) return;
    capture::Finding f;
    f.rule = "executors_disagree";
    f.title =
        w.fault.empty() ? fmt::format("{} and {} disagree", w.a, w.b) : fmt::format("{}: {}", w.b, w.fault);
    for (const Agreement& a : w.all) {
        if (a.beyond == 0 && a.missing == 0) continue;
        f.explanation += line_of(w, a) + ". ";
        if (f.where.tile.empty()) f.where.tile = a.name;
        if (!a.first || f.where.element[0] >= 0) continue;
        f.where.block = a.first->block, f.where.iteration = a.first->iteration, f.where.warp = a.first->warp;
        f.where.element[0] = a.first->row, f.where.element[1] = a.first->col;
    }
    if (w.parting) {
        const capture::Site& site = c.sites[w.parting->site];
        if (site.source >= 0) f.where.file = c.sources[static_cast<size_t>(site.source)].path;
        f.where.line = site.line, f.where.block = w.parting->block, f.where.warp = w.parting->warp;
        f.where.lanes = std::to_string(w.parting->lane), f.where.epoch = w.parting->epoch;
        f.proof = "both ran the block again with their stores: " + w.parted;
    }
    const auto race = std::find_if(c.findings.begin(), c.findings.end(), [](const capture::Finding& k) {
        return k.rule.starts_with("race_") || k.rule == "uninitialised" || k.rule == "out_of_bounds";
    });
    if (race != c.findings.end()) {
        f.caused_by = static_cast<int>(race - c.findings.begin());
        f.explanation += "The emulator reports why the result of this kernel is not determined.";
    } else {
        f.explanation += "Nothing was found that explains it: one of the two is wrong; please report it.";
    }
    c.findings.push_back(std::move(f));
    c.verdict = analysis::verdict_of(c);
}

}  // namespace wl::diagnosis

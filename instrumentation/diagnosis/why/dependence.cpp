// The values tried are of the size that the array has, so that rounding does not look like dependence.
#include "instrumentation/diagnosis/why/dependence.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/why/window.h"
#include "instrumentation/emulator/observe/part_exited.h"
#include "instrumentation/emulator/run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace wl::diagnosis {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kBeyondRounding = 4;     // bounds by which what depends must change
constexpr double kWithinRounding = 1e-3;  // bounds by which a reference may change that does not

const manifest::BoundArgument& argument_of(const Dependence& d, const InputPlace& input) {
    return d.chain.problem.args[input.argument];
}

// Twice as large as any, of both signs; of wider integers the extremes of the array.
std::vector<double> values_for(const manifest::BoundArgument& a) {
    const auto [low, high] = extremes(a.data);
    double largest = std::max(std::abs(low), std::abs(high));
    if (!std::isfinite(largest) || largest == 0) largest = 0.5;
    switch (a.data.dtype) {
        case DType::u8: return {std::min(255.0, std::ceil(2 * largest)), 0};
        case DType::s8:
            return {std::min(127.0, std::ceil(2 * largest)), std::max(-128.0, std::floor(-2 * largest))};
        default: break;
    }
    if (is_float(a.data.dtype)) return {2 * largest, -2 * largest};
    return {high, low, std::floor((2 * high + low) / 3), std::floor((high + 2 * low) / 3)};
}

// Of other elements, spread over the array.
std::vector<double> values_in(const manifest::BoundArgument& a) {
    constexpr int64_t kMost = 6;
    const int64_t count = elements(a.data.shape), most = std::min(kMost, count);
    std::vector<double> out;
    for (int64_t k = 0; k < most; ++k) out.push_back(at(a.data, static_cast<size_t>(k * count / most)));
    return out;
}

void put(const manifest::BoundArgument& a, int64_t element, double value, std::vector<std::byte>& bytes) {
    from_double(a.data.dtype, value, bytes.data() + static_cast<size_t>(element) * size_of(a.data.dtype));
}

const capture::Tile& asked_tile(const Dependence& d) {
    return d.chain.capture.tiles[static_cast<size_t>(d.asked.tile)];
}

const capture::Probe& asked_probe(const Dependence& d) {
    return d.chain.capture.probes[static_cast<size_t>(asked_tile(d).probe)];
}

int64_t asked_index(const Dependence& d) { return int64_t{d.asked.row} * asked_tile(d).cols + d.asked.col; }

// All blocks where that is not too much: an element may depend on what others leave.
bool runs_whole(const Symptoms& s) { return counter(s.capture, "warp_instructions") <= kMostTriedWhole; }

// `value` of the input, or all as it is; NaN: the kernel did not come to the element. Nothing: it went
// astray.
std::optional<double> kernel_value(
    const Dependence& d, const InputPlace& input, std::optional<double> value
) {
    const Inputs& inputs = inputs_of(d.s.prover, 0);
    Prepared prepared{execution::copy_of(inputs.prepared.memory), inputs.prepared.launch};
    const manifest::BoundArgument& a = argument_of(d, input);
    for (execution::Allocation& allocation : prepared.memory.allocations)
        if (value && allocation.name == a.name) put(a, input.element, *value, allocation.bytes);
    const capture::Tile& tile = asked_tile(d);
    const capture::Probe& probe = asked_probe(d);
    const auto index = static_cast<size_t>(asked_index(d));
    const size_t size = size_of(probe.dtype);
    const emulator::Program& program = unedited_program(d.s.prover);
    execution::RunOptions run;
    run.threads = 1, run.budget = d.s.budget;
    run.checks = {.races = false, .uninitialised = false, .uniform = false};
    if (!runs_whole(d.s)) run.blocks = {d.asked.block};
    run.marks = tile.block >= 0;
    double out = kNaN;
    const auto& marks = emulator::listing(program).marks;
    run.on_tile = [&](execution::TileSnapshot&& t) {
        const bool is = t.block == tile.block && t.warp == tile.warp && t.iteration == tile.iteration &&
            marks[static_cast<size_t>(t.mark)].name == probe.name && (index + 1) * size <= t.values.size();
        if (is) out = to_double(probe.dtype, t.values.data() + index * size);
    };
    execution::RunResult ran = emulator::run(program, prepared.launch, prepared.memory, run);
    emulator::drop_part_exited(ran.incidents);
    if (!ran.incidents.empty()) return std::nullopt;
    const execution::Allocation* const left = execution::find_named(prepared.memory, probe.name);
    if (tile.block < 0 && left != nullptr && (index + 1) * size <= left->bytes.size())
        out = to_double(probe.dtype, left->bytes.data() + index * size);
    return out;
}

// Nothing: it fails.
std::optional<double> reference_value(
    const Dependence& d, const InputPlace& input, std::optional<double> value
) {
    manifest::Problem problem = d.chain.problem;
    Tensor& data = problem.args[input.argument].data;
    if (value) put(argument_of(d, input), input.element, *value, data.bytes);
    const MadeReference made = make_reference(problem);
    if (!made.reference) return std::nullopt;
    const analysis::ReferenceTile tile =
        made.reference->tile(window_of(d.chain, {d.asked.tile, d.asked.row, d.asked.col}));
    const bool there = tile.problem.empty() && !tile.compared.data.empty() && tile.compared.data[0] != 0;
    return there ? tile.value.data.at(0) : kNaN;
}

bool moved(double was, double now, double by) {
    if (std::isnan(was) || std::isnan(now)) return std::isnan(was) != std::isnan(now);
    return was != now && !(std::abs(was - now) <= by);
}

// Each value that is tried, with what both give. Nothing where they cannot be compared, or an input is tied
// to what is asked about.
std::vector<Parted> trials_of(Dependence& d, const InputPlace& input) {
    const manifest::BoundArgument& a = argument_of(d, input);
    if (!d.got) d.got = kernel_value(d, input, std::nullopt);
    const auto reference = reference_value(d, input, std::nullopt);
    if (!d.got || !reference || !std::isfinite(*reference)) return {};
    std::vector<Parted> out;
    for (const double value : values_for(a)) {
        Parted p;
        p.was = at(a.data, static_cast<size_t>(input.element)), p.now = value;
        p.got_was = *d.got, p.reference_was = *reference;
        const auto got_now = kernel_value(d, input, value), reference_now = reference_value(d, input, value);
        if (!got_now || !reference_now) return {};
        p.got_now = *got_now, p.reference_now = *reference_now;
        out.push_back(p);
    }
    return out;
}

double bound_of(const Dependence& d) {
    const analysis::TileData t = analysis::load_tile(d.chain.capture, asked_tile(d));
    return t.bound.rows == 0 ? 0 : double{t.bound(d.asked.row, d.asked.col)};
}

}  // namespace

std::optional<Parted> alone_in_kernel(Dependence& d, const InputPlace& input) {
    const double bound = bound_of(d);
    std::optional<Parted> out;
    for (const Parted& p : trials_of(d, input)) {
        if (moved(p.reference_was, p.reference_now, kWithinRounding * bound)) return std::nullopt;
        if (!out && moved(p.got_was, p.got_now, kBeyondRounding * bound)) out = p;
    }
    return out;
}

std::optional<Parted> alone_in_reference(Dependence& d, const InputPlace& input) {
    const double bound = bound_of(d);
    std::optional<Parted> out;
    for (const Parted& p : trials_of(d, input)) {
        // What is no number stays none, whatever it depends on.
        if (!std::isfinite(p.got_was) || p.got_was != p.got_now) return std::nullopt;
        if (!out && std::isfinite(p.reference_now) &&
            moved(p.reference_was, p.reference_now, kBeyondRounding * bound))
            out = p;
    }
    // What decides by comparison may leave the element as it is for some values.
    for (const double value : out ? values_in(argument_of(d, input)) : std::vector<double>{})
        if (kernel_value(d, input, value) != d.got) return std::nullopt;
    return out;
}

}  // namespace wl::diagnosis

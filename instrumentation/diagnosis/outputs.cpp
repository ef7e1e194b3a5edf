// Outputs against their reference tensors: what is compared, by which limit, and what nobody wrote.
#include "instrumentation/analysis/decide.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/diff_elements.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/shape_text.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace wl::diagnosis {

namespace {

using analysis::ReferenceTile;
using capture::Verdict;

const analysis::ReferenceTensor* find_tensor(const analysis::Reference& reference, const std::string& name) {
    for (const analysis::ReferenceTensor& t : reference.tensors)
        if (t.name == name) return &t;
    return nullptr;
}

std::string lack_text(const analysis::Reference& reference, const std::string& of) {
    std::vector<std::string> names;
    for (const analysis::ReferenceTensor& t : reference.tensors) names.push_back(t.name);
    return fmt::format(
        "the reference has no tensor named {}; it has {}", of, names.empty() ? "none" : join(names, ", ")
    );
}

template <class T>
void put(const Matrix<T>& part, int row, Matrix<T>& whole) {
    if (part.data.empty() || whole.data.empty()) return;
    std::copy(
        part.data.begin(),
        part.data.end(),
        whole.data.begin() + static_cast<std::ptrdiff_t>(whole.index(row, 0))
    );
}

ReferenceTile output_reference(
    const analysis::Reference& reference,
    const std::string& of,
    const std::vector<int64_t>& shape,
    int rows,
    int cols
) {
    ReferenceTile whole = analysis::blank_tile({of, {}, rows, cols});
    const int64_t stripe = shape.size() < 2
        ? 1
        : shape[shape.size() - 2];  // rows that one window of the last two dimensions has
    for (int64_t row = 0; row < rows; row += stripe) {
        check_stop();
        analysis::Window w{of, std::vector<int64_t>(shape.size(), 0), static_cast<int>(stripe), cols};
        int64_t outer = row / stripe;
        for (size_t d = shape.size() < 2 ? 0 : shape.size() - 2; d-- > 0;)
            w.at[d] = outer % shape[d], outer /= shape[d];
        const ReferenceTile part = reference.tile(w);
        whole.problem = part.problem;
        if (!part.problem.empty()) return whole;
        whole.estimated = whole.estimated || part.estimated;
        whole.doubt = part.doubt, whole.whole_type = part.whole_type;
        if (row == 0 && !part.probable.data.empty()) whole.probable = make_matrix<float>(rows, cols);
        if (row == 0 && !part.whole.data.empty()) whole.whole = make_matrix<int64_t>(rows, cols);
        const auto to = static_cast<int>(row);
        put(part.value, to, whole.value), put(part.bound, to, whole.bound);
        put(part.compared, to, whole.compared), put(part.probable, to, whole.probable);
        put(part.whole, to, whole.whole);
    }
    return whole;
}

// The reference's range, and the largest limit: of the elements outside it where there are any.
void describe_range(
    capture::Output& out, const ReferenceTile& reference, DType dtype, const std::vector<std::byte>& values
) {
    const Matrix<float> limit = analysis::limits(dtype, reference);
    const std::vector<double> got = analysis::widen(dtype, values);
    bool first = true, outside = false;
    for (size_t i = 0; i < reference.value.data.size(); ++i) {
        if (reference.compared.data[i] == 0) continue;
        const double r = reference.value.data[i];
        if (std::isnan(r)) continue;
        out.reference_min = first ? r : std::min(out.reference_min, r),
        out.reference_max = first ? r : std::max(out.reference_max, r);
        first = false;
        const bool bad = analysis::is_bad(got[i], r, limit.data[i]);
        if (bad && !outside) outside = true, out.bound = 0;
        if (bad == outside) out.bound = std::max(out.bound, double{limit.data[i]});
    }
}

// `whose`: elements that another launch is to write are none; null: all are this one's.
int64_t unwritten(const execution::Allocation& a, DType dtype, const std::vector<Whose>* whose) {
    if (a.written.empty()) return 0;
    const auto size = static_cast<std::ptrdiff_t>(size_of(dtype));
    int64_t out = 0;
    size_t element = 0;
    for (auto byte = a.written.begin(); byte != a.written.end(); byte += size, ++element) {
        if (whose != nullptr && (*whose)[element] == Whose::later) continue;
        out += std::all_of(byte, byte + size, [](uint8_t w) { return w == 0; }) ? 1 : 0;
    }
    return out;
}

const std::vector<Whose>* whose_elements(const Observer& o, const std::string& name) {
    if (o.unsettled == nullptr || manifest::launch_of(o.problem).outputs.contains(name)) return nullptr;
    const auto found = o.unsettled->elements.find(name);
    return found == o.unsettled->elements.end() ? nullptr : &found->second;
}

// What a later launch writes is not compared behind this one.
void leave_out(const std::vector<Whose>* whose, ReferenceTile& reference) {
    for (size_t i = 0; whose != nullptr && i < reference.value.data.size(); ++i) {
        if ((*whose)[i] != Whose::later) continue;
        reference.compared.data[i] = 0;
        reference.value.data[i] = std::numeric_limits<double>::quiet_NaN();
    }
}

// Why it was not compared, or only in part.
std::string note_of(
    const Observer& o,
    const manifest::OutputRule& rule,
    const ReferenceTile& reference,
    const capture::Compared& of
) {
    if (!rule.compare) return "the manifest says compare = false";
    if (!o.wanted) return "no comparison was asked for";
    if (o.reference == nullptr) return "no reference";
    if (!reference.problem.empty()) return reference.problem;
    const bool none = of.compared == 0;
    if (of.unknown == 0 || (rule.partial && !none)) return {};
    return fmt::format(
        "the reference is NaN in {} of {} elements{}",
        of.unknown,
        of.elements,
        none ? "" : "; partial = true says that it should be"
    );
}

// A reference that lacks the output leaves a gap; one that does not fit it is an error.
ReferenceTile truth_of(
    Observer& o, const manifest::OutputRule& rule, const manifest::BoundArgument& a, const capture::Tile& tile
) {
    ReferenceTile out = analysis::blank_tile({{}, {}, 0, 0});
    if (o.reference == nullptr || !rule.compare) return out;
    if (find_tensor(*o.reference, rule.of) == nullptr) {
        out.problem = lack_text(*o.reference, rule.of);
        return out;
    }
    out.problem = misfit(*o.reference, rule.of, a);
    if (out.problem.empty())
        out = output_reference(*o.reference, rule.of, a.data.shape, tile.rows, tile.cols);
    std::string& problem = o.capture.covered.reference_problem;
    if (problem.empty()) problem = out.problem;
    return out;
}

// `name`: as the capture calls it.
void compare_output(
    Observer& o,
    const execution::GlobalMemory& memory,
    const manifest::BoundArgument& a,
    const std::string& name
) {
    const manifest::OutputRule rule = rule_of(o.problem, a.data.name);
    const execution::Allocation& allocation = *execution::find_named(memory, a.data.name);
    const std::vector<Whose>* whose = whose_elements(o, a.data.name);
    capture::Tile tile;
    tile.block = capture::kWholeLaunch;
    tile.cols = static_cast<int>(a.data.shape.empty() ? 1 : a.data.shape.back());
    tile.rows = static_cast<int>(elements(a.data.shape) / std::max(tile.cols, 1));
    ReferenceTile reference = truth_of(o, rule, a, tile);
    leave_out(whose, reference);
    capture::Output out;
    out.name = name, out.shape = a.data.shape;
    out.of = analysis::decide(a.data.dtype, {rule.tolerance, rule.rtol}, reference);
    analysis::store(tile, analysis::compare(a.data.dtype, allocation.bytes, reference));
    out.of.elements = elements(a.data.shape), out.of.compared = tile.compared;
    const bool there = reference.problem.empty() && !reference.value.data.empty();
    out.of.unknown = there ? out.of.elements - tile.compared : 0;
    out.of.unwritten = unwritten(allocation, a.data.dtype, whose);
    out.of.wanted = o.wanted && rule.compare;
    if (out.of.compared == 0) out.of.limit = capture::Limit::none;
    if (tile.verdict == Verdict::ok && !analysis::decides(out.of)) tile.verdict = Verdict::undecided;
    out.verdict = tile.verdict, out.nan = tile.nan, out.min = tile.min, out.max = tile.max;
    out.max_difference = tile.max_difference;
    describe_range(out, reference, a.data.dtype, allocation.bytes);
    out.note = note_of(o, rule, reference, out.of);
    if (const std::string why = analysis::undecided_text(out); !why.empty()) out.note = why;
    keep_elements(o, tile, a.data.dtype, allocation.bytes, reference);
    capture::Probe probe;
    probe.name = name, probe.kind = capture::ProbeKind::output, probe.dtype = a.data.dtype,
    probe.rows = tile.rows, probe.cols = tile.cols, probe.memory = "global", probe.reference = rule.of;
    tile.probe = static_cast<int>(o.capture.probes.size());
    o.capture.probes.push_back(probe);
    o.capture.tiles.push_back(tile);
    o.capture.outputs.push_back(std::move(out));
}

}  // namespace

std::string misfit(
    const analysis::Reference& reference, const std::string& of, const manifest::BoundArgument& output
) {
    const analysis::ReferenceTensor* t = find_tensor(reference, of);
    if (t == nullptr) return {};
    const std::vector<int64_t>& shape = output.data.shape;
    if (t->pieced ? t->shape.size() == shape.size() : t->shape == shape) return {};
    return fmt::format(
        "the reference {} has the shape {}, the output {} the shape {}; they must be the same",
        t->name,
        shape_text(t->shape),
        output.data.name,
        shape_text(shape)
    );
}

manifest::OutputRule rule_of(const manifest::Problem& problem, const std::string& name) {
    const std::map<std::string, manifest::OutputRule>&own = manifest::launch_of(problem).outputs,
                                &all = problem.kernel.outputs;
    const auto mine = own.find(name), found = all.find(name);
    manifest::OutputRule rule = mine != own.end() ? mine->second
        : found != all.end()                      ? found->second
                                                  : manifest::OutputRule{};
    if (rule.of.empty()) rule.of = name;
    return rule;
}

void compare_outputs(Observer& o, const execution::GlobalMemory& memory) {
    for (const manifest::BoundArgument* a : manifest::arrays(o.problem))
        if (a->output) compare_output(o, memory, *a, a->data.name);
}

bool compare_launch_outputs(Observer& o, const execution::GlobalMemory& memory) {
    const size_t first = o.capture.outputs.size();
    for (const manifest::BoundArgument* a : manifest::arrays(o.problem))
        if (a->output && manifest::launch_of(o.problem).outputs.contains(a->data.name))
            compare_output(
                o,
                memory,
                *a,
                fmt::format(
                    "{} after launch {} ({})",
                    a->data.name,
                    o.problem.at + 1,
                    manifest::launch_of(o.problem).name
                )
            );
    return std::none_of(
        o.capture.outputs.begin() + static_cast<std::ptrdiff_t>(first),
        o.capture.outputs.end(),
        [](const capture::Output& out) { return out.verdict == Verdict::bad; }
    );
}

void move_outputs(const capture::Capture& from, capture::Capture& to) {
    std::erase_if(to.tiles, [](const capture::Tile& t) { return t.block == capture::kWholeLaunch; });
    to.outputs.clear();
    for (const capture::Output& output : from.outputs) {
        capture::Tile tile = from.tiles[static_cast<size_t>(output.tile)];
        capture::Probe probe = from.probes[static_cast<size_t>(tile.probe)];
        for (capture::BlobId* id : {&tile.values, &tile.reference, &tile.bound, &tile.owner})
            if (*id != capture::kNoBlob)
                *id = capture::add_blob(to.blobs, capture::content_of(from.blobs, *id));
        const auto known = std::find_if(to.probes.begin(), to.probes.end(), [&](const capture::Probe& p) {
            return p.kind == probe.kind && p.name == probe.name;
        });
        tile.probe = static_cast<int>(known - to.probes.begin());
        if (known == to.probes.end()) {
            probe.step = tile.probe;
            to.probes.push_back(std::move(probe));
        }
        to.outputs.push_back(output);
        to.outputs.back().tile = static_cast<int>(to.tiles.size());
        to.tiles.push_back(tile);
    }
}

}  // namespace wl::diagnosis

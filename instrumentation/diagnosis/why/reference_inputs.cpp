// Each change is made in both directions and large, so that a maximum gives its other operands away; and of
// another size for each element, so that no two cancel.
#include "instrumentation/diagnosis/why/reference_inputs.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/diagnosis/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace wl::diagnosis {
namespace {

// What an element is changed to. Half of what the format holds, where that is little; else far beyond what
// inputs are. Wider integers may be indices or counts: they become the largest or the smallest of their
// array.
struct Values {
    double high = 0, low = 0;
};
Values values_for(const Tensor& tensor) {
    switch (tensor.dtype) {
        case DType::e4m3: return {200, -200};
        case DType::f16:
        case DType::e5m2: return {3e4, -3e4};
        case DType::u8:
        case DType::s8: return {60, -60};
        default: break;
    }
    if (is_float(tensor.dtype)) return {1e6, -1e6};
    const auto [low, high] = extremes(tensor);
    return {high, low};
}

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience(60);

// Nothing, and a failure, where there is no reference any more.
std::optional<analysis::Reference> reference_now(ReferenceInputs& n) {
    check_stop();
    if (n.failure.empty() && Clock::now() > n.deadline)
        n.failure = "the reference takes too long to be computed again and again";
    if (!n.failure.empty()) return std::nullopt;
    MadeReference made = make_reference(n.problem);
    if (!made.reference) n.failure = "the reference fails on inputs that were changed: " + made.problem;
    return std::move(made.reference);
}

// NaN where the reference does not know it.
double value_in(const std::optional<analysis::Reference>& reference, const analysis::Window& window) {
    if (!reference) return std::nan("");
    const analysis::ReferenceTile tile = reference->tile(window);
    const bool there = tile.problem.empty() && !tile.compared.data.empty() && tile.compared.data[0] != 0;
    return there ? tile.value.data.at(0) : std::nan("");
}

double value_now(ReferenceInputs& n) { return value_in(reference_now(n), n.window); }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Floating-point elements by different amounts; integers, which have two values only, not all alike.
void change(Tensor& tensor, const Stretches& elements, bool up) {
    const size_t size = size_of(tensor.dtype);
    const Values values = values_for(tensor);
    for (const auto& [first, last] : elements)
        for (int64_t k = first; k <= last; ++k) {
            const int64_t mixed = k * 37 % 101;
            const bool high = is_float(tensor.dtype) ? up : up == (mixed % 2 == 0);
            const double spread = is_float(tensor.dtype) ? 1 + static_cast<double>(mixed) / 101 : 1;
            from_double(
                tensor.dtype,
                spread * (high ? values.high : values.low),
                tensor.bytes.data() + static_cast<size_t>(k) * size
            );
        }
}

// A reference that fails on another integer than its own reads it. True: it did, and may be asked on.
bool failed_on_integer(ReferenceInputs& n, size_t argument) {
    const DType dtype = n.problem.args[argument].data.dtype;
    if (n.failure.empty() || is_float(dtype) || size_of(dtype) == 1 || Clock::now() > n.deadline)
        return false;
    n.failure.clear();
    return true;
}

// Does the reference change when these elements do?
bool changes(ReferenceInputs& n, size_t argument, const Stretches& elements) {
    Tensor& tensor = n.problem.args[argument].data;
    const std::vector<std::byte> kept = tensor.bytes;
    bool changed = false;
    for (const bool up : {true, false}) {
        change(tensor, elements, up);
        changed = !same(value_now(n), n.value);
        changed = (changed && n.failure.empty()) || failed_on_integer(n, argument);
        tensor.bytes = kept;
        if (changed) break;
    }
    return changed;
}

// Inputs of which no element is 0 or equal to another, so that none hides what depends on it. Integers choose
// rows or count: they stay.
void fill_with_odd_numbers(manifest::Problem& problem) {
    uint64_t state = 1;
    for (manifest::BoundArgument& a : problem.args) {
        if (!a.array || !is_float(a.data.dtype)) continue;
        for (size_t at = 0; at < a.data.bytes.size(); at += size_of(a.data.dtype)) {
            state = state * 6364136223846793005 + 1442695040888963407;  // Knuth, TAOCP 3.3.4
            const double part = static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
            from_double(
                a.data.dtype, (state >> 39 & 1) != 0 ? 0.5 + part : -0.5 - part, a.data.bytes.data() + at
            );
        }
    }
}

int64_t count_of(const Stretches& s) {
    int64_t count = 0;
    for (const auto& [first, last] : s) count += last - first + 1;
    return count;
}

int64_t nth_of(const Stretches& s, int64_t n) {
    for (const auto& [first, last] : s) {
        if (n <= last - first) return first + n;
        n -= last - first + 1;
    }
    return -1;
}

// Of the others in [begin, end).
Stretches outside(const Stretches& read, int64_t begin, int64_t end) {
    Stretches out;
    for (const auto& [first, last] : read) {
        if (last < begin || first >= end) continue;
        if (begin < first) out.emplace_back(begin, first - 1);
        begin = std::max(begin, last + 1);
    }
    if (begin < end) out.emplace_back(begin, end - 1);
    return out;
}

// What accumulates into zeros depends on them, and its reference takes them for granted.
bool is_taken_for_granted(ReferenceInputs& n, size_t argument) {
    const manifest::BoundArgument& a = n.problem.args[argument];
    return a.output && !changes(n, argument, outside({}, 0, elements(a.data.shape)));
}

}  // namespace

std::optional<ReferenceInputs> reference_inputs_of(
    const manifest::Problem& problem, const analysis::Window& window
) {
    using Kind = manifest::ReferenceRule::Kind;
    const Kind kind = problem.kernel.reference.kind;
    if (kind != Kind::builtin && kind != Kind::python) return std::nullopt;
    ReferenceInputs n{problem, window};
    n.deadline = Clock::now() + kPatience;
    fill_with_odd_numbers(n.problem);
    n.value = value_now(n);
    if (!std::isnan(n.value)) return n;
    // Such numbers may be none for it: a logarithm of negative ones.
    n.problem = problem, n.failure.clear();
    n.value = value_now(n);
    return std::isnan(n.value) ? std::nullopt : std::optional(std::move(n));
}

std::pair<double, double> extremes(const Tensor& tensor) {
    std::pair<double, double> out = {
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (int64_t k = 0; k < elements(tensor.shape); ++k) {
        const double value = at(tensor, static_cast<size_t>(k));
        if (std::isfinite(value)) out = {std::min(out.first, value), std::max(out.second, value)};
    }
    return out;
}

bool is_changeable(const manifest::BoundArgument& a) {
    if (!a.array || !a.pointers.empty()) return false;
    if (is_float(a.data.dtype) || size_of(a.data.dtype) == 1) return true;
    const auto [low, high] = extremes(a.data);
    return low < high;
}

bool is_made_of(ReferenceInputs& n, size_t argument, int64_t element) {
    const auto [at, fresh] = n.known.try_emplace({argument, element});
    if (fresh)
        at->second = changes(
            n,
            argument,
            {
                {element, element}
        }
        );
    return at->second;
}

std::vector<bool> made_of(
    ReferenceInputs& n, size_t argument, int64_t element, const std::vector<analysis::Window>& windows
) {
    std::vector<bool> out(windows.size());
    const auto is = reference_now(n);
    Tensor& tensor = n.problem.args[argument].data;
    const std::vector<std::byte> kept = tensor.bytes;
    for (const bool up : {true, false}) {
        const Stretches one = {
            {element, element}
        };
        change(tensor, one, up);
        const auto changed = reference_now(n);
        tensor.bytes = kept;
        failed_on_integer(n, argument);
        if (!is || !changed) continue;
        for (size_t k = 0; k < windows.size(); ++k)
            out[k] = out[k] || !same(value_in(is, windows[k]), value_in(changed, windows[k]));
    }
    return out;
}

std::optional<int64_t> foreign_element(ReferenceInputs& n, size_t argument, const Stretches& read, int most) {
    const int64_t count = count_of(read), tried = std::min<int64_t>(count, most);
    for (int64_t k = 0; k < tried; ++k) {
        const int64_t element = nth_of(read, tried < 2 ? 0 : k * (count - 1) / (tried - 1));
        if (is_made_of(n, argument, element)) continue;
        return is_taken_for_granted(n, argument) ? std::nullopt : std::optional(element);
    }
    return std::nullopt;
}

std::optional<int64_t> missing_element(ReferenceInputs& n, size_t argument, const Stretches& read) {
    int64_t begin = 0, end = elements(n.problem.args[argument].data.shape);
    if (!changes(n, argument, outside(read, begin, end))) return std::nullopt;
    while (end - begin > 1) {
        const int64_t middle = begin + (end - begin) / 2;
        (changes(n, argument, outside(read, begin, middle)) ? end : begin) = middle;
    }
    return begin;
}

}  // namespace wl::diagnosis

// Arrays compared, and files' values drawn anew.
#include "instrumentation/diagnosis/prove/other_data.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace wl::diagnosis {

namespace {

using manifest::BoundArgument;

bool same(const BoundArgument& a, const BoundArgument& b) {
    return a.data.bytes == b.data.bytes &&
        std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same);
}

bool same_arguments(const std::vector<BoundArgument>& a, const std::vector<BoundArgument>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool is_of_file(
    const manifest::Problem& p, const std::vector<manifest::Argument>& known, const std::string& name
) {
    if (p.inputs.ends_with(".npz")) return true;
    const auto a = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.name == name; });
    return a != known.end() && a->fill.ends_with(".npy");
}

std::vector<double> values_of(const Tensor& t) {
    std::vector<double> out;
    for (int64_t k = 0; k < elements(t.shape); ++k) out.push_back(at(t, k));
    return out;
}

void shuffle(std::vector<double>& values, std::mt19937_64& random) {
    for (size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[random() % k]);
}

// As many rows as before, each as long as another one was.
std::vector<double> other_steps(const std::vector<double>& values, std::mt19937_64& random) {
    std::vector<double> steps;
    for (size_t k = 1; k < values.size(); ++k) steps.push_back(values[k] - values[k - 1]);
    shuffle(steps, random);
    std::vector<double> out = {values.front()};
    for (const double step : steps) out.push_back(out.back() + step);
    out.back() = values.back();
    return out;
}

bool never_falls(const std::vector<double>& values) {
    return std::is_sorted(values.begin(), values.end()) && values.front() < values.back();
}

void add_extremes(std::vector<double>& values, std::mt19937_64& random) {
    constexpr uint64_t kSignsTurned = 4;  // one of so many
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!std::all_of(values.begin(), values.end(), finite)) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double low = *least, high = *most;
    if (low < 0 && high > 0)
        for (double& v : values)
            if (random() % kSignsTurned == 0 && -v >= low && -v <= high) v = -v;
    const auto any = [&]() -> double& { return values[random() % values.size()]; };
    any() = low, any() = high;
    if (low <= 0 && high >= 0) any() = 0;
    any() = any();
}

void redraw(Tensor& tensor, std::mt19937_64& random) {
    std::vector<double> values = values_of(tensor);
    if (values.size() < 2) return;
    if (never_falls(values))
        values = other_steps(values, random);
    else
        shuffle(values, random);
    const bool real = is_float(tensor.dtype);
    if (real && !never_falls(values)) add_extremes(values, random);
    for (size_t k = 0; k < values.size(); ++k)
        from_double(tensor.dtype, values[k], tensor.bytes.data() + k * size_of(tensor.dtype));
}

bool redraw_arrays(
    const manifest::Problem& p,
    const std::vector<manifest::Argument>& known,
    std::vector<BoundArgument>& arguments,
    std::mt19937_64& random
) {
    constexpr size_t kExact = 8;  // bytes of an element that a double may not hold
    bool any = false;
    for (BoundArgument& a : arguments) {
        const bool input = a.array && (!a.output || a.filled) && a.pointers.empty() && !a.data.bytes.empty();
        if (!input || !is_of_file(p, known, a.name)) continue;
        if (!is_float(a.data.dtype) && size_of(a.data.dtype) == kExact) continue;
        redraw(a.data, random);
        any = true;
    }
    return any;
}

}  // namespace

bool same_inputs(const manifest::Problem& a, const manifest::Problem& b) {
    return same_arguments(a.args, b.args) && same_arguments(a.symbols, b.symbols);
}

bool redraw(manifest::Problem& problem, uint64_t seed) {
    std::mt19937_64 random(seed);
    const manifest::Problem& p = problem;
    const bool arrays = redraw_arrays(p, p.kernel.args, problem.args, random);
    return redraw_arrays(p, p.kernel.symbols, problem.symbols, random) || arrays;
}

}  // namespace wl::diagnosis

// Arrays compared, and fixed values drawn anew.
#include "instrumentation/diagnosis/prove/other_data.h"

#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace wl::diagnosis {

namespace {

using manifest::BoundArgument;

constexpr size_t kLastBit = 63;  // of a set of arrays: those after it share it

bool same(const BoundArgument& a, const BoundArgument& b) {
    return a.data.bytes == b.data.bytes &&
        std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same);
}

bool same_arguments(const std::vector<BoundArgument>& a, const std::vector<BoundArgument>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// A seed changes nothing of it.
bool is_fixed(
    const manifest::Problem& p, const std::vector<manifest::Argument>& known, const BoundArgument& of
) {
    if (p.inputs.ends_with(".npz") || manifest::is_recorded(p)) return true;
    const auto a = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.name == of.name; });
    if (a == known.end()) return false;
    if (a->fill.ends_with(".npy")) return true;
    const auto is = [&](const char* kind) { return a->fill.starts_with(kind); };
    return is_float(of.data.dtype) && !of.output && (is("ones") || is("full") || is("arange"));
}

std::vector<double> values_of(const Tensor& t) {
    std::vector<double> out;
    for (int64_t k = 0; k < elements(t.shape); ++k) out.push_back(at(t, k));
    return out;
}

using Values = std::span<double>;

void shuffle(Values values, std::mt19937_64& random) {
    for (size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[random() % k]);
}

// As many rows as before, each as long as another one was.
void exchange_steps(Values values, std::mt19937_64& random) {
    std::vector<double> steps;
    for (size_t k = 1; k < values.size(); ++k) steps.push_back(values[k] - values[k - 1]);
    shuffle(steps, random);
    for (size_t k = 1; k + 1 < values.size(); ++k) values[k] = values[k - 1] + steps[k - 1];
}

bool is_constant(Values v) {
    return std::adjacent_find(v.begin(), v.end(), std::not_equal_to<>()) == v.end();
}

bool is_monotone(Values v) {
    return std::is_sorted(v.begin(), v.end()) || std::is_sorted(v.begin(), v.end(), std::greater<>());
}

bool are_distinct(Values v) {
    std::vector<double> sorted(v.begin(), v.end());
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

void turn_signs(Values values, double low, double high, Mix mix, std::mt19937_64& random) {
    constexpr uint64_t kSignsTurned = 4;  // one of so many
    for (double& v : values) {
        if (mix == Mix::none_positive)
            v = std::max(-std::fabs(v), low);
        else if (mix == Mix::none_negative)
            v = std::min(std::fabs(v), high);
        else if (random() % kSignsTurned == 0 && -v >= low && -v <= high)
            v = -v;
    }
}

void add_extremes(Values values, std::mt19937_64& random, Mix mix) {
    constexpr uint64_t kHalf = 2;  // of draws, and of elements, where there are zeros
    constexpr size_t kEach = 64;   // of each kind one of so many
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!std::all_of(values.begin(), values.end(), finite)) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double low = *least, high = *most;
    const uint64_t zeros = random() % kHalf;
    if (zeros == 0 && std::find(values.begin(), values.end(), 0.0) != values.end())
        for (double& v : values)
            if (random() % kHalf == 0) v = 0;
    const bool both = low < 0 && high > 0;
    if (both) turn_signs(values, low, high, mix, random);
    // Where there are negative numbers, or one of them, a zero may have either sign.
    const bool signs = std::any_of(values.begin(), values.end(), [](double v) { return std::signbit(v); });
    const auto any = [&]() -> double& { return values[random() % values.size()]; };
    for (size_t k = 0; k <= values.size() / kEach; ++k) {
        if (!both || mix != Mix::none_negative) any() = low;
        if (!both || mix != Mix::none_positive) any() = high;
        if (low <= 0 && high >= 0) any() = signs && random() % kHalf == 0 ? -0.0 : 0.0;
        any() = any();
    }
}

// Real numbers that are all the same: others of their sign and size.
void spread(Values values, std::mt19937_64& random) {
    constexpr double kParts = 256;
    for (double& v : values) v *= (static_cast<double>(random() % 256) + kParts / 2) / kParts;
}

void redraw(Tensor& tensor, std::mt19937_64& random, Mix mix) {
    std::vector<double> values = values_of(tensor);
    if (values.size() < 2) return;
    const size_t cols = static_cast<size_t>(std::max<int64_t>(tensor.shape.back(), 1));
    std::vector<Values> rows;
    for (size_t k = 0; k < values.size(); k += cols) rows.push_back(Values(values).subspan(k, cols));
    const bool real = is_float(tensor.dtype), constant = is_constant(values);
    const bool by_rows = cols > 1 && rows.size() > 1 && !constant;
    if (constant && real) {
        spread(values, random);
    } else if (is_monotone(values)) {
        exchange_steps(values, random);
    } else if (by_rows && std::all_of(rows.begin(), rows.end(), is_monotone)) {
        for (const Values row : rows) exchange_steps(row, random);
    } else if (by_rows && !real && std::all_of(rows.begin(), rows.end(), are_distinct)) {
        for (const Values row : rows) shuffle(row, random);
    } else {
        shuffle(values, random);
        if (real && mix != Mix::order) add_extremes(values, random, mix);
    }
    for (size_t k = 0; k < values.size(); ++k)
        from_double(tensor.dtype, values[k], tensor.bytes.data() + k * size_of(tensor.dtype));
}

bool is_input(const BoundArgument& a) {
    return a.array && (!a.output || a.filled) && a.pointers.empty() && !a.data.bytes.empty();
}

bool enlarge(std::vector<BoundArgument>& arguments, std::mt19937_64& random, uint64_t one_of) {
    constexpr double kTimes = 16;
    bool any = false;
    for (BoundArgument& a : arguments) {
        if (!is_input(a) || a.output || !is_float(a.data.dtype)) continue;
        std::vector<double> values = values_of(a.data);
        const auto whole = [](double v) { return v == std::floor(v); };
        if (is_monotone(values) || std::all_of(values.begin(), values.end(), whole)) continue;
        for (size_t k = 0; k < values.size(); ++k)
            if (random() % one_of == 0)
                from_double(
                    a.data.dtype, kTimes * values[k], a.data.bytes.data() + k * size_of(a.data.dtype)
                );
        any = true;
    }
    return any;
}

// Whole numbers beyond the length of every array are no places in one: keys.
bool are_keys(const manifest::Problem& p, const BoundArgument& a) {
    int64_t longest = 0;
    for (const BoundArgument* each : manifest::arrays(p))
        longest = std::max(longest, elements(each->data.shape));
    std::vector<double> values = values_of(a.data);
    return !is_float(a.data.dtype) && values.size() > 2 && !is_monotone(values) && are_distinct(values) &&
        *std::max_element(values.begin(), values.end()) > static_cast<double>(4 * longest);
}

// Keys become others, the same ones in all arrays; which of them an array has is drawn anew. What is found in
// one array of those of another is so by chance.
void redraw_keys(const std::vector<Tensor*>& arrays, std::mt19937_64& random) {
    std::vector<double> pool;
    for (const Tensor* t : arrays) {
        const std::vector<double> values = values_of(*t);
        pool.insert(pool.end(), values.begin(), values.end());
    }
    std::sort(pool.begin(), pool.end());
    pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
    const auto low = static_cast<int64_t>(pool.front()), high = static_cast<int64_t>(pool.back());
    std::set<int64_t> fresh;
    while (fresh.size() < pool.size())
        fresh.insert(low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)));
    pool.assign(fresh.begin(), fresh.end());
    for (Tensor* t : arrays) {
        shuffle(pool, random);
        for (size_t k = 0; k < static_cast<size_t>(elements(t->shape)); ++k)
            from_double(t->dtype, pool[k], t->bytes.data() + k * size_of(t->dtype));
    }
}

// Of a problem, in order, those that a seed does not change.
template <class Problem>
auto fixed_of(Problem& p) {
    constexpr size_t kExact = 8;  // bytes of an element that a double may not hold
    std::vector<decltype(p.args.data())> out;
    const auto add = [&](auto& arguments, const std::vector<manifest::Argument>& known) {
        for (auto& a : arguments) {
            const bool exact = !is_float(a.data.dtype) && size_of(a.data.dtype) == kExact;
            if (is_input(a) && is_fixed(p, known, a) && !exact) out.push_back(&a);
        }
    };
    add(p.args, p.kernel.args);
    add(p.symbols, p.kernel.symbols);
    return out;
}

}  // namespace

bool same_inputs(const manifest::Problem& a, const manifest::Problem& b) {
    return same_arguments(a.args, b.args) && same_arguments(a.symbols, b.symbols);
}

bool enlarge(manifest::Problem& problem, uint64_t seed) {
    constexpr uint64_t kSome = 8;  // one of so many
    std::mt19937_64 random(seed);
    const uint64_t one_of = enlarges_all(seed) ? 1 : kSome;
    const bool arrays = enlarge(problem.args, random, one_of);
    return enlarge(problem.symbols, random, one_of) || arrays;
}

bool redraw(manifest::Problem& problem, uint64_t seed, Mix mix, uint64_t which) {
    std::mt19937_64 random(seed);
    const std::vector<BoundArgument*> fixed = fixed_of(problem);
    std::map<DType, std::vector<Tensor*>> keys;
    bool any = false;
    for (size_t k = 0; k < fixed.size(); ++k) {
        if (((which >> std::min<size_t>(k, kLastBit)) & 1) == 0) continue;
        any = true;
        if (are_keys(problem, *fixed[k]))
            keys[fixed[k]->data.dtype].push_back(&fixed[k]->data);
        else
            redraw(fixed[k]->data, random, mix);
    }
    for (const auto& [dtype, arrays] : keys) redraw_keys(arrays, random);
    return any;
}

std::vector<std::string> fixed_arrays(const manifest::Problem& problem) {
    std::vector<std::string> out;
    for (const BoundArgument* a : fixed_of(problem)) out.push_back(a->name);
    return out;
}

}  // namespace wl::diagnosis

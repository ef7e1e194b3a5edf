// The functions that expressions may call, by lane and over the warp.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/watch/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace wl::watch {

Value everywhere(const Value& one, uint32_t lanes) {
    Value out = one;
    out.lanes = lanes;
    out.whole.fill(one.whole[0]);
    out.number.fill(one.number[0]);
    return out;
}

namespace {

using Kind = Value::Kind;

struct Function {
    const char* name;
    double (*apply)(double);
};
const Function kReal[] = {
    {"sqrt",  std::sqrt },
    {"exp",   std::exp  },
    {"exp2",  std::exp2 },
    {"log",   std::log  },
    {"log2",  std::log2 },
    {"sin",   std::sin  },
    {"cos",   std::cos  },
    {"tanh",  std::tanh },
    {"floor", std::floor},
    {"ceil",  std::ceil },
};
const char* const kOthers[] = {
    "abs",
    "min",
    "max",
    "isnan",
    "isinf",
    "isfinite",
    "float",
    "int",
    "warp.any",
    "warp.all",
    "warp.count",
    "warp.sum",
    "warp.min",
    "warp.max"};

std::vector<std::string> function_names() {
    std::vector<std::string> names(std::begin(kOthers), std::end(kOthers));
    for (const Function& f : kReal) names.emplace_back(f.name);
    return names;
}

// Over the lanes that have a value; every existing lane gets the answer.
Value over_warp(const std::string& name, const Value& a, const Environment& environment) {
    Value one;
    if (a.lanes == 0) return one;
    const auto lanes = [&](auto f) {
        for (size_t k = 0; k < kLanes; ++k)
            if ((a.lanes >> k & 1) != 0) f(k);
    };
    int64_t trues = 0;
    lanes([&](size_t k) { trues += true_at(a, k) ? 1 : 0; });
    if (name == "warp.any")
        one.whole[0] = trues > 0;
    else if (name == "warp.all")
        one.whole[0] = trues == std::popcount(a.lanes);
    else if (name == "warp.count")
        one.whole[0] = trues;
    else {
        one.kind = Kind::real;
        double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
        lanes([&](size_t k) {
            sum += real_at(a, k);
            low = std::min(low, real_at(a, k));
            high = std::max(high, real_at(a, k));
        });
        one.number[0] = name == "warp.sum" ? sum : name == "warp.min" ? low : high;
    }
    return everywhere(one, environment.lanes);
}

Value call_one(const std::string& name, const Value& a, const Environment& environment) {
    const auto is = [&](auto f) {
        return whole_by_lane(a.lanes, [&](size_t k) { return std::optional<int64_t>(f(real_at(a, k))); });
    };
    for (const Function& f : kReal)
        if (name == f.name) return real_by_lane(a.lanes, [&](size_t k) { return f.apply(real_at(a, k)); });
    if (name == "abs" && a.is_natural) return a;
    if (name == "abs" && a.kind == Kind::integer)
        return whole_by_lane(a.lanes, [&](size_t k) {
            return a.whole[k] < 0 ? integer_binary("-", 0, a.whole[k]) : std::optional(a.whole[k]);
        });
    if (name == "abs") return real_by_lane(a.lanes, [&](size_t k) { return std::fabs(a.number[k]); });
    if (name == "isnan") return is([](double x) { return std::isnan(x); });
    if (name == "isinf") return is([](double x) { return std::isinf(x); });
    if (name == "isfinite") return is([](double x) { return std::isfinite(x); });
    if (name == "float") return real_by_lane(a.lanes, [&](size_t k) { return real_at(a, k); });
    if (name == "int")
        return whole_by_lane(a.lanes, [&](size_t k) -> std::optional<int64_t> {
            const double x = real_at(a, k);
            return a.kind == Kind::integer ? std::optional(a.whole[k])
                : std::fabs(x) < 9e18      ? std::optional(static_cast<int64_t>(x))
                                           : std::nullopt;
        });
    return over_warp(name, a, environment);
}

Value extreme(bool least, const Value& a, const Value& b) {
    const uint32_t lanes = a.lanes & b.lanes;
    if (a.kind == Kind::integer && b.kind == Kind::integer) {
        const bool natural = a.is_natural || b.is_natural;
        const auto less = [&](int64_t x, int64_t y) {
            return natural ? static_cast<uint64_t>(x) < static_cast<uint64_t>(y) : x < y;
        };
        Value out = whole_by_lane(lanes, [&](size_t k) {
            return std::optional(less(a.whole[k], b.whole[k]) == least ? a.whole[k] : b.whole[k]);
        });
        out.is_natural = natural;
        return out;
    }
    return real_by_lane(lanes, [&](size_t k) {
        return least ? std::fmin(real_at(a, k), real_at(b, k)) : std::fmax(real_at(a, k), real_at(b, k));
    });
}

}  // namespace

Value call(const std::string& name, const std::vector<Value>& arguments, const Environment& environment) {
    const std::vector<std::string> known = function_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string near = nearest_word(name, known);
        throw Error(fmt::format(
            "there is no function {}{}", name, near.empty() ? "" : " (did you mean " + near + "?)"
        ));
    }
    const bool two = name == "min" || name == "max";
    if (arguments.size() != (two ? 2 : 1))
        throw Error(fmt::format("{} takes {}", name, two ? "two arguments" : "one argument"));
    std::vector<Value> numbers;
    numbers.reserve(arguments.size());
    for (const Value& a : arguments) numbers.push_back(numeric(a, environment));
    return two ? extreme(name == "min", numbers[0], numbers[1]) : call_one(name, numbers[0], environment);
}

}  // namespace wl::watch

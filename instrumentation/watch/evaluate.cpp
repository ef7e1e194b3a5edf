// One node after the other, 32 lanes at a time.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/watch/objects.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace wl::watch {
namespace {

using Kind = Value::Kind;

bool is_number(const Value& v) { return v.kind == Kind::integer || v.kind == Kind::real; }
double real_at(const Value& v, size_t lane) {
    return v.kind == Kind::real ? v.number[lane] : static_cast<double>(v.whole[lane]);
}
bool true_at(const Value& v, size_t lane) {
    return v.kind == Kind::real ? v.number[lane] != 0 : v.whole[lane] != 0;
}

Value numeric(const Value& value, const Environment& environment) {
    Value v = scalar(value, environment);
    if (!is_number(v)) throw Error("this is an array or a structure, and a number is needed");
    return v;
}

template <class F>
Value real_by_lane(uint32_t lanes, F f) {
    Value out;
    out.kind = Kind::real;
    out.lanes = lanes;
    for (size_t lane = 0; lane < kLanes; ++lane)
        if ((lanes >> lane & 1) != 0) out.number[lane] = f(lane);
    return out;
}

// f: lane -> std::optional<int64_t>
template <class F>
Value whole_by_lane(uint32_t lanes, F f) {
    Value out;
    out.kind = Kind::integer;
    for (size_t lane = 0; lane < kLanes; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        const std::optional<int64_t> v = f(lane);
        if (!v) continue;
        out.whole[lane] = *v;
        out.lanes |= 1u << lane;
    }
    return out;
}

// Two's complement without overflow; no value where C has none.
std::optional<int64_t> integer_binary(const std::string& op, int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    const bool overflows = a == std::numeric_limits<int64_t>::min() && b == -1;
    if (op == "+") return static_cast<int64_t>(x + y);
    if (op == "-") return static_cast<int64_t>(x - y);
    if (op == "*") return static_cast<int64_t>(x * y);
    if (op == "/") return b == 0 || overflows ? std::nullopt : std::optional(a / b);
    if (op == "%") return b == 0 || overflows ? std::nullopt : std::optional(a % b);
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "<<") return y > 63 ? std::nullopt : std::optional(static_cast<int64_t>(x << y));
    if (op == ">>") return y > 63 ? std::nullopt : std::optional(a >> b);
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    return a >= b;
}

Value real_binary(const std::string& op, const Value& a, const Value& b) {
    const uint32_t lanes = a.lanes & b.lanes;
    const auto compare = [&](auto f) {
        return whole_by_lane(lanes, [&](size_t k) {
            return std::optional<int64_t>(f(real_at(a, k), real_at(b, k)));
        });
    };
    if (op == "+") return real_by_lane(lanes, [&](size_t k) { return real_at(a, k) + real_at(b, k); });
    if (op == "-") return real_by_lane(lanes, [&](size_t k) { return real_at(a, k) - real_at(b, k); });
    if (op == "*") return real_by_lane(lanes, [&](size_t k) { return real_at(a, k) * real_at(b, k); });
    if (op == "/") return real_by_lane(lanes, [&](size_t k) { return real_at(a, k) / real_at(b, k); });
    if (op == "==") return compare([](double x, double y) { return x == y; });
    if (op == "!=") return compare([](double x, double y) { return x != y; });
    if (op == "<") return compare([](double x, double y) { return x < y; });
    if (op == "<=") return compare([](double x, double y) { return x <= y; });
    if (op == ">") return compare([](double x, double y) { return x > y; });
    if (op == ">=") return compare([](double x, double y) { return x >= y; });
    throw Error(fmt::format("{} takes integers only", op));
}

Value logical(const std::string& op, const Value& a, const Value& b) {
    const bool is_and = op == "&&";
    // A lane whose left side decides needs no right side.
    return whole_by_lane(a.lanes, [&](size_t k) -> std::optional<int64_t> {
        if (true_at(a, k) != is_and) return !is_and;
        if ((b.lanes >> k & 1) == 0) return std::nullopt;
        return true_at(b, k);
    });
}

Value pointer_sum(const Value& pointer, const Value& offset, bool minus, const Environment& environment) {
    const variables::Type* type = type_of(pointer, environment);
    const variables::Type* of = &(*environment.types)[static_cast<size_t>(type->of)];
    Value out = pointer;
    out.lanes &= offset.lanes;
    for (size_t k = 0; k < kLanes; ++k) {
        const auto bytes = static_cast<uint64_t>(offset.whole[k]) * of->bytes;
        out.whole[k] =
            static_cast<int64_t>(static_cast<uint64_t>(pointer.whole[k]) + (minus ? ~bytes + 1 : bytes));
    }
    return out;
}

Value binary(const std::string& op, const Value& left, const Value& right, const Environment& environment) {
    const Value a = numeric(left, environment), b = numeric(right, environment);
    if (op == "&&" || op == "||") return logical(op, a, b);
    if (a.kind == Kind::real || b.kind == Kind::real) return real_binary(op, a, b);
    const variables::Type* pointer = type_of(a, environment);
    if (pointer != nullptr && pointer->of >= 0 && b.type < 0 && (op == "+" || op == "-"))
        return pointer_sum(a, b, op == "-", environment);
    return whole_by_lane(a.lanes & b.lanes, [&](size_t k) {
        return integer_binary(op, a.whole[k], b.whole[k]);
    });
}

Value unary(const std::string& op, const Value& operand, const Environment& environment) {
    if (op == "*") return pointed_at(operand, environment);
    if (op == "&") {
        if (operand.kind != Kind::place) throw Error("this has no address: it lives in a register");
        return whole_by_lane(operand.lanes, [&](size_t k) {
            return std::optional(static_cast<int64_t>(operand.address[k]));
        });
    }
    Value a = numeric(operand, environment);
    if (op == "!")
        return whole_by_lane(a.lanes, [&](size_t k) { return std::optional<int64_t>(!true_at(a, k)); });
    if (op == "+") return a;
    if (op == "-" && a.kind == Kind::real)
        return real_by_lane(a.lanes, [&](size_t k) { return -a.number[k]; });
    if (a.kind == Kind::real) throw Error("~ takes integers only");
    if (op == "-")
        return whole_by_lane(a.lanes, [&](size_t k) { return integer_binary("-", 0, a.whole[k]); });
    return whole_by_lane(a.lanes, [&](size_t k) { return std::optional(~a.whole[k]); });
}

// ---- functions

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

Value everywhere(const Value& one, uint32_t lanes) {
    Value out = one;
    out.lanes = lanes;
    out.whole.fill(one.whole[0]);
    out.number.fill(one.number[0]);
    return out;
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
    if (a.kind == Kind::integer && b.kind == Kind::integer)
        return whole_by_lane(lanes, [&](size_t k) {
            return std::optional(least ? std::min(a.whole[k], b.whole[k]) : std::max(a.whole[k], b.whole[k]));
        });
    return real_by_lane(lanes, [&](size_t k) {
        return least ? std::fmin(real_at(a, k), real_at(b, k)) : std::fmax(real_at(a, k), real_at(b, k));
    });
}

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

Value find(const std::string& name, const Environment& environment) {
    if (std::optional<Value> value = environment.find(name)) return std::move(*value);
    const std::string near = environment.names ? nearest_word(name, environment.names()) : "";
    throw Error(
        fmt::format("nothing here is called {}{}", name, near.empty() ? "" : " (did you mean " + near + "?)")
    );
}

Value conditional(
    const Value& condition, const Value& then, const Value& otherwise, const Environment& environment
) {
    const Value c = numeric(condition, environment), a = numeric(then, environment),
                b = numeric(otherwise, environment);
    const auto taken = [&](size_t k) -> const Value& { return true_at(c, k) ? a : b; };
    uint32_t lanes = 0;
    for (size_t k = 0; k < kLanes; ++k) lanes |= c.lanes & taken(k).lanes & 1u << k;
    if (a.kind == Kind::integer && b.kind == Kind::integer)
        return whole_by_lane(lanes, [&](size_t k) { return std::optional(taken(k).whole[k]); });
    return real_by_lane(lanes, [&](size_t k) { return real_at(taken(k), k); });
}

Value evaluate_node(const Node& node, const std::vector<Value>& children, const Environment& environment) {
    switch (node.kind) {
        case Node::Kind::number: {
            Value one;
            one.kind = node.whole ? Kind::integer : Kind::real;
            one.whole[0] = node.integer;
            one.number[0] = node.real;
            return everywhere(one, environment.lanes);
        }
        case Node::Kind::name: return find(node.text, environment);
        case Node::Kind::unary: return unary(node.text, children[0], environment);
        case Node::Kind::binary: return binary(node.text, children[0], children[1], environment);
        case Node::Kind::conditional: return conditional(children[0], children[1], children[2], environment);
        case Node::Kind::index: return element(children[0], children[1], environment);
        case Node::Kind::member: return member(children[0], node.text, environment);
        case Node::Kind::call: return call(node.text, children, environment);
    }
    return {};
}

}  // namespace

Value evaluate(const Watch& watch, const Environment& environment) {
    std::vector<Value> values;
    values.reserve(watch.nodes.size());
    for (const Node& node : watch.nodes) {
        std::vector<Value> children;
        for (const int child : node.children) children.push_back(values[static_cast<size_t>(child)]);
        try {
            values.push_back(evaluate_node(node, children, environment));
        } catch (const Error& error) {
            throw Error(fmt::format("\"{}\": {} at column {}.", watch.text, error.what(), node.at + 1));
        }
    }
    return scalar(values.back(), environment);
}

}  // namespace wl::watch

// C's operators and casts over 32 lanes.
#include "instrumentation/base/error.h"
#include "instrumentation/watch/numbers.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace wl::watch {

namespace {

using Kind = Value::Kind;

bool is_number(const Value& v) { return v.kind == Kind::integer || v.kind == Kind::real; }

}  // namespace

double real_at(const Value& v, size_t lane) {
    if (v.kind == Kind::real) return v.number[lane];
    return v.is_natural ? static_cast<double>(static_cast<uint64_t>(v.whole[lane]))
                        : static_cast<double>(v.whole[lane]);
}

bool true_at(const Value& v, size_t lane) {
    return v.kind == Kind::real ? v.number[lane] != 0 : v.whole[lane] != 0;
}

Value numeric(const Value& value, const Environment& environment) {
    Value v = scalar(value, environment);
    if (!is_number(v)) throw Error("this is an array or a structure, and a number is needed");
    return v;
}

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

namespace {

// Of unsigned 64 bits, where these differ from signed ones.
std::optional<int64_t> natural_binary(const std::string& op, int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (op == "/") return y == 0 ? std::nullopt : std::optional(static_cast<int64_t>(x / y));
    if (op == "%") return y == 0 ? std::nullopt : std::optional(static_cast<int64_t>(x % y));
    if (op == ">>") return y > 63 ? std::nullopt : std::optional(static_cast<int64_t>(x >> y));
    if (op == "<") return x < y;
    if (op == "<=") return x <= y;
    if (op == ">") return x > y;
    if (op == ">=") return x >= y;
    return integer_binary(op, a, b);
}

bool compares(const std::string& op) { return op == "==" || op == "!=" || op[0] == '<' || op[0] == '>'; }
bool shifts(const std::string& op) { return op == "<<" || op == ">>"; }

// As C has it: unsigned when one of the operands is, of a shift the left one.
Value whole_binary(const std::string& op, const Value& a, const Value& b) {
    const bool natural = a.is_natural || (b.is_natural && !shifts(op));
    Value out = whole_by_lane(a.lanes & b.lanes, [&](size_t k) {
        return natural ? natural_binary(op, a.whole[k], b.whole[k])
                       : integer_binary(op, a.whole[k], b.whole[k]);
    });
    out.is_natural = natural && (shifts(op) || !compares(op));
    return out;
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

Value pointer_difference(const Value& a, const Value& b, uint64_t bytes) {
    if (bytes == 0) throw Error("the size of what these point at is not known");
    return whole_by_lane(a.lanes & b.lanes, [&](size_t k) {
        return std::optional((a.whole[k] - b.whole[k]) / static_cast<int64_t>(bytes));
    });
}

// As a pointer, where the source has one of its type.
Value address_of(const Value& operand, const Environment& environment) {
    if (operand.kind != Kind::place) throw Error("this has no address: it lives in a register");
    Value out = whole_by_lane(operand.lanes, [&](size_t k) {
        const uint64_t at = operand.address[k];
        return std::optional(
            static_cast<int64_t>(environment.generic ? environment.generic(operand.space, at) : at)
        );
    });
    const variables::Type* own = type_of(operand, environment);
    for (size_t k = 0; own != nullptr && k < environment.types->size() && out.type < 0; ++k) {
        const variables::Type& t = (*environment.types)[k];
        if (t.kind != variables::Type::Kind::pointer || t.of < 0) continue;
        if ((*environment.types)[static_cast<size_t>(t.of)].name == own->name) out.type = static_cast<int>(k);
    }
    return out;
}

}  // namespace

Value binary(const std::string& op, const Value& left, const Value& right, const Environment& environment) {
    const Value a = numeric(left, environment), b = numeric(right, environment);
    if (op == "&&" || op == "||") return logical(op, a, b);
    if (a.kind == Kind::real || b.kind == Kind::real) return real_binary(op, a, b);
    const variables::Type* pointer = type_of(a, environment);
    const variables::Type* other = type_of(b, environment);
    const bool pointers = pointer != nullptr && pointer->of >= 0 && other != nullptr && other->of >= 0;
    if (pointer != nullptr && pointer->of >= 0 && !pointers && (op == "+" || op == "-"))
        return pointer_sum(a, b, op == "-", environment);
    if (pointers && op == "-")
        return pointer_difference(a, b, (*environment.types)[static_cast<size_t>(pointer->of)].bytes);
    return whole_binary(op, a, b);
}

Value unary(const std::string& op, const Value& operand, const Environment& environment) {
    if (op == "*") return pointed_at(operand, environment);
    if (op == "&") return address_of(operand, environment);
    Value a = numeric(operand, environment);
    if (op == "!")
        return whole_by_lane(a.lanes, [&](size_t k) { return std::optional<int64_t>(!true_at(a, k)); });
    if (op == "+") return a;
    if (op == "-" && a.kind == Kind::real)
        return real_by_lane(a.lanes, [&](size_t k) { return -a.number[k]; });
    if (a.kind == Kind::real) throw Error("~ takes integers only");
    Value out = whole_by_lane(a.lanes, [&](size_t k) {
        return op == "-" ? integer_binary("-", 0, a.whole[k]) : std::optional(~a.whole[k]);
    });
    out.is_natural = a.is_natural;
    return out;
}

namespace {

// ---- casts

struct Whole {
    int bits = 32;
    bool is_signed = true;
};
Whole whole_type(const std::string& words) {
    const auto has = [&](const char* word) { return words.find(word) != std::string::npos; };
    Whole t;
    t.is_signed = !has("unsigned") && !has("uint") && !has("size_t");
    t.bits = has("char") || has("int8_t") || has("bool") ? 8
        : has("short") || has("int16_t")                 ? 16
        : has("long") || has("64_t") || has("size_t")    ? 64
                                                         : 32;
    return t;
}

std::optional<int64_t> as_whole(const Value& v, size_t lane, const Whole& t) {
    int64_t x = v.whole[lane];
    if (v.kind == Kind::real) {
        if (!(std::fabs(v.number[lane]) < 9e18)) return std::nullopt;  // C leaves it undefined
        x = static_cast<int64_t>(v.number[lane]);
    }
    const int unused = 64 - t.bits;
    const uint64_t high = static_cast<uint64_t>(x) << unused;
    return t.is_signed ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

}  // namespace

Value cast(const std::string& words, const Value& operand, const Environment& environment) {
    const Value v = numeric(operand, environment);
    if (words == "float")
        return real_by_lane(v.lanes, [&](size_t k) { return double{static_cast<float>(real_at(v, k))}; });
    if (words.find("double") != std::string::npos)
        return real_by_lane(v.lanes, [&](size_t k) { return real_at(v, k); });
    if (words == "bool")
        return whole_by_lane(v.lanes, [&](size_t k) { return std::optional<int64_t>(true_at(v, k)); });
    const Whole t = whole_type(words);
    Value out = whole_by_lane(v.lanes, [&](size_t k) { return as_whole(v, k, t); });
    out.is_natural = t.bits == 64 && !t.is_signed;
    return out;
}

}  // namespace wl::watch

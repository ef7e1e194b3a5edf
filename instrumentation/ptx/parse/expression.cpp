// Precedence climbing over 64-bit integers, as the ISA evaluates them; floating constants stand alone or
// negated.
#include "instrumentation/ptx/parse/expression.h"

#include <array>
#include <bit>
#include <charconv>

namespace wl::ptx {
namespace {

constexpr int kDeepest = 64;
constexpr uint64_t kWarpSize = 32;

uint64_t parse_digits(const Token& number, std::string_view digits, int base) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size())
        fail_at(number, "malformed number");
    if (error != std::errc{}) fail_at(number, "a number beyond 64 bits");
    return value;
}

Constant parse_decimal_float(const Token& number) {
    double value = 0;
    const char* end = number.text.data() + number.text.size();
    const auto [stop, error] = std::from_chars(number.text.data(), end, value);
    if (error != std::errc{} || stop != end) fail_at(number, "malformed floating point number");
    return {std::bit_cast<uint64_t>(value), true, true, false};
}

struct Operator {
    std::string_view text;
    int precedence;  // higher binds tighter
};
constexpr std::array<Operator, 18> kOperators = {
    {{"||", 1},
     {"&&", 2},
     {"|", 3},
     {"^", 4},
     {"&", 5},
     {"==", 6},
     {"!=", 6},
     {"<", 7},
     {"<=", 7},
     {">", 7},
     {">=", 7},
     {"<<", 8},
     {">>", 8},
     {"+", 9},
     {"-", 9},
     {"*", 10},
     {"/", 10},
     {"%", 10}}
};

int precedence_of(const Token& token) {
    if (token.kind != Token::Kind::punct) return 0;
    for (const Operator& o : kOperators)
        if (o.text == token.text) return o.precedence;
    return 0;
}

void require_integer(const Constant& value, const Token& where) {
    if (value.floating) fail_at(where, "a floating point number where an integer is needed");
}

uint64_t divide(const Constant& a, const Constant& b, const Token& where, bool remainder) {
    if (b.bits == 0) fail_at(where, "a division by zero");
    if (a.is_unsigned || b.is_unsigned) return remainder ? a.bits % b.bits : a.bits / b.bits;
    if (b.bits == ~uint64_t{0}) return remainder ? 0 : 0 - a.bits;  // also INT64_MIN / -1
    const auto x = static_cast<int64_t>(a.bits), y = static_cast<int64_t>(b.bits);
    return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t shift_right(const Constant& a, uint64_t count) {
    if (a.is_unsigned) return count > 63 ? 0 : a.bits >> count;
    return static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> (count > 63 ? 63 : count));
}

bool less(const Constant& a, const Constant& b) {
    if (a.is_unsigned || b.is_unsigned) return a.bits < b.bits;
    return static_cast<int64_t>(a.bits) < static_cast<int64_t>(b.bits);
}

Constant apply(const Token& op, const Constant& a, const Constant& b) {
    require_integer(a, op);
    require_integer(b, op);
    const std::string_view t = op.text;
    const auto truth = [](bool v) { return Constant{v ? 1U : 0U, false, false, false}; };
    if (t == "||") return truth(a.bits != 0 || b.bits != 0);
    if (t == "&&") return truth(a.bits != 0 && b.bits != 0);
    if (t == "==") return truth(a.bits == b.bits);
    if (t == "!=") return truth(a.bits != b.bits);
    if (t == "<") return truth(less(a, b));
    if (t == "<=") return truth(!less(b, a));
    if (t == ">") return truth(less(b, a));
    if (t == ">=") return truth(!less(a, b));
    Constant r{0, false, false, a.is_unsigned || b.is_unsigned};
    if (t == "|")
        r.bits = a.bits | b.bits;
    else if (t == "^")
        r.bits = a.bits ^ b.bits;
    else if (t == "&")
        r.bits = a.bits & b.bits;
    else if (t == "+")
        r.bits = a.bits + b.bits;
    else if (t == "-")
        r.bits = a.bits - b.bits;
    else if (t == "*")
        r.bits = a.bits * b.bits;
    else if (t == "<<")
        r = {b.bits > 63 ? 0 : a.bits << b.bits, false, false, a.is_unsigned};
    else if (t == ">>")
        r = {shift_right(a, b.bits), false, false, a.is_unsigned};
    else
        r.bits = divide(a, b, op, t == "%");
    return r;
}

Constant parse_ternary(Lexer& lexer, int depth);

Constant negate(const Constant& a) {
    if (!a.floating) return {0 - a.bits, false, false, a.is_unsigned};
    return {a.bits ^ (a.wide ? uint64_t{1} << 63 : uint64_t{1} << 31), true, a.wide, false};
}

Constant parse_parenthesis(Lexer& lexer, int depth) {
    if (is_word(lexer.token, ".s64") || is_word(lexer.token, ".u64")) {
        const bool to_unsigned = lexer.token.text == ".u64";
        advance(lexer);
        expect(lexer, ")");
        Constant inner = parse_ternary(lexer, depth + 1);
        inner.is_unsigned = to_unsigned;
        return inner;
    }
    const Constant inner = parse_ternary(lexer, depth + 1);
    expect(lexer, ")");
    return inner;
}

Constant parse_unary(Lexer& lexer, int depth) {
    if (depth > kDeepest) fail_at(lexer.token, "an expression nested deeper than 64");
    const Token token = lexer.token;
    if (token.kind == Token::Kind::number) {
        advance(lexer);
        return parse_number(token);
    }
    if (is_word(token, "WARP_SZ")) {
        advance(lexer);
        return {kWarpSize, false, false, false};
    }
    if (accept(lexer, "(")) return parse_parenthesis(lexer, depth);
    if (accept(lexer, "+")) return parse_unary(lexer, depth + 1);
    if (accept(lexer, "-")) return negate(parse_unary(lexer, depth + 1));
    const bool complement = is(token, "~");
    if (!complement && !is(token, "!")) fail_at(token, "expected a constant");
    advance(lexer);
    const Constant a = parse_unary(lexer, depth + 1);
    require_integer(a, token);
    if (complement) return {~a.bits, false, false, a.is_unsigned};
    return {a.bits == 0 ? 1U : 0U, false, false, false};
}

Constant parse_binary(Lexer& lexer, int depth, int least) {
    Constant left = parse_unary(lexer, depth);
    for (int precedence = precedence_of(lexer.token); precedence >= least;
         precedence = precedence_of(lexer.token)) {
        const Token op = lexer.token;
        advance(lexer);
        left = apply(op, left, parse_binary(lexer, depth + 1, precedence + 1));
    }
    return left;
}

Constant parse_ternary(Lexer& lexer, int depth) {
    if (depth > kDeepest) fail_at(lexer.token, "an expression nested deeper than 64");
    const Constant condition = parse_binary(lexer, depth, 1);
    if (!is(lexer.token, "?")) return condition;
    require_integer(condition, lexer.token);
    advance(lexer);
    const Constant yes = parse_ternary(lexer, depth + 1);
    expect(lexer, ":");
    const Constant no = parse_ternary(lexer, depth + 1);
    return condition.bits != 0 ? yes : no;
}

}  // namespace

Constant parse_number(const Token& number) {
    std::string_view text = number.text;
    const char kind = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
    if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
        const bool wide = kind == 'd' || kind == 'D';
        if (text.size() != (wide ? 18U : 10U)) fail_at(number, "a float of the wrong number of digits");
        return {parse_digits(number, text.substr(2), 16), true, wide, false};
    }
    const bool hexadecimal = kind == 'x' || kind == 'X';
    if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos)
        return parse_decimal_float(number);
    Constant value;
    if (text.ends_with('U') || text.ends_with('u')) {
        value.is_unsigned = true;
        text.remove_suffix(1);
    }
    if (hexadecimal)
        value.bits = parse_digits(number, text.substr(2), 16);
    else if (kind == 'b' || kind == 'B')
        value.bits = parse_digits(number, text.substr(2), 2);
    else if (text.size() > 1 && text[0] == '0')
        value.bits = parse_digits(number, text.substr(1), 8);
    else
        value.bits = parse_digits(number, text, 10);
    value.is_unsigned = value.is_unsigned || value.bits >> 63 != 0;
    return value;
}

Constant parse_expression(Lexer& lexer) { return parse_ternary(lexer, 0); }

int64_t parse_integer(Lexer& lexer, std::string_view what) {
    const Token where = lexer.token;
    const Constant value = parse_expression(lexer);
    if (value.floating) fail_at(where, "expected an integer as " + std::string(what));
    return static_cast<int64_t>(value.bits);
}

}  // namespace wl::ptx

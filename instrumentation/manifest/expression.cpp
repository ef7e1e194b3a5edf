// A recursive-descent evaluator over double, exact for whole numbers up to 2^53.
#include "instrumentation/manifest/expression.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace wl::manifest {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53
constexpr int kDeepest = 200;                  // nested parentheses and signs

struct FunctionEntry {
    std::string_view name;
    size_t least, most;  // arguments
};
constexpr std::array kFunctions = {
    FunctionEntry{"min",      1, 16},
    FunctionEntry{"max",      1, 16},
    FunctionEntry{"ceil_div", 2, 2 },
    FunctionEntry{"abs",      1, 1 },
    FunctionEntry{"floor",    1, 1 },
    FunctionEntry{"ceil",     1, 1 },
    FunctionEntry{"sqrt",     1, 1 },
    FunctionEntry{"log2",     1, 1 },
    FunctionEntry{"int",      1, 1 },
    FunctionEntry{"float",    1, 1 },
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

struct Evaluator {
    const std::string& text;
    const std::map<std::string, double>& variables;
    const std::string& where;
    size_t at = 0;
    int depth = 0;
    bool cut = false;  // a quotient of whole numbers left a remainder
    bool live = true;  // false in the branch of ?:, && and || that is not taken: its divisions do not happen

    [[noreturn]] void fail(const std::string& message) const {
        throw Error(fmt::format("{}: {} in \"{}\".", where, message, text));
    }

    void skip_space() {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    }
    bool take(std::string_view token) {
        skip_space();
        if (text.compare(at, token.size(), token) != 0) return false;
        at += token.size();
        return true;
    }
    // Not as the beginning of a longer operator: < of << and <=, & of &&.
    bool take_alone(char token) {
        skip_space();
        if (at >= text.size() || text[at] != token) return false;
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (next == token || ((token == '<' || token == '>') && next == '=')) return false;
        ++at;
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) fail(fmt::format("expected \"{}\" at column {}", token, at + 1));
    }

    static Number made(double value, bool whole) { return {value, whole && std::abs(value) <= kExact}; }

    // Evaluates with `parse` as a branch that is taken or not.
    template <class Parse>
    Number branch(bool taken, const Parse& parse) {
        const bool before = live;
        live = live && taken;
        const Number result = parse();
        live = before;
        return result;
    }

    Number choice() {
        if (++depth > kDeepest) fail("too many nested parentheses");
        Number result = either();
        if (take("?")) {
            const bool yes = result.value != 0;
            const Number first = branch(yes, [&] { return choice(); });
            expect(":");
            const Number second = branch(!yes, [&] { return choice(); });
            result = yes ? first : second;
        }
        --depth;
        return result;
    }
    Number either() {
        Number left = both();
        while (take("||")) {
            const Number right = branch(left.value == 0, [&] { return both(); });
            left = {left.value != 0 || right.value != 0 ? 1.0 : 0.0, true};
        }
        return left;
    }
    Number both() {
        Number left = bit_or();
        while (take("&&")) {
            const Number right = branch(left.value != 0, [&] { return bit_or(); });
            left = {left.value != 0 && right.value != 0 ? 1.0 : 0.0, true};
        }
        return left;
    }
    // C's operators on bits, of 64 bits with a sign.
    template <class Apply>
    Number bits(Number left, Number right, const char* name, const Apply& apply) const {
        if (!live) return left;
        if (!left.whole || !right.whole) fail(fmt::format("{} takes whole numbers", name));
        return made(
            static_cast<double>(apply(static_cast<int64_t>(left.value), static_cast<int64_t>(right.value))),
            true
        );
    }
    Number bit_or() {
        Number left = bit_xor();
        while (take_alone('|')) left = bits(left, bit_xor(), "|", [](int64_t a, int64_t b) { return a | b; });
        return left;
    }
    Number bit_xor() {
        Number left = bit_and();
        while (take("^")) left = bits(left, bit_and(), "^", [](int64_t a, int64_t b) { return a ^ b; });
        return left;
    }
    Number bit_and() {
        Number left = equality();
        while (take_alone('&'))
            left = bits(left, equality(), "&", [](int64_t a, int64_t b) { return a & b; });
        return left;
    }
    Number equality() {
        Number left = comparison();
        while (true) {
            const bool equal = take("==");
            if (!equal && !take("!=")) return left;
            left = {(left.value == comparison().value) == equal ? 1.0 : 0.0, true};
        }
    }
    Number comparison() {
        Number left = shift();
        const auto answer = [](bool yes) { return Number{yes ? 1.0 : 0.0, true}; };
        while (true) {
            if (take("<="))
                left = answer(left.value <= shift().value);
            else if (take(">="))
                left = answer(left.value >= shift().value);
            else if (take_alone('<'))
                left = answer(left.value < shift().value);
            else if (take_alone('>'))
                left = answer(left.value > shift().value);
            else
                return left;
        }
    }
    Number shift() {
        Number left = sum();
        while (true) {
            const bool up = take("<<");
            if (!up && !take(">>")) return left;
            const Number by = sum();
            if (!live) continue;
            const bool fits = by.whole && by.value >= 0 && by.value < 64;
            if (!left.whole || !fits) fail("a shift takes whole numbers, and 0 to 63 bits");
            const double scaled = std::ldexp(left.value, static_cast<int>(up ? by.value : -by.value));
            left = made(std::floor(scaled), true);
        }
    }
    Number sum() {
        Number left = product();
        while (true) {
            const bool plus = take("+");
            if (!plus && !take("-")) return left;
            const Number right = product();
            left =
                made(plus ? left.value + right.value : left.value - right.value, left.whole && right.whole);
        }
    }
    Number product() {
        Number left = sign();
        while (true) {
            if (take("*")) {
                const Number right = sign();
                left = made(left.value * right.value, left.whole && right.whole);
            } else if (take("/")) {
                left = quotient(left, sign());
            } else if (take("%")) {
                const Number right = sign();
                if (live && right.value == 0) fail("division by zero");
                left = made(live ? std::fmod(left.value, right.value) : 0, left.whole && right.whole);
            } else {
                return left;
            }
        }
    }
    Number quotient(Number left, Number right) {
        if (!live) return left;
        if (right.value == 0) fail("division by zero");
        const bool whole = left.whole && right.whole;
        cut = cut || (whole && std::fmod(left.value, right.value) != 0);
        return made(whole ? std::trunc(left.value / right.value) : left.value / right.value, whole);
    }
    Number sign() {
        if (++depth > kDeepest) fail("too many signs");
        Number result;
        if (take("-")) {
            result = sign();
            result.value = -result.value;
        } else if (take("+")) {
            result = sign();
        } else if (take("~")) {
            result = sign();
            result = bits(result, result, "~", [](int64_t a, int64_t) { return ~a; });
        } else if (take("!")) {
            result = {sign().value == 0 ? 1.0 : 0.0, true};
        } else {
            result = primary();
        }
        --depth;
        return result;
    }
    Number primary() {
        if (take("(")) {
            const Number inside = choice();
            expect(")");
            return inside;
        }
        if (at == text.size()) fail("a value is missing at the end");
        if (starts_name(text[at])) return named();
        return literal();
    }
    Number literal() {
        double value = 0;
        const char* first = text.data() + at;
        const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
        if (error != std::errc() || end == first) fail(fmt::format("expected a value at column {}", at + 1));
        const std::string_view digits(first, static_cast<size_t>(end - first));
        at += digits.size();
        if (at < text.size() && starts_name(text[at]))
            fail(fmt::format("\"{}\" is followed by a letter", digits));
        return made(value, digits.find_first_of(".eE") == digits.npos);
    }
    Number named() {
        const size_t first = at;
        while (at < text.size() && continues_name(text[at])) ++at;
        const std::string name = text.substr(first, at - first);
        if (take("(")) return call(name);
        const auto found = variables.find(name);
        if (found == variables.end()) fail(unknown(name));
        return made(found->second, found->second == std::trunc(found->second));
    }
    std::string unknown(const std::string& name) const {
        std::vector<std::string> known;
        for (const auto& [variable, value] : variables) known.push_back(variable);
        for (const FunctionEntry& function : kFunctions) known.emplace_back(function.name);
        const bool divides = name == "cdiv" || name == "div_up" || name == "divup" || name == "ceildiv";
        const std::string nearest = divides ? "ceil_div" : nearest_word(name, known);
        return fmt::format(
            "unknown name \"{}\"{}", name, nearest.empty() ? "" : " (did you mean \"" + nearest + "\"?)"
        );
    }
    Number call(const std::string& name) {
        const auto* function =
            std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& f) { return f.name == name; });
        if (function == kFunctions.end()) fail(unknown(name));
        std::vector<Number> arguments;
        const bool cut_before = std::exchange(cut, false);
        do arguments.push_back(choice());
        while (take(","));
        expect(")");
        if (name == "ceil" && cut)
            fail(
                "ceil() is of a quotient of whole numbers, which leaves no fraction; ceil_div(a, b) rounds up"
            );
        cut = cut || cut_before;
        if (arguments.size() < function->least || arguments.size() > function->most)
            fail(fmt::format(
                "{}() takes {} argument{}, not {}",
                name,
                function->least,
                function->least == 1 ? "" : "s",
                arguments.size()
            ));
        return apply(name, arguments);
    }
    Number apply(const std::string& name, const std::vector<Number>& x) const {
        const auto less = [](Number a, Number b) { return a.value < b.value; };
        if (name == "min") return *std::min_element(x.begin(), x.end(), less);
        if (name == "max") return *std::max_element(x.begin(), x.end(), less);
        if (name == "int") return made(std::trunc(x[0].value), true);
        if (name == "float") return {x[0].value, false};
        if (name == "abs") return {std::abs(x[0].value), x[0].whole};
        if (name == "floor") return made(std::floor(x[0].value), true);
        if (name == "ceil") return made(std::ceil(x[0].value), true);
        if (name == "ceil_div") {
            if (!live) return x[0];
            if (!x[0].whole || !x[1].whole) fail("ceil_div() takes whole numbers");
            if (x[1].value == 0) fail("division by zero");
            return made(std::ceil(x[0].value / x[1].value), true);
        }
        const bool root = name == "sqrt";
        if (live && (root ? x[0].value < 0 : x[0].value <= 0))
            fail(fmt::format("{}({}) does not exist", name, x[0].value));
        return {root ? std::sqrt(x[0].value) : std::log2(x[0].value), false};
    }
};

}  // namespace

Number evaluate_number(
    const std::string& expression, const std::map<std::string, double>& variables, const std::string& where
) {
    Evaluator evaluator{expression, variables, where};
    const Number result = evaluator.choice();
    evaluator.skip_space();
    if (evaluator.at != expression.size())
        evaluator.fail(
            fmt::format("unexpected \"{}\" at column {}", expression[evaluator.at], evaluator.at + 1)
        );
    if (!std::isfinite(result.value)) evaluator.fail("the value is not finite");
    return result;
}

double evaluate(
    const std::string& expression, const std::map<std::string, double>& variables, const std::string& where
) {
    return evaluate_number(expression, variables, where).value;
}

int64_t evaluate_whole(
    const std::string& expression,
    const std::map<std::string, double>& variables,
    const std::string& where,
    int64_t least
) {
    const double value = evaluate(expression, variables, where);
    if (value != std::trunc(value) || std::abs(value) > kExact || value < static_cast<double>(least)) {
        const std::string shown = number_text(value);
        const std::string from = shown == expression ? "" : fmt::format(" (from \"{}\")", expression);
        const std::string bound = least == INT64_MIN ? "" : fmt::format(" of at least {}", least);
        throw Error(fmt::format("{} is {}{}; it must be a whole number{}.", where, shown, from, bound));
    }
    return static_cast<int64_t>(value);
}

bool is_identifier(const std::string& name) {
    const auto allowed = [](char c) { return continues_name(c) && c != '.'; };
    return !name.empty() && starts_name(name[0]) && std::all_of(name.begin(), name.end(), allowed);
}

bool is_function_name(const std::string& name) {
    return std::any_of(kFunctions.begin(), kFunctions.end(), [&](const auto& f) { return f.name == name; });
}

std::string number_text(double value) {
    if (value == std::trunc(value) && std::abs(value) <= kExact)
        return fmt::format("{}", static_cast<int64_t>(value));
    return fmt::format("{}", value);
}

}  // namespace wl::manifest

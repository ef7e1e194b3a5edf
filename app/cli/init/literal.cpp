// [lex.icon] and [lex.fcon] of C++.
#include "app/cli/init/literal.h"

#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace wl::app {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::optional<Literal> integer(const std::string& digits) {
    const bool hex = digits.starts_with("0x"), binary = digits.starts_with("0b");
    const bool octal = !hex && !binary && digits.size() > 1 && digits[0] == '0';
    int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(
        digits.data() + (hex || binary ? 2 : 0),
        end,
        value,
        hex          ? 16
            : binary ? 2
            : octal  ? 8
                     : 10
    );
    if (fault != std::errc() || stop != end) return std::nullopt;
    return Literal{std::to_string(value), false};
}

}  // namespace

std::optional<Literal> read_literal(const std::string& text, size_t& at) {
    std::string digits;
    for (; at < text.size(); ++at) {
        const char c = lower(text[at]);
        const bool exponent = (c == '+' || c == '-') && digits.ends_with('e') && !digits.starts_with("0x");
        if (!compile::is_word_char(c) && c != '.' && c != '\'' && !exponent) break;
        if (c != '\'') digits += c;
    }
    const bool hex = digits.starts_with("0x"), real = !hex && digits.find_first_of(".e") != digits.npos;
    const std::string_view suffixes = real ? "lf" : "ulz";
    while (!digits.empty() && suffixes.find(digits.back()) != suffixes.npos) digits.pop_back();
    if (digits.empty()) return std::nullopt;
    if (!real) return integer(digits);
    if (digits.ends_with('.')) digits += '0';
    if (digits.starts_with('.')) digits.insert(0, "0");
    if (digits.find_first_not_of("0123456789.e+-") != digits.npos) return std::nullopt;
    return Literal{digits, true};
}

}  // namespace wl::app

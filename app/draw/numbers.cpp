// printf's %g with the special values spelt as everywhere in WarpLens.
#include "app/draw/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace wl::app {

namespace {

std::string special(double value) {
    if (std::isnan(value)) return "NaN";
    return value > 0 ? "+Inf" : "-Inf";
}

std::string format(const char* pattern, int digits, double value) {
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(), text.size(), pattern, digits, value);
    return {text.data(), static_cast<size_t>(length)};
}

std::string without_leading_zero(std::string text) {
    const size_t zero = text.find('0');
    const bool leads = zero != std::string::npos && (zero == 0 || text[zero - 1] == '-') &&
        zero + 1 < text.size() && text[zero + 1] == '.';
    if (leads) text.erase(zero, 1);
    return text;
}

std::string short_exponent(std::string text) {  // 3e-05 -> 3e-5
    const size_t e = text.find('e');
    if (e == std::string::npos) return text;
    const bool negative = text[e + 1] == '-';
    size_t digit = e + 2;
    while (digit + 1 < text.size() && text[digit] == '0') ++digit;
    return text.substr(0, e + 1) + (negative ? "-" : "") + text.substr(digit);
}

}  // namespace

std::string number(double value, int digits) {
    return std::isfinite(value) ? format("%.*g", digits, value) : special(value);
}

std::string cell_number(double value, int characters) {
    if (!std::isfinite(value)) return special(value);
    if (value == std::trunc(value) && std::abs(value) < 1e6) {
        std::string whole = format("%.*f", 0, std::abs(value) > 0 ? value : 0);
        if (whole.size() <= static_cast<size_t>(characters)) return whole;
    }
    const auto room = static_cast<size_t>(characters);
    if (std::abs(value) >= 0.01 && std::abs(value) < 1e6) {
        for (int decimals = std::clamp(characters - 3, 4, 8); decimals >= 0; --decimals) {
            std::string text = without_leading_zero(format("%.*f", decimals, value));
            if (text.size() <= room && (decimals > 0 || std::abs(value) >= 10)) return text;
        }
        std::string whole = format("%.*f", 0, value);
        if (std::abs(value) >= 0.95 && whole.size() <= room) return whole;
    }
    for (int decimals = std::clamp(characters - 6, 2, 6); decimals >= 0; --decimals) {
        std::string text = short_exponent(format("%.*e", decimals, value));
        if (text.size() <= room) return text;
    }
    return "*";
}

std::string count_text(int64_t count) {
    std::string text = std::to_string(count);
    for (int at = static_cast<int>(text.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3)
        text.insert(static_cast<size_t>(at), " ");
    return text;
}

}  // namespace wl::app

// Numbers that somebody may have meant instead.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

namespace wl::diagnosis::rewrite {

namespace {

bool is_real(std::string_view w) {
    if (w.starts_with("0x") || w.starts_with("0X")) return false;
    return w.find_first_of(".eEfF") != std::string_view::npos;
}

std::string suffix_of(std::string_view w, std::string_view letters) {
    size_t at = w.size();
    while (at > 0 && letters.find(w[at - 1]) != std::string_view::npos) --at;
    return std::string(w.substr(at));
}

constexpr const char* kBound = "boundary_off_by_one";
constexpr int kShift = 8;  // its precedence

// One of the values in `Best best{0.0f, 0}` and `float m[2] = {0, 0}`.
bool is_first_value(const Writer& w, int k) {
    const bool alone = w.s.is(k - 1, "{") || w.s.is(k - 1, ",");
    return alone && w.s.is(bracket_before(w.s, k), "{") && (w.s.is(k + 1, ",") || w.s.is(k + 1, "}"));
}

const char* rule_of(const Writer& w, int k) {
    const std::string_view before = k > 0 ? w.s.word(k - 1) : "";
    const std::string_view behind = w.s.word(k + 1);
    const bool compared = before == "<" || before == "<=" || before == ">" || before == ">=" ||
        behind == "<" || behind == "<=" || behind == ">" || behind == ">=" || before == "==" ||
        before == "!=";
    if (compared) return kBound;
    const bool sets = (before == "=" || before == ":") && (behind == ";" || behind == "," || behind == ")");
    return sets || is_first_value(w, k) ? "wrong_initial_value" : "wrong_constant";
}

// A lane, or a distance of lanes.
bool is_in_shuffle(const Writer& w, int k) {
    for (int at = k; at > 0 && !w.s.is(at, ";") && !w.s.is(at, "{") && !w.s.is(at, "}"); --at)
        if (w.s.word(at).starts_with("__shfl")) return true;
    return false;
}

void add_whole(Writer& w, int k) {
    const std::string_view text = w.s.word(k);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const std::string suffix = suffix_of(text, "uUlL");
    const auto v = static_cast<int64_t>(std::strtoull(std::string(text).c_str(), nullptr, 0));
    std::vector<std::string> known = {std::string(text)};
    const auto other = [&](int cost, int64_t value) {
        if (value < 0 && (hex || !suffix.empty())) return;
        std::string now = (hex ? fmt::format("0x{:x}", value) : fmt::format("{}", value)) + suffix;
        if (std::find(known.begin(), known.end(), now) != known.end()) return;
        known.push_back(now);
        const char* const rule = rule_of(w, k);
        const bool far = rule == std::string_view(kBound) && value != v + 1 && value != v - 1;
        w.replace(far ? "wrong_constant" : rule, cost, k, k, now);
    };
    other(1, v + 1), other(1, v - 1);
    other(1, 2 * v);
    if (v % 2 == 0) other(1, v / 2);
    if (v > 0 && (v & (v + 1)) == 0) other(1, 2 * v + 1), other(1, v >> 1);  // a mask of so many bits
    other(2, 0), other(2, 1);
    if (v < 64) other(2, 2), other(2, 4);
    constexpr int64_t kAllLanes = 0xffffffff;
    if (hex) other(1, kAllLanes), other(2, v >> 4), other(2, (v << 4) | 0xf), other(2, v & 0xffff);
    if (v == 0 && suffix.find_first_of("uU") != suffix.npos)  // as checksums begin
        w.replace(rule_of(w, k), 1, k, k, "0xffffffff" + suffix);
    if (v < 32) other(2, v + 2), other(2, 3 * v), other(3, v - 2);
    if (k > 0 && precedence(w.s, k - 1) == kShift) other(1, 31), other(2, 16), other(2, 24);
    if (v > 2 && v % 2 != 0) other(2, (v + 1) / 2);
    for (const int64_t n : w.context.numbers) other(2, n), other(2, n - 1);
    if (is_in_shuffle(w, k)) other(1, 0), other(1, 31);
    for (const int64_t n : {8, 16, 32, 64, 128}) other(3, n);
}

void add_real(Writer& w, int k) {
    const std::string text(w.s.word(k));
    const std::string suffix = suffix_of(text, "fF");
    const double v = std::strtod(text.c_str(), nullptr);
    constexpr double kLog2E = 1.4426950408889634;
    std::vector<double> known = {v};
    const auto other = [&](int cost, double value) {
        if (!std::isfinite(value) || std::find(known.begin(), known.end(), value) != known.end()) return;
        known.push_back(value);
        std::string now = fmt::format("{}", value);
        if (now.find_first_of(".e") == now.npos) now += ".0";
        w.replace(rule_of(w, k), cost, k, k, now + suffix);
    };
    other(1, 0), other(1, 1), other(1, -v);
    for (const double value :
         {2 * v, v / 2, 1 / v, v + 1, v - 1, v * v, std::sqrt(v), v * kLog2E, v / kLog2E})
        other(2, value);
    for (const double value : {0.5, 2.0, 10 * v, v / 10, 100 * v, v / 100, 3.0, 127.0, 255.0})
        other(2, value);
    const bool sets = rule_of(w, k) == std::string_view("wrong_initial_value");
    if (sets) {
        w.replace("wrong_initial_value", 1, k, k, "-__int_as_float(0x7f800000)");
        w.replace("wrong_initial_value", 2, k, k, "-3.4e38f");
        w.replace("wrong_initial_value", 2, k, k, "__int_as_float(0x7f800000)");
    }
}

}  // namespace

void add_numbers(Writer& w) {
    std::vector<bool> in_body(w.s.tokens.size());
    for (const Body& b : w.s.bodies) std::fill(in_body.begin() + b.open, in_body.begin() + b.close, true);
    const auto visit = [&](int k) {
        if (w.s.at(k).kind != Token::Kind::number || k == 0 || k + 1 >= w.s.count()) return;
        is_real(w.s.word(k)) ? add_real(w, k) : add_whole(w, k);
    };
    for (int k = 0; k < w.s.count(); ++k) {
        // Of the preprocessor's lines `#define NAME 16` alone.
        const int line = w.s.at(k).line;
        const bool defined =
            k >= 3 && w.s.is(k - 3, "#") && w.s.is(k - 2, "define") && w.s.at(k - 3).line == line;
        if (!in_body[static_cast<size_t>(k)] && (!w.s.at(k).directive || defined)) visit(k);
    }
    for_each_token(w, [&](int k, const Body&) { visit(k); });
}

}  // namespace wl::diagnosis::rewrite

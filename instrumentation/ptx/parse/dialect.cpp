// Three rules: approximations before PTX 1.4, single precision on sm_1x, multiply-add without a rounding.
#include "instrumentation/ptx/parse/dialect.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace wl::ptx {
namespace {

constexpr int kExplicit = 14;       // from here on .approx, .full and roundings are spelt out
constexpr int kRoundedMad = 32;     // from here on mad.f32 needs its rounding on sm_20 and later
constexpr int kWideFlushless = 14;  // up to here cvt from or to 64 bits leaves subnormals alone

using Words = std::vector<std::string_view>;

Words split(std::string_view mnemonic) {
    Words words;
    for (size_t begin = 0; begin <= mnemonic.size();) {
        const size_t end = std::min(mnemonic.find('.', begin), mnemonic.size());
        words.push_back(mnemonic.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

template <size_t n>
bool among(std::string_view word, const std::array<std::string_view, n>& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool has(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool says_how(const Words& words) {
    constexpr std::array<std::string_view, 6> kHow = {"approx", "full", "rn", "rz", "rm", "rp"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return among(w, kHow); });
}

// What PTX 1.0 to 1.3 means by an instruction that is computed in more than one way today.
std::string_view unsaid(const Words& words) {
    constexpr std::array<std::string_view, 8> kWays = {
        "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"};
    const std::string_view op = words.front(), type = words.back();
    if (says_how(words)) return {};
    if (type == "f32") return among(op, kWays) ? ".approx.ftz" : "";
    if (type != "f64") return {};
    if (op == "rsqrt") return ".approx";
    return op == "div" || op == "rcp" || op == "sqrt" || op == "mad" ? ".rn" : "";
}

// Whether sm_1x reads subnormal singles as zeros and writes zeros for them.
bool flushes(const Words& words, int version) {
    constexpr std::array<std::string_view, 20> kSingles = {
        "add", "sub", "mul", "mad", "div", "rcp", "sqrt", "rsqrt", "sin",  "cos",
        "lg2", "ex2", "abs", "neg", "min", "max", "set",  "setp",  "slct", "cvt"};
    constexpr std::array<std::string_view, 3> kWide = {"f64", "s64", "u64"};
    if (has(words, "ftz") || !among(words.front(), kSingles)) return false;
    const std::string_view to = words.size() > 2 ? words[words.size() - 2] : "", from = words.back();
    if (words.front() != "cvt") return from == "f32";
    if (version <= kWideFlushless && (among(to, kWide) || among(from, kWide))) return false;
    return from == "f32" || (to == "f32" && from == "f64");  // no subnormal single comes of other types
}

int number(std::string_view digits) {
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() && value < 1000 ? value : -1;
}

}  // namespace

Dialect dialect_of(std::string_view version, std::string_view target) {
    Dialect dialect;
    const size_t dot = std::min(version.find('.'), version.size());
    const int major = number(version.substr(0, dot));
    const int minor = dot < version.size() ? number(version.substr(dot + 1)) : 0;
    if (major >= 0 && minor >= 0) dialect.version = 10 * major + minor;
    constexpr std::array<std::string_view, 4> kFirst = {"sm_10", "sm_11", "sm_12", "sm_13"};
    dialect.first_devices = among(target, kFirst);
    return dialect;
}

std::string spelt_out(const Dialect& dialect, std::string_view mnemonic) {
    if (dialect.version >= kRoundedMad && !dialect.first_devices) return std::string(mnemonic);
    const Words words = split(mnemonic);
    std::string said;
    if (dialect.version < kExplicit) said = unsaid(words);
    const bool bare_mad = words.front() == "mad" && words.back() == "f32" && !says_how(words);
    if (bare_mad && (dialect.first_devices || dialect.version < kRoundedMad)) said = ".rn";
    if (dialect.first_devices && !said.ends_with(".ftz") && flushes(words, dialect.version)) said += ".ftz";
    return std::string(words.front()) + said + std::string(mnemonic.substr(words.front().size()));
}

}  // namespace wl::ptx

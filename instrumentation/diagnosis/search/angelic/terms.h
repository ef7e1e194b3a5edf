// Expressions of what is at hand as they are written, and what they come to: for one place or for many.
#pragma once

#include <array>
#include <cmath>
#include <string>

namespace wl::diagnosis {

struct TermText {
    std::string text;
    int score = 2;        // of operands and functions
    bool holds = false;   // what stands there now
    bool product = true;  // binds tighter than + and -
    bool single = true;   // one operand
    bool number = false;  // written as one
};

struct Function {
    const char* text;
    double (*of)(double);
    int score;  // the rarer, the dearer
};
inline constexpr std::array kFunctions = {
    Function{"expf({})",    [](double v) { return std::exp(v); },      3},
    Function{"expf(-({}))", [](double v) { return std::exp(-v); },     3},
    Function{"sqrtf({})",   [](double v) { return std::sqrt(v); },     3},
    Function{"fabsf({})",   [](double v) { return std::fabs(v); },     4},
    Function{"logf({})",    [](double v) { return std::log(v); },      5},
    Function{"rsqrtf({})",  [](double v) { return 1 / std::sqrt(v); }, 6},
    Function{"tanhf({})",   [](double v) { return std::tanh(v); },     7}
};
TermText function_of(const Function& function, const TermText& of);

inline constexpr char kLeast = '<', kMost = '>';  // fminf, fmaxf
inline constexpr std::array<char, 6> kSigns = {'+', '-', '*', '/', kLeast, kMost};
inline double joined(char sign, double a, double b) {
    switch (sign) {
        case '+': return a + b;
        case '-': return a - b;
        case '*': return a * b;
        case '/': return a / b;
        default: return sign == kLeast ? std::fmin(a, b) : std::fmax(a, b);
    }
}
TermText joined(char sign, const TermText& a, const TermText& b);
inline bool is_ordered(char sign) { return sign == '-' || sign == '/'; }  // `a - b` is not `b - a`

// "n" of "float(n)"; empty: no whole number.
std::string whole_name(const std::string& text);

// Comparisons of two things at hand.
struct Comparison {
    const char* text;
    bool (*holds)(double, double);
};
inline constexpr std::array kComparisons = {
    Comparison{"==", [](double a, double b) { return a == b; }},
    Comparison{"<",  [](double a, double b) { return a < b; } },
    Comparison{">=", [](double a, double b) { return a >= b; }},
    Comparison{"!=", [](double a, double b) { return a != b; }}
};

}  // namespace wl::diagnosis

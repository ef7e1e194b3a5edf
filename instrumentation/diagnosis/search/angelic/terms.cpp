// How joined terms are written.
#include "instrumentation/diagnosis/search/angelic/terms.h"

#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

std::string in_brackets(const TermText& t) { return t.product ? t.text : "(" + t.text + ")"; }

}  // namespace

std::string whole_name(const std::string& text) {
    const bool whole = text.starts_with("float(") && text.find('(', 6) == text.npos;
    return whole ? text.substr(6, text.size() - 7) : "";
}

TermText function_of(const Function& function, const TermText& of) {
    TermText out = of;
    out.text = fmt::format(fmt::runtime(function.text), of.text);
    out.score += function.score, out.product = out.single = true;
    return out;
}

TermText joined(char sign, const TermText& a, const TermText& b) {
    TermText out;
    constexpr int kCall = 2;  // a score
    const bool call = sign == kLeast || sign == kMost, sum = sign == '+' || sign == '-';
    const bool bracket = is_ordered(sign) && !b.single;
    const std::string left = sum ? a.text : in_brackets(a);
    std::string other = sum ? b.text : in_brackets(b);
    if (bracket && (sum || b.product)) other = "(" + other + ")";
    out.text = call ? fmt::format("{}({}, {})", sign == kLeast ? "fminf" : "fmaxf", a.text, b.text)
                    : fmt::format("{} {} {}", left, sign, other);
    out.score = a.score + b.score + (call ? kCall : 0), out.holds = a.holds || b.holds;
    out.product = !sum, out.single = call;
    return out;
}

}  // namespace wl::diagnosis

// `(n + 3) & ~3` of `n`, `1ull << j` of `1 << j`, `double x = a * b` of `float x = float(a) * float(b)`.
#include "instrumentation/diagnosis/rewrite/several/rounds.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// How much a thread or block takes, where several elements are read at once.
void round_up(Writer& w, const Statement& st) {
    const int sets = st.word == "return" ? st.first : assignment_of(w.s, st), last = st.last - 1;
    if (sets < 0 || sets >= last + 1 || end_of_expression(w.s, sets + 1) != last) return;
    const Variable* const v = variable_at(w.s, sets + 1);
    const bool share = says(w.s, sets + 1, last, "/") ||
        (v != nullptr && sets + 1 == last && is_whole(*v) &&
         says(w.s, v->from, end_of_expression(w.s, v->from + 2), "/"));
    if (!share || holds_real(w.s, sets + 1, last)) return;
    const std::string text = w.s.words(sets + 1, last), e = in_brackets(w.s, sets + 1, last);
    for (const int n : {4, 2, 8, 16}) {
        const std::string more = fmt::format("({} + {})", text, n - 1);
        put(w, n == 4 ? kTelling : kRare, "misaligned", sets + 1, last, fmt::format("{} & ~{}", more, n - 1));
    }
    put(w, kRare, "misaligned", sets + 1, last, e + " / 4 * 4");
}

// `dim + 4` of `dim + 1`: rows that are padded by whole vectors.
void pad_whole(Writer& w, const Variable& v) {
    constexpr int kMost = 8;  // tokens
    if (!v.constant || !is_whole(v) || !w.s.is(v.from + 1, "=") || !w.is_near(v.from)) return;
    const int last = std::min(end_of_expression(w.s, v.from + 2), v.from + kMost);
    for (int k = v.from + 3; k <= last; ++k)
        if (w.s.is(k - 1, "+") && w.s.at(k).kind == Token::Kind::number)
            for (const char* by : {"4", "8", "2"}) put(w, kTelling, "misaligned", k, k, by);
}

// `t & ~3` and `lane & 28` of `t & 3`: of groups which, not where in one.
void take_group(Writer& w, int k) {
    constexpr unsigned kLanes = 31;
    if (!w.s.is(k, "&") || precedence(w.s, k) == 0 || w.s.at(k + 1).kind != Token::Kind::number) return;
    const std::string number(w.s.word(k + 1));
    const auto mask = std::strtoul(number.c_str(), nullptr, 0);
    if (mask == 0 || mask >= kLanes || (mask & (mask + 1)) != 0) return;
    put(w, kRare, "wrong_constant", k + 1, k + 1, std::to_string(kLanes & ~mask));
    put(w, kRare, "wrong_constant", k + 1, k + 1, "~" + number);
}

// Before it is moved out of its type.
void shift_wide(Writer& w, int k) {
    if (!w.s.is(k, "<<") || precedence(w.s, k) == 0 || w.s.at(k - 1).kind != Token::Kind::number) return;
    std::string number(w.s.word(k - 1));
    if (number.find_first_of("lL") != number.npos) return;
    number.erase(std::min(number.find_first_of("uU"), number.size()));
    put(w, kTelling, "overflow", k - 1, k - 1, number + "ull");
}

bool is_double(const Source& s, int k) {
    const Variable* const v = variable_at(s, k);
    return v != nullptr && v->type == "double" && v->indirections == 0;
}

constexpr std::array<std::string_view, 8> kFloats = {
    "rintf", "floorf", "ceilf", "truncf", "roundf", "fmodf", "sinf", "cosf"};

// Edits that leave doubles as they are in what the statement says: without conversions to float.
void keep_wide(const Source& s, const Statement& st, std::vector<Edit>& out) {
    for (int k = st.first; k + 4 < st.last; ++k) {
        const bool cast =
            s.is(k, "static_cast") && s.is(k + 1, "<") && s.is(k + 2, "float") && s.is(k + 3, ">");
        const int open = cast ? k + 4 : s.is(k, "float") && s.is(k + 1, "(") ? k + 1 : -1;
        if (open < 0 || !s.is(open, "(") || s.at(open).match < 0) continue;
        out.push_back({s.at(k).begin, s.at(open).begin - s.at(k).begin, ""});
    }
}

// A float that is made of doubles, and what is made of it before it is one again.
void stay_double(Writer& w, const Body& body, const Statement& st) {
    const Source& s = w.s;
    const int type = s.is(st.first, "const") ? st.first + 1 : st.first, name = type + 1;
    if (!s.is(type, "float") || !s.is(name + 1, "=")) return;
    bool of_doubles = false;
    for (int k = name + 2; k < st.last; ++k) of_doubles = of_doubles || is_double(s, k);
    if (!of_doubles) return;
    Rewrite r{"precision", 2, "float", "double", s.at(type).line, {}};
    r.edits.push_back({s.at(type).begin, s.at(type).end - s.at(type).begin, "double"});
    keep_wide(s, st, r.edits);
    for (const Statement& other : body.statements) {
        if (other.first <= st.first) continue;
        for (int k = other.first; k < other.last; ++k) {
            const bool narrow = std::find(kFloats.begin(), kFloats.end(), s.word(k)) != kFloats.end();
            if (!narrow || !s.is(k + 1, "(") || s.word(k + 2) != s.word(name)) continue;
            r.edits.push_back({s.at(k).end - 1, 1, ""});
            r.besides.push_back(
                {std::string(s.word(k)), std::string(s.word(k).substr(0, s.word(k).size() - 1)), s.at(k).line}
            );
        }
    }
    r.bias = kTelling;
    w.add(std::move(r));
}

}  // namespace

void add_rounds(Writer& w) {
    const bool vectors = w.s.code.find("reinterpret_cast") != std::string::npos;
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st) || !w.is_near(st.first)) continue;
            if (vectors) round_up(w, st);
            stay_double(w, body, st);
        }
    for (const Variable& v : w.s.variables)
        if (vectors) pad_whole(w, v);
    for_each_token(w, [&](int k, const Body&) {
        if (w.is_near(k)) shift_wide(w, k), take_group(w, k);
    });
}

}  // namespace wl::diagnosis::rewrite

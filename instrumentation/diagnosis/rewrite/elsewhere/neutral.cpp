// What a search for the least or the most begins with: a number that every other one replaces.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// `min`, `fmaxf`, `atomicMax`, `__reduce_min_sync`, an own `MinOp`.
bool names_order(std::string_view word) {
    for (const std::string_view part : {"min", "max", "Min", "Max", "MIN", "MAX", "least", "most", "best"})
        if (word.find(part) != word.npos) return true;
    return false;
}

bool orders(const Source& s, const Body& body) {
    for (int k = body.open; k < body.close; ++k)
        if (s.at(k).kind == Token::Kind::word && names_order(s.word(k))) return true;
    return false;
}

// A number that is all of a value: of `= 0;`, of `c ? x : 0`, an argument.
bool is_value(const Source& s, int k) {
    const auto any = [&](int at, std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), s.word(at)) != words.end();
    };
    return s.at(k).kind == Token::Kind::number && any(k - 1, {"=", "?", ":", "(", ",", "return"}) &&
        any(k + 1, {";", ":", ",", ")"});
}

// The variable that begins with it, the array that is read where it is not taken.
bool is_real_there(const Source& s, const Statement& st, int k) {
    return s.word(k).find('.') != std::string_view::npos || holds_real(s, st.first, st.last);
}

}  // namespace

void add_neutral(Writer& w) {
    static const std::vector<std::string> kWhole = {"2147483647", "(-2147483647 - 1)"},
                                          kReal = {
                                              "__int_as_float(0x7f800000)", "-__int_as_float(0x7f800000)"};
    for (const Body& body : w.s.bodies) {
        if (!orders(w.s, body)) continue;
        for (int k = body.open + 1; k < body.close; ++k) {
            if (w.s.at(k).directive || !w.is_near(k) || !is_value(w.s, k)) continue;
            const Statement* const st = statement_of(body, k);
            if (st == nullptr || st->word == "for" || is_mark(w.s, *st)) continue;
            for (const std::string& now : is_real_there(w.s, *st, k) ? kReal : kWhole)
                w.replace("wrong_initial_value", 1, k, k, now);
        }
    }
}

}  // namespace wl::diagnosis::rewrite

// `a + b + delta * n` of `a + b`, where `delta * delta * n` stands nearby: a term of a neighbour, some of its
// factors left out.
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kLeast = 3, kMost = 7;  // factors of a term
constexpr int kReach = 8;                // lines
constexpr size_t kMostTerms = 64;        // for one statement

// The factors of the product that begins there; none where it is a quotient, or holds no `*`.
std::vector<std::string> factors_from(const Source& s, int first) {
    std::vector<std::string> out;
    int from = first;
    for (int k = first; k < s.count(); ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) {
            k = s.at(k).match;
            continue;
        }
        const int p = precedence(s, k);
        const bool ends = s.is(k, ";") || s.is(k, ",") || is_closing(s.word(k)) || (p > 0 && p < 10);
        if (!ends && p != 10) continue;
        if (k == from || (p == 10 && !s.is(k, "*"))) return {};
        out.push_back(s.words(from, k - 1));
        from = k + 1;
        if (ends) break;
    }
    return out;
}

// Fewer factors left out first; of each text once.
std::vector<std::string> products_of(const std::vector<std::string>& factors) {
    std::vector<std::string> out;
    const auto all = static_cast<unsigned>(factors.size());
    for (unsigned left_out = 1; left_out + 2 <= all; ++left_out)
        for (unsigned mask = 1; mask < 1u << all; ++mask) {
            if (std::popcount(mask) != static_cast<int>(all - left_out)) continue;
            std::string text;
            for (unsigned k = 0; k < all; ++k)
                if ((mask >> k & 1) != 0) text += (text.empty() ? "" : " * ") + factors[k];
            if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
        }
    return out;
}

void add_terms_to(Writer& w, const Body& body, const Statement& st) {
    const int sets = assignment_of(w.s, st);
    const bool sum = w.s.is(sets, "=") || w.s.is(sets, "+=") || w.s.is(sets, "-=");
    if (!sum || !w.s.is(st.last, ";") || !holds_real(w.s, st.first, st.last - 1)) return;
    const int line = w.s.at(st.first).line;
    const std::string text = w.s.words(sets + 1, st.last - 1);
    size_t put = 0;
    for (int k = body.open + 1; k < body.close && put < kMostTerms; ++k) {
        const bool begins =
            w.s.is(k, "=") || w.s.is(k, "+") || w.s.is(k, "+=") || w.s.is(k, "-") || w.s.is(k, "-=");
        const bool close = std::abs(w.s.at(k).line - line) <= kReach && (k < st.first || k > st.last);
        if (!begins || !close) continue;
        const std::vector<std::string> factors = factors_from(w.s, k + 1);
        if (factors.size() < kLeast || factors.size() > kMost) continue;
        std::string whole;
        for (const std::string& f : factors) whole += f + " ";
        if (!all_known(w.s, k + 1, whole, st.first)) continue;
        for (const std::string& term : products_of(factors)) {
            if (text.find(term) != text.npos || ++put > kMostTerms) continue;
            w.replace("partial_reduction", 3, sets + 1, st.last - 1, fmt::format("{} + {}", text, term));
        }
    }
}

}  // namespace

void add_subterms(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (st.word.empty() && w.is_near(st.first) && !is_mark(w.s, st)) add_terms_to(w, body, st);
}

}  // namespace wl::diagnosis::rewrite

// Other variables, axes, functions and types.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr std::array<std::string_view, 4> kIndices = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
bool is_index(std::string_view w) { return std::find(kIndices.begin(), kIndices.end(), w) != kIndices.end(); }
bool is_axis(std::string_view w) { return w == "x" || w == "y" || w == "z" || w == "w"; }

// The last token of `grid.size()`, which is a whole number; -1: it is none.
int end_of_count(const Source& s, int k) {
    static constexpr std::array<std::string_view, 7> kCounts = {
        "size",
        "thread_rank",
        "num_threads",
        "num_blocks",
        "block_rank",
        "meta_group_rank",
        "meta_group_size"};
    const bool call = s.at(k).kind == Token::Kind::word && k + 4 < s.count() && s.is(k + 1, ".") &&
        s.is(k + 3, "(") && s.is(k + 4, ")");
    return call && std::find(kCounts.begin(), kCounts.end(), s.word(k + 2)) != kCounts.end() ? k + 4 : -1;
}

// Those that the function asks for, each once.
std::vector<std::string> counts_of(const Source& s, const Body& body, int here) {
    std::vector<std::string> out;
    for (int k = body.open; k < body.close; ++k) {
        const int end = end_of_count(s, k);
        const Variable* const group = end < 0 ? nullptr : variable_at(s, k);
        if (group == nullptr || group->from >= here) continue;
        const std::string text = s.words(k, end);
        if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    }
    return out;
}

// `i += grid.size()` for `i += blockDim.x`, and the other way round.
void add_counts(Writer& w, const Body& body, int k) {
    const bool axis = is_axis(w.s.word(k)) && w.s.is(k - 1, ".") && is_index(w.s.word(k - 2));
    const int first = axis ? k - 2 : k, last = axis ? k : std::max(k, end_of_count(w.s, k));
    const Variable* const v = variable_at(w.s, k);
    const bool number = v != nullptr && is_whole(*v) && v->from != k;
    if (!axis && last == k && (!number || w.s.word(k + 1).ends_with('='))) return;
    const std::string text = w.s.words(first, last);
    for (const std::string& other : counts_of(w.s, body, first))
        if (other != text) w.replace("wrong_index", 2, first, last, other);
    if (axis || last == k) return;
    for (const Variable* u : visible(w.s, k))
        if (is_whole(*u)) w.replace("wrong_index", 2, first, last, u->name);
    for (const char* other : {"threadIdx.x", "blockIdx.x", "blockDim.x", "gridDim.x"})
        w.replace("wrong_index", 2, first, last, other);
}

void add_axes(Writer& w, int k) {
    const std::string_view name = w.s.word(k);
    if (!is_axis(name) || !w.s.is(k - 1, ".")) return;
    const bool index = is_index(w.s.word(k - 2));
    for (const std::string_view axis : {"x", "y", "z", "w"})
        if (axis != name && (axis != "w" || !index))
            w.replace("wrong_index", axis == "z" ? 2 : 1, k, k, std::string(axis));
    for (const std::string_view other : kIndices)
        if (index && other != w.s.word(k - 2))
            w.replace("wrong_index", 2, k - 2, k, std::string(other) + "." + std::string(name));
    if (!index) return;
    for (const Variable* v : visible(w.s, k))
        if (is_whole(*v)) w.replace("wrong_index", v->of_file ? 3 : 2, k - 2, k, v->name);
}

// An extent: given, or computed of what is; not where a thread or a block is.
bool is_extent(const Source& s, const Variable& v) {
    if (v.parameter || v.of_file || v.from < 0) return true;
    if (!v.constant || !s.is(v.from + 1, "=")) return false;
    for (int k = v.from + 2; k < s.count() && !s.is(k, ";"); ++k)
        if (s.is(k, "threadIdx") || s.is(k, "blockIdx")) return false;
    return true;
}

bool is_factor(const Source& s, int k) {
    const auto joins = [&](int at) {
        return (s.is(at, "*") || s.is(at, "/") || s.is(at, "%")) && precedence(s, at) > 0;
    };
    return joins(k - 1) || joins(k + 1);
}

// Somewhere in the file rows are so long.
bool is_factor_somewhere(const Source& s, const Variable& v) {
    for (int k = v.from + 1; k < std::min(v.to, s.count() - 1); ++k)
        if (s.is(k, v.name) && is_factor(s, k)) return true;
    return false;
}

void add_variables(Writer& w, int k) {
    const Variable* const own = variable_at(w.s, k);
    if (own == nullptr) return;
    const bool written = w.s.is(k + 1, "=") || w.s.is(k + 1, "+=");
    for (const Variable* v : visible(w.s, k)) {
        if (v->name == own->name || !alike(*v, *own) || (written && v->constant)) continue;
        const char* rule =
            own->indirections > 0 || own->kind == ValueKind::real ? "wrong_operand" : "wrong_index";
        w.replace(rule, v->of_file && !own->of_file ? 3 : 2, k, k, v->name);
        // An extent is mostly taken for an extent, and an index for an index.
        constexpr int kSameRole = 8;
        const bool whole = is_whole(*own);
        if (whole) w.out.back().bias = is_extent(w.s, *v) == is_extent(w.s, *own) ? kSameRole : -kSameRole;
        constexpr int kAlsoFactor = 30;
        const bool row = whole && v->of_file && !own->of_file && is_factor(w.s, k);
        if (row && is_factor_somewhere(w.s, *v)) w.out.back().bias += kAlsoFactor;
    }
    if (own->kind != ValueKind::whole || own->indirections > 0) return;
    for (const std::string_view index : kIndices)
        for (const std::string_view axis : {"x", "y"})
            w.replace("wrong_index", 3, k, k, fmt::format("{}.{}", index, axis));
}

// In one statement: wherever a stands b is put, and the other way round.
void exchange_all(Writer& w, const Statement& st, const std::string& a, const std::string& b) {
    Rewrite r{"wrong_index", 2, a + ", " + b, b + ", " + a, w.s.at(st.first).line, {}};
    int of_a = 0, of_b = 0;
    for (int k = st.first; k <= st.last; ++k) {
        const bool is_a = w.s.is(k, a), is_b = w.s.is(k, b);
        const bool member = w.s.is(k - 1, ".") && !(is_axis(a) && is_index(w.s.word(k - 2)));
        if ((!is_a && !is_b) || member || w.s.at(k).kind != Token::Kind::word) continue;
        if (is_axis(a) && !w.s.is(k - 1, ".")) continue;
        ++(is_a ? of_a : of_b);
        if (of_a + of_b == 1) r.line = w.s.at(k).line;
        r.edits.push_back({w.s.at(k).begin, w.s.word(k).size(), is_a ? b : a});
    }
    if (of_a > 0 && of_b > 0) w.add(std::move(r));
}

std::vector<const Variable*> variables_of(const Writer& w, const Statement& st) {
    std::vector<const Variable*> out;
    for (int k = st.first; k <= st.last; ++k) {
        const Variable* const v = variable_at(w.s, k);
        if (v != nullptr && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
    }
    return out;
}

// `gx = p[0], gy = p[1]` of `gy = p[0], gx = p[1]`: what one statement declares.
void exchange_declared(Writer& w, const Statement& st) {
    std::vector<const Variable*> all;
    for (const Variable& v : w.s.variables)
        if (v.from >= st.first && v.from <= st.last && !is_member(v)) all.push_back(&v);
    for (size_t a = 0; a < all.size(); ++a)
        for (size_t b = a + 1; b < all.size(); ++b) {
            if (!alike(*all[a], *all[b])) continue;
            Rewrite r{"wrong_index", 2, "", "", w.s.at(st.first).line, {}};
            r.was = all[a]->name + ", " + all[b]->name, r.now = all[b]->name + ", " + all[a]->name;
            for (const auto& [v, other] : {
                     std::pair(all[a], all[b]), {all[b], all[a]}
            })
                r.edits.push_back({w.s.at(v->from).begin, v->name.size(), other->name});
            std::sort(r.edits.begin(), r.edits.end(), [](const Edit& x, const Edit& y) {
                return x.begin < y.begin;
            });
            w.add(std::move(r));
        }
}

// Of a statement that names one of them elsewhere as well: `row * k + k0` of `row * k0 + k`.
void exchange_near(Writer& w, const Statement& st) {
    constexpr int kReach = 6;  // tokens
    const auto named = [&](const Variable* v) {
        int n = 0;
        for (int k = st.first; k <= st.last; ++k) n += variable_at(w.s, k) == v ? 1 : 0;
        return n;
    };
    for (int a = st.first; a < st.last; ++a) {
        const Variable* const u = variable_at(w.s, a);
        if (u == nullptr || u->from == a || !is_whole(*u)) continue;
        for (int b = a + 2; b <= std::min(a + kReach, st.last); ++b) {
            const std::string_view sign = w.s.word(b - 1);
            if (is_opening(sign) || is_closing(sign) || sign == "," || sign == ";") break;
            const Variable* const v = variable_at(w.s, b);
            if (v == nullptr || v == u || v->from == b || !is_whole(*v)) continue;
            const bool same = b == a + 2 &&
                (sign == "*" || (sign == "+" && precedence(w.s, a - 1) < 9 && precedence(w.s, b + 1) < 10));
            if (same || named(u) + named(v) == 2) continue;
            const std::string middle = b > a + 2 ? w.s.words(a + 1, b - 1) : std::string(sign);
            w.replace("wrong_index", 1, a, b, fmt::format("{} {} {}", v->name, middle, u->name));
        }
    }
}

// `f(a, b)`: neighbours exchanged.
void exchange_neighbours(Writer& w, int k) {
    if (!w.s.is(k, "(") || w.s.at(k).match < 0 || k == 0 || w.s.at(k - 1).kind != Token::Kind::word) return;
    if (w.s.is(k - 1, "if") || w.s.is(k - 1, "for") || w.s.is(k - 1, "while")) return;
    const std::vector<Span> arguments = arguments_of(w.s, k);
    for (size_t a = 0; a + 1 < arguments.size(); ++a) {
        const auto& [f, l] = arguments[a];
        const auto& [f2, l2] = arguments[a + 1];
        w.replace("wrong_operand", 2, f, l2, w.s.words(f2, l2) + ", " + w.s.words(f, l));
    }
}

}  // namespace

void add_names(Writer& w) {
    const Pass& rows = pass_of("names");
    for_each_token(w, [&](int k, const Body& body) {
        if (w.s.at(k).kind != Token::Kind::word) return;
        add_axes(w, k);
        add_counts(w, body, k);
        add_variables(w, k);
        try_rows(w, rows, k, body);
    });
}

void add_exchanges(Writer& w) {
    const Pass& rows = pass_of("exchanges");
    constexpr size_t kMost = 14;
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st)) continue;
            const std::vector<const Variable*> all = variables_of(w, st);
            for (size_t a = 0; a < std::min(all.size(), kMost); ++a)
                for (size_t b = a + 1; b < std::min(all.size(), kMost); ++b)
                    if (alike(*all[a], *all[b])) exchange_all(w, st, all[a]->name, all[b]->name);
            exchange_all(w, st, "x", "y");
            exchange_near(w, st);
            if (st.word.empty()) exchange_declared(w, st);
        }
    for_each_token(w, [&](int k, const Body& body) {
        try_rows(w, rows, k, body), exchange_neighbours(w, k);
    });
}

}  // namespace wl::diagnosis::rewrite

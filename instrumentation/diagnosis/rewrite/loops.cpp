// Work that threads do once and should do as often as there is some; sums that several add to.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

// The text from `from` to `to` with another name wherever the words of `was` stand in a row.
std::string with_index(const Source& s, const Span& was, const char* now, int from, int to) {
    std::string out;
    size_t at = s.at(from).begin;
    const int length = was.last - was.first + 1;
    for (int k = from; k + length - 1 <= to; ++k) {
        bool same = !s.is(k - 1, ".");
        for (int n = 0; n < length && same; ++n) same = s.word(k + n) == s.word(was.first + n);
        if (!same) continue;
        out += s.text.substr(at, s.at(k).begin - at) + now;
        at = s.at(k + length - 1).end;
        k += length - 1;
    }
    return out + s.text.substr(at, s.at(to).end - at);
}

bool says(const Source& s, int from, int to, std::string_view word) {
    for (int k = from; k <= to; ++k)
        if (s.is(k, word)) return true;
    return false;
}

// How far apart the elements of one thread lie, by what its first one is.
std::vector<std::string> strides_of(const Source& s, const Span& index) {
    int from = index.first, to = index.last;
    if (const Variable* const v = variable_at(s, index.first);
        v != nullptr && from == to && s.is(v->from + 1, "="))
        from = v->from, to = end_of_expression(s, v->from + 2);
    if (says(s, from, to, "blockIdx")) return {"gridDim.x * blockDim.x"};
    if (says(s, from, to, "threadIdx") && !says(s, from, to, "%") && !says(s, from, to, "&"))
        return {says(s, from, to, "y") ? "blockDim.y" : "blockDim.x"};
    return {"32", "blockDim.x"};
}

// `if (t < n) a[t] = b[t];` where there are more elements than threads.
void repeat(Writer& w, const Statement& st) {
    if (st.word != "if" || !w.s.is(st.first + 1, "(") || w.s.is(st.body_last + 1, "else")) return;
    const int first = st.first + 2, last = st.last - 1;
    int less = -1;
    for (int k = first; k <= last; ++k) {
        const int p = precedence(w.s, k);
        if (p == 1 || p == 2 || p == 6 || (p == 7 && !w.s.is(k, "<"))) return;
        if (p == 7) less = k;
    }
    if (less < 0 || w.s.is(st.last + 1, "return") || holds_real(w.s, first, last)) return;
    const Span index{first, less - 1};
    const std::string from = w.s.words(first, less - 1), end = w.s.words(less + 1, last),
                      body = with_index(w.s, index, "wl_i", st.last + 1, st.body_last);
    if (body == w.s.words(st.last + 1, st.body_last)) return;
    for (const std::string& stride : strides_of(w.s, index)) {
        const std::string head = fmt::format("for (int wl_i = {}; wl_i < {}; wl_i += {})", from, end, stride);
        const size_t begin = w.s.at(st.first).begin, length = w.s.at(st.body_last).end - begin;
        w.add(
            {"partial_reduction",
             2,
             w.s.words(st.first, st.last),
             head,
             w.s.at(st.first).line,
             {{begin, length, fmt::format("{} {}", head, body)}}}
        );
    }
}

// `sums[i] = v;` and `sums[i] += v;` of several threads or blocks.
void add_atomically(Writer& w, const Statement& st) {
    const Variable* const v = variable_at(w.s, st.first);
    if (!st.word.empty() || v == nullptr || v->indirections == 0 || !w.s.is(st.last, ";")) return;
    const int sets = end_of_element(w.s, st.first) + 1;
    if ((!w.s.is(sets, "=") && !w.s.is(sets, "+=")) || precedence(w.s, sets) > 0) return;
    const std::string to = w.s.words(st.first, sets - 1), value = w.s.words(sets + 1, st.last - 1);
    w.replace(
        "race_global",
        w.s.is(sets, "+=") ? 1 : 2,
        st.first,
        st.last,
        fmt::format("atomicAdd(&{}, {});", to, value)
    );
}

}  // namespace

void add_loops(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st)) continue;
            repeat(w, st);
            if (w.is_near(st.first)) add_atomically(w, st);
        }
}

}  // namespace wl::diagnosis::rewrite

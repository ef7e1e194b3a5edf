// Work that threads do once and should do as often as there is some; sums that several add to.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
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

// How far apart the elements of one thread lie, by what its first one is.
std::vector<std::string> strides_of(const Source& s, const Span& index) {
    int from = index.first, to = index.last;
    if (const Variable* const v = variable_at(s, index.first);
        v != nullptr && from == to && s.is(v->from + 1, "="))
        from = v->from, to = end_of_expression(s, v->from + 2);
    if (says(s, from, to, "blockIdx")) return {"gridDim.x * blockDim.x"};
    const auto of_axis = [&](const char* axis) {
        for (int k = from; k + 2 <= to; ++k)
            if (s.is(k, "threadIdx") && s.is(k + 2, axis)) return true;
        return false;
    };
    if (of_axis("x") && of_axis("y")) return {"blockDim.x * blockDim.y"};
    if (says(s, from, to, "threadIdx") && !says(s, from, to, "%") && !says(s, from, to, "&"))
        return {says(s, from, to, "y") ? "blockDim.y" : "blockDim.x"};
    return {"32", "blockDim.x"};
}

// `if (const int i = t; i < n)`: a loop but for its word.
bool repeat_declared(Writer& w, const Statement& st, int first, int last) {
    int ends = -1;
    for (int k = first; k <= last && ends < 0; ++k)
        if (w.s.is(k, ";")) ends = k;
    const int name = w.s.is(first, "const") ? first + 2 : first + 1;
    if (ends < 0 || !w.s.is(name + 1, "=") || w.s.word(ends + 1) != w.s.word(name) || !w.s.is(ends + 2, "<"))
        return false;
    const std::string i(w.s.word(name));
    for (const std::string& stride : strides_of(w.s, {name + 2, ends - 1})) {
        const std::string head = fmt::format(
            "for (int {0} = {1}; {2}; {0} += {3})",
            i,
            w.s.words(name + 2, ends - 1),
            w.s.words(ends + 1, last),
            stride
        );
        w.replace(w.context.unwritten ? "never_written" : "partial_reduction", 2, st.first, st.last, head);
        w.out.back().bias = kTelling;
    }
    return true;
}

// `if (t < n) a[t] = b[t];` where there are more elements than threads.
void repeat(Writer& w, const Statement& st) {
    if (st.word != "if" || !w.s.is(st.first + 1, "(") || w.s.is(st.body_last + 1, "else")) return;
    const int first = st.first + 2, last = st.last - 1;
    if (repeat_declared(w, st, first, last)) return;
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
        if (w.context.unwritten) w.out.back().bias = kTelling;
    }
}

// Of one block, or one lane, alone.
void put_once(Writer& w, int token, const std::string& text) {
    put_before(w, 2 * kTelling, "double_count", token, text, 2);
}

// `if (blockIdx.x == 0)` before what blocks add up: along an axis that the sum knows nothing of each adds the
// same once more.
void add_once(Writer& w, const Body& body, const Statement& st) {
    const bool adds =
        w.s.word(st.first).starts_with("atomic") && (is_alone(w.s, st) || w.s.is(st.first - 1, ")"));
    if (!adds) return;
    const Statement* guard = nullptr;
    for (const Statement& o : body.statements)
        if (o.word == "if" && o.last + 1 == st.first) guard = &o;
    const int first = guard != nullptr ? guard->first : st.first;
    for (const char axis : w.context.axes) put_once(w, first, fmt::format("if (blockIdx.{} == 0)", axis));
}

// `if (blockIdx.x == 0 && i < n)` of `if (i < n)`: what one block adds for all of them.
void ask_for_first_block(Writer& w, const Statement& st) {
    if (st.word != "if" || !w.s.is(st.first + 1, "(") || says(w.s, st.first, st.last, "blockIdx")) return;
    bool adds = false;
    for (int k = st.last + 1; k <= st.body_last && !adds; ++k) adds = w.s.word(k).starts_with("atomic");
    if (!adds) return;
    for (const char axis : w.context.axes)
        put_once(w, st.first + 2, fmt::format("blockIdx.{} == 0 &&", axis));
}

// Numbers of a lane: `threadIdx.x % 32`, `group.thread_rank()`.
bool is_lane(const Source& s, const Variable& v) {
    const int last = s.is(v.from + 1, "=") ? end_of_expression(s, v.from + 2) : -1;
    const bool part = (says(s, v.from, last, "%") && says(s, v.from, last, "32")) ||
        (says(s, v.from, last, "&") && says(s, v.from, last, "31"));
    return is_whole(v) && (part || says(s, v.from, last, "thread_rank"));
}

// `if (lane == 0)` before a loop whose sum every lane makes alike, and all lanes' are then added.
void add_in_one_lane(Writer& w, const Statement& st) {
    if (st.word != "for" || !is_alone(w.s, st) || st.body_last <= st.last) return;
    bool sums = false;
    for (int k = st.last + 1; k < st.body_last; ++k) sums = sums || w.s.is(k, "+=");
    for (const Variable* v : visible(w.s, st.first))
        if (sums && is_lane(w.s, *v) && !says(w.s, st.first, st.body_last, v->name))
            put_once(w, st.first, fmt::format("if ({} == 0)", v->name));
}

}  // namespace

void add_loops(Writer& w) {
    const Pass& rows = pass_of("loops_statements");
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements) {
            if (is_mark(w.s, st)) continue;
            repeat(w, st);
            if (w.is_near(st.first))
                try_rows(w, rows, st, body), add_once(w, body, st), ask_for_first_block(w, st),
                    add_in_one_lane(w, st);
        }
}

}  // namespace wl::diagnosis::rewrite

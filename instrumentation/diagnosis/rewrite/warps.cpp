// Of a block its warps, of a warp one lane: what takes all threads for one of these. What takes half a warp,
// or one block, for all.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/table/table.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

// `if (threadIdx.x % 32 == 0)` before what one lane of a warp, or one thread, should do.
void leave_to_one(Writer& w, const Statement& st) {
    const bool atomic = w.s.word(st.first).starts_with("atomic");
    if (!st.word.empty() || !w.s.is(st.last, ";") || declares(w.s, st)) return;
    if (!atomic && assignment_of(w.s, st) < 0) return;
    const size_t at = w.s.at(st.first).begin;
    for (const char* one : {"threadIdx.x % 32 == 0", "threadIdx.x == 0"})
        w.insert("wrong_condition", atomic ? 1 : 2, at, w.s.at(st.first).line, fmt::format("if ({}) ", one));
}

// `for (o = 16; ...)` of what begins at less, `o < 32` of what ends before: a reduction over lanes takes all.
void reduce_whole_warp(Writer& w, const Statement& st) {
    if (st.word != "for" || st.body_last < 0) return;
    bool shuffles = false;
    for (int k = st.last + 1; k <= st.body_last; ++k)
        shuffles = shuffles || w.s.word(k).starts_with("__shfl");
    if (!shuffles) return;
    constexpr int kLikely = 30;  // a log prior
    const bool down = halves(w.s, st);
    if (!down && !doubles(w.s, st)) return;
    const char* const whole = down ? "16" : "32";
    for (int k = st.first + 2; k < st.last - 2; ++k) {
        const bool bound =
            down ? w.s.is(k - 1, "=") && w.s.is(k + 1, ";") : w.s.is(k - 1, "<") && w.s.is(k + 1, ";");
        if (!bound || w.s.at(k).kind != Token::Kind::number || w.s.is(k, whole)) continue;
        w.replace("wrong_constant", 1, k, k, whole);
        w.out.back().bias = kLikely;
    }
}

}  // namespace

void add_warps(Writer& w) {
    const Pass& rows = pass_of("warps");
    for_each_token(w, [&](int k, const Body& body) { try_rows(w, rows, k, body); });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st)) {
                if (w.is_near(st.first)) leave_to_one(w, st);
                reduce_whole_warp(w, st);
            }
}

}  // namespace wl::diagnosis::rewrite

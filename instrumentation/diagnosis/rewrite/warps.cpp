// Of a block its warps, of a warp one lane: what takes all threads for one of these.
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

// `(blockDim.x / 32)` of `blockDim.x`, and `blockDim.x` of that.
void count_warps(Writer& w, int k) {
    const bool extent = w.s.is(k, "blockDim") && w.s.is(k + 1, ".");
    if (!extent) return;
    const bool of_warps = w.s.is(k + 3, "/") && (w.s.is(k + 4, "32") || w.s.is(k + 4, "warpSize"));
    const std::string text = w.s.words(k, k + 2);
    if (of_warps) return w.replace("wrong_index", 1, k, k + 4, text);
    w.replace("wrong_index", 1, k, k + 2, fmt::format("({} / 32)", text));
}

// `if (threadIdx.x % 32 == 0)` before what one lane of a warp, or one thread, should do.
void leave_to_one(Writer& w, const Statement& st) {
    const bool atomic = w.s.word(st.first).starts_with("atomic");
    if (!st.word.empty() || !w.s.is(st.last, ";") || declares(w.s, st)) return;
    if (!atomic && assignment_of(w.s, st) < 0) return;
    const size_t at = w.s.at(st.first).begin;
    for (const char* one : {"threadIdx.x % 32 == 0", "threadIdx.x == 0"})
        w.insert("wrong_condition", atomic ? 1 : 2, at, w.s.at(st.first).line, fmt::format("if ({}) ", one));
}

}  // namespace

void add_warps(Writer& w) {
    for_each_token(w, [&](int k, const Body&) {
        if (w.is_near(k)) count_warps(w, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st) && w.is_near(st.first)) leave_to_one(w, st);
}

}  // namespace wl::diagnosis::rewrite

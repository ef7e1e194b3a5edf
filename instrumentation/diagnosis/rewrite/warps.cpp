// Of a block its warps, of a warp one lane: what takes all threads for one of these. What takes half a warp,
// or one block, for all.
#include "instrumentation/diagnosis/rewrite/expressions.h"
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

// Over a whole warp: the width of a shuffle.
void shuffle_whole_warp(Writer& w, int k) {
    if (!w.s.word(k).starts_with("__shfl") || !w.s.is(k + 1, "(") || w.s.at(k + 1).match < 0) return;
    constexpr int kLikely = 30;  // as odds
    const std::vector<Span> all = arguments_of(w.s, k + 1);
    if (all.size() != 4 || w.s.is(all[3].first, "32") || w.s.is(all[3].first, "warpSize")) return;
    w.replace("wrong_constant", 1, all[3].first, all[3].last, "32");
    w.out.back().bias = kLikely;
}

// `for (o = 16; ...)` of what begins at less, `o < 32` of what ends before: a reduction over lanes takes all.
void reduce_whole_warp(Writer& w, const Statement& st) {
    if (st.word != "for" || st.body_last < 0) return;
    bool shuffles = false;
    for (int k = st.last + 1; k <= st.body_last; ++k)
        shuffles = shuffles || w.s.word(k).starts_with("__shfl");
    if (!shuffles) return;
    constexpr int kLikely = 30;  // as odds
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

// `blockDim.x * gridDim.x` of `blockDim.x` where nobody asks for the grid: the step of a loop over all of it.
void step_over_grid(Writer& w, const Body& body, int k) {
    if (!w.s.is(k, "blockDim") || !w.s.is(k + 1, ".") || w.s.is(k + 3, "*") || w.s.is(k - 1, "*")) return;
    for (int at = body.open; at < body.close; ++at)
        if (w.s.is(at, "gridDim")) return;
    const std::string axis(w.s.word(k + 2));
    constexpr int kLikely = 15;  // as odds
    w.replace("wrong_index", 1, k, k + 2, fmt::format("blockDim.{0} * gridDim.{0}", axis));
    w.out.back().bias = w.s.is(k - 1, "+=") || w.s.is(k - 1, "=") ? kLikely : 0;
}

}  // namespace

void add_warps(Writer& w) {
    for_each_token(w, [&](int k, const Body& body) {
        if (w.is_near(k)) count_warps(w, k);
        shuffle_whole_warp(w, k), step_over_grid(w, body, k);
    });
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (!is_mark(w.s, st)) {
                if (w.is_near(st.first)) leave_to_one(w, st);
                reduce_whole_warp(w, st);
            }
}

}  // namespace wl::diagnosis::rewrite

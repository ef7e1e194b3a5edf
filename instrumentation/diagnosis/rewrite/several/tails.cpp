// `min(kTile, end - first)` of `kTile`, in a loop over tiles.
#include "instrumentation/diagnosis/rewrite/several/tails.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace wl::diagnosis::rewrite {

namespace {

// A loop over tiles: how many elements a full one has, how many are left from the turn's first on.
struct Tiles {
    std::string_view size;
    std::string left;
};

// `for (int first = begin; first < end; first += kTile)`.
Tiles by_step(const Source& s, const Statement& loop) {
    for (int k = loop.first; k + 2 <= loop.last; ++k) {
        if (!s.is(k, "+=") || k + 2 != loop.last) continue;
        for (int c = loop.first; c < k; ++c)
            if (s.is(c, "<") && s.word(c - 1) == s.word(k - 1) && s.is(c + 2, ";"))
                return {s.word(k + 1), fmt::format("{} - {}", s.word(c + 1), s.word(k - 1))};
    }
    return {};
}

// `for (int n = 0; n < tiles; ++n)`, where `tiles = (count + kTile - 1) / kTile`.
Tiles by_count(const Source& s, const Statement& loop) {
    for (int c = loop.first; c + 2 <= loop.last; ++c) {
        const Variable* const tiles = s.is(c, "<") && s.is(c + 2, ";") ? variable_at(s, c + 1) : nullptr;
        if (tiles == nullptr || !s.is(tiles->from + 1, "=") || !s.is(tiles->from + 2, "(")) continue;
        const int open = tiles->from + 2, close = s.at(open).match;
        const bool rounds = close > open && s.is(close + 1, "/") && s.is(close - 1, "1") &&
            s.is(close - 2, "-") && s.is(close - 4, "+") && s.word(close - 3) == s.word(close + 2);
        if (rounds)
            return {
                s.word(close + 2),
                fmt::format("{} - {} * {}", s.words(open + 1, close - 5), s.word(c - 1), s.word(close + 2))};
    }
    return {};
}

}  // namespace

void add_tails(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Statement& loop : body.statements) {
            if (loop.word != "for" || loop.body_last < 0) continue;
            Tiles tiles = by_step(w.s, loop);
            if (tiles.size.empty()) tiles = by_count(w.s, loop);
            for (int k = loop.last + 1; k <= loop.body_last && !tiles.size.empty(); ++k) {
                const bool whole = w.s.is(k - 1, "<") || w.s.is(k - 1, "=") || w.s.is(k - 1, "<=");
                if (!whole || w.s.word(k) != tiles.size || !w.s.is(k + 1, ";") || !w.is_near(k)) continue;
                put(w,
                    kTelling,
                    "boundary_off_by_one",
                    k,
                    k,
                    fmt::format("min({}, {})", tiles.size, tiles.left));
            }
        }
}

}  // namespace wl::diagnosis::rewrite

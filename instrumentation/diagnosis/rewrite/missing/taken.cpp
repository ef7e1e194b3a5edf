// Arrays of the function's own that it fills and nobody reads: a number should be taken from them. And the
// most of something that is looked for and not kept.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"
#include "instrumentation/diagnosis/rewrite/missing/subscripts.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostNumbers = 6, kMostSubscripts = 8;

void take(Writer& w, const Body& body, const Variable& array, const Gap& gap) {
    size_t numbers = 0;
    std::vector<Subscript> subscripts = subscripts_at(w, body, array, gap.here);
    subscripts.insert(subscripts.begin(), Subscript{array.indirections == 1 ? "[0]" : "[0][0]"});
    if (subscripts.size() > kMostSubscripts) subscripts.resize(kMostSubscripts);
    for (const Variable* v : visible(w.s, gap.here)) {
        const bool fits = v->kind == array.kind && v->indirections == 0 && !v->constant && is_own(body, *v) &&
            loop_of(body, *v) == nullptr;
        if (!fits || ++numbers > kMostNumbers) continue;
        for (const auto& [i, bias] : subscripts) {
            put(w, gap, "stale_tile", 1, fmt::format("{} = {}{};", v->name, array.name, i), kUnheard + bias);
            put(w, gap, "partial_reduction", 2, fmt::format("{} += {}{};", v->name, array.name, i));
        }
    }
}

// `pivot[ty][tx] = shortest;`: a number that nobody asks for behind this, into an array of its kind.
void keep(Writer& w, const Facts& f, const Variable& v, const Gap& gap) {
    constexpr size_t kMostArrays = 4, kMostPlaces = 4;
    size_t arrays = 0;
    for (const Variable* a : visible(w.s, gap.here)) {
        const bool own = is_own(f.body, *a), given = is_given(f.body, *a);
        const bool fits = a->kind == v.kind && a->indirections > 0 && !a->constant && (own || given);
        if (!fits || !is_ever(f, *a, Event::Kind::fed) || ++arrays > kMostArrays) continue;
        std::vector<Subscript> subscripts = subscripts_at(w, f.body, *a, gap.here);
        if (subscripts.size() > kMostPlaces) subscripts.resize(kMostPlaces);
        for (const auto& [i, bias] : subscripts)
            put(w,
                gap,
                own ? "stale_tile" : "never_written",
                1,
                fmt::format("{}{} = {};", a->name, i, v.name),
                kUnheard + bias);
    }
}

// Numbers that are made or fed before the gap, in the function or by a call, and asked for by nobody behind
// it.
void keep_numbers(Writer& w, const Facts& f) {
    constexpr size_t kMostKept = 3;
    for (const Gap& gap : f.gaps) {
        size_t numbers = 0;
        for (const ValueKind kind : {ValueKind::real, ValueKind::whole})
            for (const Variable* v : unheard_at(f, kind, gap.here)) {
                const auto events = f.events.find(v);
                const bool made = events != f.events.end() && events->second.front().at < gap.here &&
                    events->second.front().kind != Event::Kind::heard;
                const bool alone = events == f.events.end() && is_own(f.body, *v);
                if ((made || alone) && !v->parameter && numbers++ < kMostKept) keep(w, f, *v, gap);
            }
    }
}

// `if (x[i] > most) { ... most = x[i]; }`: what is compared is not kept.
void keep_most(Writer& w, const Body& body, const Statement& st) {
    if (st.word != "if") return;
    for (int k = st.first + 2; k < st.last; ++k) {
        const bool compares = w.s.is(k, ">") || w.s.is(k, "<") || w.s.is(k, ">=") || w.s.is(k, "<=");
        if (!compares || precedence(w.s, k) == 0) continue;
        const Operands o = operands_of(w.s, k);
        const auto keep = [&](int kept, int first, int last) {
            const Variable* const v = variable_at(w.s, kept);
            if (v == nullptr || v->indirections > 0 || v->constant || !is_own(body, *v)) return;
            for (int at = st.last + 1; at <= st.body_last; ++at)
                if (variable_at(w.s, at) == v && sets_at(w.s, at) >= 0) return;
            const std::string text = fmt::format("{} = {};", v->name, w.s.words(first, last));
            const bool block = w.s.is(st.last + 1, "{");
            constexpr int kLikely = 20;  // a log prior
            if (block)
                w.insert("stale_tile", 1, w.s.at(st.last + 1).end, w.s.at(st.last + 1).line, " " + text),
                    w.out.back().bias = kLikely;
            else if (w.s.is(st.body_last, ";"))
                w.replace(
                    "stale_tile",
                    1,
                    st.last + 1,
                    st.body_last,
                    st.body_last == st.last + 1
                        ? text
                        : fmt::format("{{ {} {} }}", w.s.words(st.last + 1, st.body_last), text)
                );
        };
        if (o.left == k - 1) keep(k - 1, k + 1, o.right);
        if (o.right == k + 1) keep(k + 1, o.left, k - 1);
    }
}

}  // namespace

void add_taken(Writer& w, const Facts& f) {
    constexpr size_t kMostPlaces = 10;
    keep_numbers(w, f);
    for (const Statement& st : f.body.statements)
        if (!is_mark(w.s, st)) keep_most(w, f.body, st);
    for (const auto& [v, events] : f.events) {
        const bool number = v->kind == ValueKind::real || v->kind == ValueKind::whole;
        if (!is_own(f.body, *v) || !number || v->indirections == 0 || v->indirections > 2) continue;
        if (!is_ever(f, *v, Event::Kind::fed)) continue;
        size_t places = 0;
        for (size_t k = f.gaps.size(); k-- > 0 && places < kMostPlaces;) {
            const Gap& gap = f.gaps[k];
            if (gap.here > events.front().at && gap.here <= v->to && is_unheard(f, *v, gap.here))
                take(w, f.body, *v, gap), ++places;
        }
    }
}

}  // namespace wl::diagnosis::rewrite

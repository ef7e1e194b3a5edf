// Pointers that a function is given and that should be moved to what its block works on.
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "wrong_index";
constexpr int kNobodyAsks = 20, kAsIsAnother = 20;  // a log prior

bool names_axis(const Source& s, const Body& body, const std::string& axis) {
    for (int k = body.open + 1; k < body.close; ++k)
        if (s.is(k, axis) || (s.is(k, "blockIdx") && axis == fmt::format("blockIdx.{}", s.word(k + 2))))
            return true;
    return false;
}

bool moves_by(const Source& s, const Body& body, const std::string& axis) {
    for (const Statement& st : body.statements)
        if (s.is(st.first + 1, "+=") && s.words(st.first + 2, st.last).find(axis) != std::string::npos)
            return true;
    return false;
}

// `w`, `kCols`, `kBm * k`: what a block's part may be long.
std::vector<std::string> lengths_at(const Writer& w, const Body& body, int here) {
    constexpr size_t kMost = 6, kMostAll = 40;
    std::vector<std::string> single, out;
    for (const Variable* v : visible(w.s, here))
        if (is_whole(*v) && (v->of_file || v->constant || (v->parameter && v->to == body.close)))
            (v->parameter ? single.insert(single.begin(), v->name) : single.insert(single.end(), v->name));
    if (single.size() > kMost) single.resize(kMost);
    out = single;
    for (size_t a = 0; a < single.size(); ++a)
        for (size_t b = a; b < single.size(); ++b) add_new(out, single[a] + " * " + single[b], kMostAll);
    return out;
}

// Behind what stands at the function's begin and says where the block is.
void move_pointers(Writer& w, const Facts& f, const Gap& gap) {
    const Body& body = f.body;
    constexpr size_t kMostPointers = 6;
    std::vector<std::string> rows;
    for (const char axis : w.context.axes) rows.push_back(fmt::format("blockIdx.{}", axis));
    for (const Variable* v : unheard_at(f, ValueKind::whole, gap.here))
        if (!v->parameter) rows.push_back(v->name);
    size_t pointers = 0;
    for (const Variable& p : w.s.variables) {
        const bool given = p.parameter && p.to == body.close && p.indirections == 1 && !is_member(p);
        if (!given || ++pointers > kMostPointers) continue;
        for (const std::string& row : rows) {
            const bool axis = row.starts_with("blockIdx"), moves = moves_by(w.s, body, row);
            if (axis && names_axis(w.s, body, row) && !moves) continue;
            for (const std::string& n : lengths_at(w, body, gap.here))
                put(w,
                    gap,
                    kRule,
                    2,
                    fmt::format("{} += {} * {};", p.name, row, n),
                    moves ? kAsIsAnother : kNobodyAsks);
        }
    }
}

}  // namespace

void add_offsets(Writer& w, const Facts& f) {
    for (const Gap& gap : f.gaps) {
        const bool outer = gap.closes == f.body.close && !gap.ends;
        const Statement* const st = statement_of(f.body, gap.here);
        if (!outer || st == nullptr || declares(w.s, *st)) continue;
        return move_pointers(w, f, gap);
    }
}

}  // namespace wl::diagnosis::rewrite

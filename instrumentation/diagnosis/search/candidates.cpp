// Every family of changes, at every instruction of the user's.
#include "instrumentation/diagnosis/search/candidates.h"

#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/ptx_mutator.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace wl::diagnosis {

bool is_users(const ptx::Module& module, int32_t location) {
    if (location < 0) return module.locations.empty();
    const ptx::Location& l = module.locations[static_cast<size_t>(location)];
    return l.line != 0 && !is_toolkit_header(module.files[static_cast<size_t>(l.file)]);
}

namespace {

bool stand_at(PtxMutator& m, const ptx::Place& at) {
    m.at = at;
    const ptx::Instruction& i = m.instruction();
    m.location = user_location(m.module, i.location);
    return i.op != ptx::Op::mark && i.op != ptx::Op::unsupported && is_users(m.module, m.location);
}

int distance_of(const PtxMutator& m, const Candidate& c, const std::vector<Suspect>& suspects) {
    constexpr int kNear = 4;  // lines: a statement, its loop and its condition
    if (c.location < 0) return 0;
    const ptx::Location& l = m.module.locations[static_cast<size_t>(c.location)];
    int out = 2;
    for (const Suspect& s : suspects) {
        if (m.module.files[static_cast<size_t>(l.file)] != s.file) continue;
        const int lines = std::abs(l.line - s.line);
        out = std::min(out, lines == 0 ? s.suspicion_rank : lines <= kNear ? 1 : 2);
    }
    return out;
}

}  // namespace

std::vector<Candidate> candidates(
    const ptx::Module& module,
    const std::vector<size_t>& functions,
    const InPlay& in_play,
    const std::vector<Suspect>& suspects
) {
    PtxMutator m{module, in_play, variables::read(module)};
    for (const size_t f : functions) {
        for (auto at = static_cast<uint32_t>(module.functions[f].code.size()); at-- > 0;) {
            if (!stand_at(m, {f, at})) continue;
            for (const auto add :
                 {add_comparisons,
                  add_conditions,
                  add_whole_numbers,
                  add_real_numbers,
                  add_axes,
                  add_symbols,
                  add_operations,
                  add_parts,
                  add_operands,
                  add_insertions})
                add(m);
        }
        m.at = {f, 0};
        add_exchanges(m);
    }
    for (Candidate& c : m.out) c.suspicion_rank = distance_of(m, c, suspects);
    std::stable_sort(m.out.begin(), m.out.end(), [](const Candidate& a, const Candidate& b) {
        return std::pair(score(a), a.suspicion_rank) < std::pair(score(b), b.suspicion_rank);
    });
    return std::move(m.out);
}

}  // namespace wl::diagnosis

// Arrays from marks and variables, and the search over their layouts.
#include "instrumentation/analysis/banks.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace wl::analysis {
namespace {

using capture::AccessPattern;
using capture::AccessSite;
using capture::SharedRegion;
using Range = std::pair<uint32_t, uint32_t>;

constexpr uint32_t kMostPadding = 16;  // elements

uint64_t pitch_of(const SharedRegion& r) {
    return r.variable || r.rows < 2 ? 0 : static_cast<uint64_t>(r.ld) * r.element;
}
Range range_of(const SharedRegion& r) {
    const uint64_t last = r.rows < 1 || r.ld < 0 ? 0 : static_cast<uint64_t>((r.rows - 1) * r.ld);
    const uint64_t bytes = (last + static_cast<uint64_t>(std::max<int64_t>(r.cols, 0))) * r.element;
    return {r.begin, static_cast<uint32_t>(std::min<uint64_t>(r.begin + bytes, ~0u))};
}
bool overlap(Range a, Range b) { return a.first < b.second && b.first < a.second; }

// Overlapping matrices are one array when their rows fall on each other, and so are two stages of one name.
bool one_array(const SharedRegion& a, const SharedRegion& b) {
    if (a.variable || b.variable || pitch_of(a) != pitch_of(b) || a.element != b.element) return false;
    return a.name == b.name || overlap(range_of(a), range_of(b));
}

void add_range(std::vector<Range>& ranges, Range r) {
    std::erase_if(ranges, [&](Range other) {
        if (!overlap(r, other)) return false;
        r = {std::min(r.first, other.first), std::max(r.second, other.second)};
        return true;
    });
    ranges.insert(std::upper_bound(ranges.begin(), ranges.end(), r), r);
}

bool touches(const SharedArray& array, const LaneAccesses& a) {
    for (uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
        const uint64_t at = a.at[static_cast<size_t>(std::countr_zero(rest))];
        for (const Range& r : array.ranges)
            if (at >= r.first && at < r.second) return true;
    }
    return false;
}

// ---- the search

// The patterns of one array.
struct Search {
    const SharedArray& array;
    std::vector<const AccessPattern*> patterns;
    uint32_t align = 1, smallest = 16;  // of the accesses, bytes
    uint64_t before = 0, ideal = 0;
};

Search begin_search(const SharedArray& array, const std::vector<AccessPattern>& patterns) {
    Search s{array, {}};
    for (const AccessPattern& p : patterns) {
        if (!touches(array, p.accesses)) continue;
        s.patterns.push_back(&p);
        s.align = std::max<uint32_t>(s.align, p.accesses.bytes);
        s.smallest = std::min<uint32_t>(s.smallest, p.accesses.bytes);
        const BankCost cost = bank_cost(p.accesses);
        s.before += p.count * static_cast<uint64_t>(cost.wavefronts);
        s.ideal += p.count * static_cast<uint64_t>(cost.ideal);
    }
    return s;
}

// Gives up once it is no better than `limit`.
uint64_t wavefronts(const Search& s, const std::vector<RowMap>& maps, uint64_t limit) {
    uint64_t sum = 0;
    for (const AccessPattern* p : s.patterns) {
        LaneAccesses a = p->accesses;
        for (uint64_t& at : a.at) {
            const auto map = std::find_if(maps.begin(), maps.end(), [at](const RowMap& m) {
                return at >= m.begin && at < m.end;
            });
            if (map != maps.end()) at = moved(*map, at);
        }
        sum += p->count * static_cast<uint64_t>(bank_cost(a).wavefronts);
        if (sum >= limit) return limit;
    }
    return sum;
}

void try_remedy(const Search& s, Remedy remedy, std::optional<Remedy>& best) {
    const uint64_t limit = best ? best->after : s.before;
    remedy.before = s.before;
    remedy.after = wavefronts(s, maps_of(s.array, remedy), limit);
    if (remedy.after < limit) best = remedy;
}

void try_paddings(const Search& s, Remedy r, std::optional<Remedy>& best) {
    for (uint32_t k = 1; k <= kMostPadding; ++k) {
        r.padding = k * r.element;
        if (r.padding % s.align == 0 && (r.pitch + r.padding) % s.align == 0) try_remedy(s, r, best);
    }
}

void try_swizzles(const Search& s, Remedy r, std::optional<Remedy>& best) {
    for (r.unit = std::max(s.align, 4u); r.unit <= 16; r.unit *= 2) {
        if (r.pitch % r.unit != 0) continue;
        const uint32_t pieces = r.pitch / r.unit;
        const uint32_t most = std::min(1u << std::countr_zero(pieces), kBanks);
        for (r.mask = 1; r.mask < most; r.mask = 2 * r.mask + 1)
            for (r.shift = 0; r.shift < 4; ++r.shift) try_remedy(s, r, best);
    }
}

// The pitch that the marks name, or every likely one of a variable that no mark speaks of.
std::vector<uint32_t> pitches(const SharedArray& array) {
    if (array.pitch != 0) return {array.pitch};
    std::vector<uint32_t> out;
    if (array.element != 0) return out;
    const uint32_t bytes = array.ranges.front().second - array.ranges.front().first;
    for (uint32_t pitch = 32; pitch <= 1024; pitch *= 2)
        if (bytes % pitch == 0 && bytes >= 2 * pitch) out.push_back(pitch);
    return out;
}

// ---- lines

// The innermost frame in the file of the outermost one, which is the kernel's.
AccessLine own_line(const std::vector<capture::Site>& program, uint32_t site) {
    std::vector<const capture::Site*> frames;
    for (int k = static_cast<int>(site); k >= 0; k = frames.back()->inlined_at)
        frames.push_back(&program.at(static_cast<size_t>(k)));
    const int own = frames.back()->source;
    const auto frame = std::find_if(frames.begin(), frames.end(), [own](const capture::Site* f) {
        return f->source == own;
    });
    AccessLine out;
    out.source = own;
    out.line = (*frame)->line;
    for (auto call = frame + 1; call != frames.end(); ++call) out.inlined_at.push_back((*call)->line);
    return out;
}

uint64_t first_address(const capture::AccessWitness& w) {
    return w.accesses.at[static_cast<size_t>(std::countr_zero(w.accesses.mask))];
}

void add(AccessSite& to, const AccessSite& from) {
    to.requests += from.requests;
    to.cost += from.cost;
    to.ideal += from.ideal;
    to.degree = std::max(to.degree, from.degree);
    if (from.witness.cost <= to.witness.cost) return;
    to.witness = from.witness;
    to.site = from.site;
}

}  // namespace

std::vector<SharedArray> shared_arrays(const std::vector<SharedRegion>& regions) {
    std::vector<size_t> group(regions.size());
    std::iota(group.begin(), group.end(), size_t{0});
    for (size_t a = 0; a < regions.size(); ++a)
        for (size_t b = 0; b < a; ++b)
            if (group[a] != group[b] && one_array(regions[a], regions[b]))
                std::replace(
                    group.begin(), group.end(), std::max(group[a], group[b]), std::min(group[a], group[b])
                );
    std::vector<SharedArray> out;
    for (size_t g = 0; g < regions.size(); ++g) {
        SharedArray array;
        for (size_t k = 0; k < regions.size(); ++k) {
            const SharedRegion& r = regions[k];
            const bool spoken_of =
                r.variable && std::any_of(regions.begin(), regions.end(), [&](const auto& m) {
                    return !m.variable && overlap(range_of(m), range_of(r));
                });
            if (group[k] != g || spoken_of) continue;
            if ((", " + array.name + ",").find(", " + r.name + ",") == std::string::npos)
                array.name += (array.name.empty() ? "" : ", ") + r.name;
            array.pitch = static_cast<uint32_t>(pitch_of(r));
            array.element = r.variable ? 0 : r.element;
            add_range(array.ranges, range_of(r));
        }
        if (!array.ranges.empty()) out.push_back(std::move(array));
    }
    return out;
}

int array_at(const std::vector<SharedArray>& arrays, uint64_t offset) {
    for (size_t k = 0; k < arrays.size(); ++k)
        for (const Range& r : arrays[k].ranges)
            if (offset >= r.first && offset < r.second) return static_cast<int>(k);
    return -1;
}

std::vector<RowMap> maps_of(const SharedArray& array, const Remedy& r) {
    std::vector<RowMap> out;
    out.reserve(array.ranges.size());
    for (const Range& range : array.ranges)
        out.push_back(
            {range.first, range.second, r.pitch, r.padding, r.padding != 0 ? 0 : r.unit, r.mask, r.shift}
        );
    return out;
}

std::vector<Remedy> find_remedies(
    const std::vector<SharedArray>& arrays, const std::vector<AccessPattern>& patterns
) {
    std::vector<Remedy> out;
    for (size_t k = 0; k < arrays.size(); ++k) {
        const Search s = begin_search(arrays[k], patterns);
        if (s.before == s.ideal) continue;
        std::optional<Remedy> padding, swizzle;
        for (const uint32_t pitch : pitches(arrays[k])) {
            Remedy r;
            r.array = static_cast<int>(k);
            r.pitch = pitch;
            r.element = arrays[k].element != 0 ? arrays[k].element : s.smallest;
            try_paddings(s, r, padding);
            try_swizzles(s, r, swizzle);
        }
        for (const auto& best : {padding, swizzle})
            if (best) out.push_back(*best);
    }
    return out;
}

std::vector<capture::AccessSite> worst_first(const capture::AccessCounts& counts, bool global) {
    std::vector<capture::AccessSite> out;
    for (const capture::AccessSite& s : counts.sites)
        if (s.global == global) out.push_back(s);
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return a.cost - a.ideal > b.cost - b.ideal;
    });
    return out;
}

std::vector<AccessLine> by_line(
    const std::vector<capture::Site>& program,
    const std::vector<SharedArray>& arrays,
    const std::vector<AccessSite>& sites
) {
    std::vector<AccessLine> out;
    for (const AccessSite& s : sites) {
        AccessLine line = own_line(program, s.site);
        line.array =
            s.global || s.witness.accesses.mask == 0 ? -1 : array_at(arrays, first_address(s.witness));
        const auto known = std::find_if(out.begin(), out.end(), [&](const AccessLine& l) {
            return l.source == line.source && l.line == line.line && l.inlined_at == line.inlined_at &&
                l.array == line.array && l.sum.kind == s.kind && l.sum.bytes == s.bytes;
        });
        if (known == out.end()) {
            line.sum = s;
            line.instructions = 1;
            out.push_back(std::move(line));
        } else {
            ++known->instructions;
            add(known->sum, s);
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const AccessLine& a, const AccessLine& b) {
        return a.sum.cost - a.sum.ideal > b.sum.cost - b.sum.ideal;
    });
    return out;
}

AccessTotal total(const std::vector<capture::AccessSite>& sites) {
    AccessTotal sum;
    for (const capture::AccessSite& s : sites) {
        sum.requests += s.requests;
        sum.cost += s.cost;
        sum.ideal += s.ideal;
    }
    return sum;
}

}  // namespace wl::analysis

// Models the phases of a request as an H200 has them (docs/measured/banks-h200.json): up to 4 bytes a lane
// the whole warp, 8 bytes the half-warps, 16 bytes the quarter-warps, a matrix its 8 rows; words that several
// lanes of a phase touch count once, of atomics once a lane. Loads whose neighbours agree join two phases.
// cp.async of 16 bytes counts lines in place of banks. Not modelled: what other warps ask for meanwhile.
#include "instrumentation/base/banks.h"

#include "instrumentation/base/bank_phases.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace wl {
namespace {

// Words by bank, of the lanes of one phase: each once, or once a lane.
struct Phase {
    std::array<uint8_t, kBanks> count{};
    std::array<std::array<uint64_t, kWarpLanes>, kBanks> words;  // the first count[bank] are set

    void add(uint64_t word, bool joins) {
        const size_t bank = word % kBanks;
        auto& here = words[bank];
        for (uint8_t k = 0; joins && k < count[bank]; ++k)
            if (here[k] == word) return;
        here[count[bank]++] = word;
    }
};

uint64_t first_word(const LaneAccesses& r, uint32_t lane) { return r.at[lane] / kBankBytes; }
uint32_t words_a_lane(const LaneAccesses& r) { return std::max<uint32_t>(r.bytes / kBankBytes, 1); }

uint32_t lanes_in_bank(const LaneAccesses& r, uint32_t lanes, uint32_t bank) {
    uint32_t found = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
        if ((bank - first_word(r, lane)) % kBanks < words_a_lane(r)) found |= 1u << lane;
    }
    return found;
}

void add_phase(const LaneAccesses& r, uint32_t lanes, BankCost& cost) {
    Phase phase;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const uint64_t first = first_word(r, static_cast<uint32_t>(std::countr_zero(rest)));
        for (uint32_t k = 0; k < words_a_lane(r); ++k) phase.add(first + k, r.kind != AccessKind::atomic);
    }
    const auto worst = std::max_element(phase.count.begin(), phase.count.end());
    cost.wavefronts += *worst;
    cost.ideal += 1;
    if (*worst <= cost.degree) return;
    cost.degree = *worst;
    cost.bank = static_cast<int>(worst - phase.count.begin());
    cost.lanes = lanes_in_bank(r, lanes, static_cast<uint32_t>(cost.bank));
}

// Of a load: every active lane's neighbour, always the next one or always the one after, is inactive or asks
// for the same bytes. Measured: one lane of the warp that does not agree parts all phases again.
bool neighbours_agree(const LaneAccesses& r) {
    if (r.kind != AccessKind::load) return false;
    const auto agree = [&r](uint32_t distance) {
        for (uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
            const uint32_t other = lane ^ distance;
            if ((r.mask >> other & 1) != 0 && r.at[other] != r.at[lane]) return false;
        }
        return true;
    };
    return agree(1) || agree(2);
}

constexpr uint64_t kLineBytes = 128;

// Of the lane and its neighbour, both of the request: one whole sector.
bool share_sector(const LaneAccesses* r, uint32_t lane) {
    return r == nullptr || r->at[lane] / kSectorBytes == r->at[lane ^ 1] / kSectorBytes;
}

// Different pairs of lines among these lanes.
int line_pairs(const LaneAccesses& to, const LaneAccesses* from, uint32_t lanes) {
    std::array<std::pair<uint64_t, uint64_t>, kWarpLanes> pairs;
    auto end = pairs.begin();
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        *end++ = {to.at[lane] / kLineBytes, from == nullptr ? 0 : from->at[lane] / kLineBytes};
    }
    std::sort(pairs.begin(), end);
    return static_cast<int>(std::unique(pairs.begin(), end) - pairs.begin());
}

}  // namespace

BankCost copy_cost(const LaneAccesses& to, const LaneAccesses* from) {
    constexpr uint32_t kEven = 0x55555555;
    BankCost cost;
    const Phases phases = phases_of(to);
    for (size_t k = 0; k < phases.count; ++k) {
        const uint32_t lanes = phases.lanes[k];
        bool whole = true;
        for (uint32_t rest = lanes & kEven & lanes >> 1; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
            whole = whole && share_sector(&to, lane) && share_sector(from, lane);
        }
        const int wavefronts = whole
            ? line_pairs(to, from, lanes)
            : line_pairs(to, from, lanes & kEven) + line_pairs(to, from, lanes & ~kEven);
        cost.wavefronts += wavefronts;
        cost.ideal += 1;
        if (wavefronts <= cost.degree) continue;
        cost.degree = wavefronts;
        cost.lanes = lanes;
        cost.bank = static_cast<int>(bank_of_address(to.at[static_cast<size_t>(std::countr_zero(lanes))]));
    }
    return cost;
}

Phases phases_of(const LaneAccesses& r) {
    assert(std::has_single_bit(r.bytes) && r.bytes <= 16);
    const bool join = neighbours_agree(r);
    const int step = r.kind == AccessKind::matrix ? 8
        : r.bytes <= 4                            ? 32
        : r.bytes == 8                            ? (join ? 32 : 16)
                                                  : (join ? 16 : 8);
    const uint32_t part = step == 32 ? ~0u : (1u << step) - 1;
    Phases phases;
    for (int at = 0; at < 32; at += step)
        if ((r.mask & part << at) != 0) phases.lanes[phases.count++] = r.mask & part << at;
    return phases;
}

BankCost bank_cost(const LaneAccesses& r) {
    if (passes_l1(r)) return copy_cost(r, nullptr);
    BankCost cost;
    const Phases phases = phases_of(r);
    for (size_t k = 0; k < phases.count; ++k) add_phase(r, phases.lanes[k], cost);
    return cost;
}

SectorCost sector_cost(const LaneAccesses& r) {
    std::array<uint64_t, kWarpLanes> sorted;
    size_t lanes = 0;
    for (uint32_t rest = r.mask; rest != 0; rest &= rest - 1)
        sorted[lanes++] = r.at[static_cast<size_t>(std::countr_zero(rest))];
    std::sort(sorted.begin(), sorted.begin() + lanes);
    SectorCost cost;
    uint64_t bytes = 0, end = 0, next_sector = 0;
    for (size_t k = 0; k < lanes; ++k) {
        const uint64_t first = sorted[k], last = first + r.bytes;
        bytes += last - std::min(std::max(first, end), last);
        end = std::max(end, last);
        const uint64_t from = std::max(first / kSectorBytes, next_sector), to = (last - 1) / kSectorBytes + 1;
        if (to > from) cost.sectors += static_cast<int>(to - from);
        next_sector = std::max(next_sector, to);
    }
    cost.ideal = static_cast<int>((bytes + kSectorBytes - 1) / kSectorBytes);
    return cost;
}

uint64_t moved(const RowMap& map, uint64_t offset) {
    if (offset < map.begin || offset >= map.end) return offset;
    // Beyond every window (at most 228 KiB), each array 128 times as far from the next: a whole number of
    // rounds through the banks.
    const uint64_t base = map.begin + uint64_t{kBanks * kBankBytes} * (map.begin + (uint64_t{1} << 18));
    const uint64_t row = (offset - map.begin) / map.pitch;
    uint64_t column = (offset - map.begin) % map.pitch;
    if (map.unit != 0) column ^= (row >> map.shift & map.mask) * map.unit;
    return base + row * (map.pitch + map.padding) + column;
}

}  // namespace wl

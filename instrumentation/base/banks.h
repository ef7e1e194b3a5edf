// What one request of a warp costs: wavefronts of shared memory's 32 banks, sectors of global memory.
#pragma once

#include <array>
#include <cstdint>

namespace wl {

constexpr uint32_t kBanks = 32, kBankBytes = 4, kSectorBytes = 32, kWarpLanes = 32;

inline uint32_t bank_of_address(uint64_t offset) {
    return static_cast<uint32_t>(offset / kBankBytes % kBanks);
}

// matrix: rows of 16 bytes by lane, as ldmatrix, stmatrix and the wmma loads that become them.
enum class AccessKind : uint8_t { load, store, atomic, matrix, copy };

// One request: `bytes` (1, 2, 4, 8 or 16) a lane at `at`, for the lanes in mask. Shared: offsets in the
// block's window; global: device addresses.
struct LaneAccesses {
    AccessKind kind = AccessKind::load;
    uint8_t bytes = 4;
    uint32_t mask = 0;
    std::array<uint64_t, kWarpLanes> at{};
    bool operator==(const LaneAccesses&) const = default;
};

struct BankCost {
    int wavefronts = 0;
    int ideal = 0;       // the request's phases: what it takes when none has a conflict
    int degree = 0;      // wavefronts of its most expensive phase; 1: no conflict
    int bank = -1;       // where that phase has the most words
    uint32_t lanes = 0;  // of that phase, those with a word in that bank
};
BankCost bank_cost(const LaneAccesses& request);

// cp.async of 16 bytes goes past L1: see copy_cost.
inline bool passes_l1(const LaneAccesses& r) { return r.kind == AccessKind::copy && r.bytes == 16; }
// Of such a copy to shared memory `to` from global memory `from`: not banks but lines count. A quarter-warp
// takes a wavefront for each pair of 128-byte lines, of the one that it reads and the one that it writes. If
// two neighbouring lanes do not have one whole sector on either side, the even and the odd lanes of the
// quarter go apart. Sectors: as many as are read or, if that is more, as are written. nullptr: whole sectors
// of one line a quarter. (All of it fits the 22 patterns in docs/measured/banks-h200.json exactly.)
BankCost copy_cost(const LaneAccesses& to, const LaneAccesses* from);

struct SectorCost {
    int sectors = 0;
    int ideal = 0;  // that many sectors hold the bytes that the lanes ask for
};
SectorCost sector_cost(const LaneAccesses& request);

// Rows of shared memory laid out another way: `padding` bytes behind each row, or the pieces of `unit` bytes
// of a row permuted: piece p of row r lies at p ^ (r >> shift & mask). What lies outside [begin, end) stays.
struct RowMap {
    uint32_t begin = 0, end = 0;
    uint32_t pitch = 0;    // bytes from one row to the next
    uint32_t padding = 0;  // bytes
    uint32_t unit = 0, mask = 0, shift = 0;
    bool operator==(const RowMap&) const = default;
};
// One to one, and bank for bank what a kernel with that layout has. Moved rows lie apart from all others:
// the result is no offset in the window.
uint64_t moved(const RowMap& map, uint64_t offset);

}  // namespace wl

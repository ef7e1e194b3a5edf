// What a call passes, word by word: between rows of the register file, registers and local memory of two
// frames.
#include "instrumentation/emulator/exec/memory/passing.h"

#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/schedule/frames.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

using In = ParamPlace::In;

uint32_t* cell_row(const Passed& p, uint32_t word) {
    return reinterpret_cast<uint32_t*>(p.frame.registers + p.place.at) + word * kLanes;
}
uint64_t* wide_cells(const Passed& p) { return reinterpret_cast<uint64_t*>(p.frame.registers + p.place.at); }

// Bytes of word k that belong to the place.
uint32_t bytes_of_word(const Passed& p, uint32_t word) { return std::min(p.place.bytes - 4 * word, 4u); }
uint32_t low_bytes(uint32_t bytes) { return bytes >= 4 ? ~0u : (1u << 8 * bytes) - 1; }

uint32_t load_word(Warp& w, const Passed& p, uint32_t word, int lane) {
    uint32_t value = 0;
    switch (p.place.in) {
        case In::rows: value = cell_row(p, word)[lane]; break;
        case In::cell: value = cell_row(p, 0)[lane]; break;
        case In::wide: value = static_cast<uint32_t>(wide_cells(p)[lane] >> 32 * word); break;
        case In::local: {
            const uint32_t base = p.frame.base[static_cast<size_t>(lane)] + p.place.at + 4 * word;
            std::memcpy(&value, stack_of(w, lane) + base, bytes_of_word(p, word));
            break;
        }
        case In::nowhere: break;
    }
    return value & low_bytes(bytes_of_word(p, word));
}

void store_word(Warp& w, const Passed& p, uint32_t word, int lane, uint32_t value) {
    switch (p.place.in) {
        case In::rows: cell_row(p, word)[lane] = value; return;
        case In::cell: cell_row(p, 0)[lane] = value; return;
        case In::wide: {
            uint64_t& cell = wide_cells(p)[lane];
            cell = word == 0 ? value : (cell & 0xffffffff) | uint64_t{value} << 32;
            return;
        }
        case In::local: {
            const uint32_t base = p.frame.base[static_cast<size_t>(lane)] + p.place.at + 4 * word;
            std::memcpy(stack_of(w, lane) + base, &value, bytes_of_word(p, word));
            return;
        }
        case In::nowhere: return;
    }
}

void copy_row(uint32_t* to, const uint32_t* from, uint32_t lanes) {
    if (lanes == kAllLanes) {
        std::memcpy(to, from, kRow);
        return;
    }
    WL_FOR_LANES to[lane] = (lanes >> lane & 1) != 0 ? from[lane] : to[lane];
}

uint32_t words(const Passed& from, const Passed& to) {
    return (std::min(from.place.bytes, to.place.bytes) + 3) / 4;
}

}  // namespace

void pass(Warp& w, const Passed& from, const Passed& to, uint32_t lanes) {
    const bool rows = from.place.in == In::rows && to.place.in == In::rows;
    for (uint32_t word = 0; word < words(from, to); ++word) {
        if (rows) {
            copy_row(cell_row(to, word), cell_row(from, word), lanes);
            continue;
        }
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            store_word(w, to, word, lane, load_word(w, from, word, lane));
        }
    }
}

uint64_t passed_value(Warp& w, const Passed& from, int lane) {
    if (from.place.bytes == 0) return 0;
    uint64_t value = load_word(w, from, 0, lane);
    if (from.place.bytes > 4) value |= uint64_t{load_word(w, from, 1, lane)} << 32;
    return value;
}

void pass_value(Warp& w, uint64_t value, const Passed& to, int lane) {
    if (to.place.bytes == 0) return;
    store_word(w, to, 0, lane, static_cast<uint32_t>(value));
    if (to.place.bytes > 4) store_word(w, to, 1, lane, static_cast<uint32_t>(value >> 32));
}

}  // namespace wl::emulator

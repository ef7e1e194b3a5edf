// Registers as keys with a mask of lanes, memory as words with a mask of bytes.
#include "instrumentation/travel/slice_walk.h"

#include <algorithm>
#include <bit>

namespace wl::travel {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr uint64_t kWindow = 0xff00'0000'0000'0000;

uint64_t tile_base(const Taken& t) {
    return t.tile.memory == "shared" ? emulator::kSharedBase | t.tile.address : t.tile.address;
}

uint64_t address_in(const Taken& t, int row, int col) {
    return tile_base(t) +
        (static_cast<uint64_t>(row) * static_cast<uint64_t>(t.tile.ld) + static_cast<uint64_t>(col)) *
        size_of(t.tile.dtype);
}

void pass_element(Walk& w, const TileAt& at) {
    w.elements.try_emplace({at.tile, at.row, at.col}, Element{at.tile, at.row, at.col, at.byte, 0});
}

bool ends_at(const Walk& w, const TileAt& at) {
    const Element& from = w.options.from;
    const bool asked = from.tile == at.tile && from.row == at.row && from.col == at.col;
    return !asked && w.options.ends_at && w.options.ends_at({at.tile, at.row, at.col, at.byte, 0});
}

// The next tile of this warp and name that is taken behind an instant.
int tile_of_mark(const Walk& w, const Executed& e, const ptx::Mark& mark) {
    for (size_t k = w.next_tile; k < w.taken.size(); ++k) {
        const Taken& t = w.taken[k];
        if (t.name == mark.name && t.kind == mark.kind && t.tile.warp == e.warp) return static_cast<int>(k);
    }
    return -1;
}

}  // namespace

uint64_t place_of(uint64_t address, int warp, int lane) {
    if ((address & kWindow) != emulator::kLocalBase) return address;
    return (address & 0xffff'ffff) | emulator::kLocalBase | static_cast<uint64_t>(warp * 32 + lane) << 32;
}

// 2^10 warps, 2^15 calls deep, 2^32 registers, 32 lanes: memory's places begin with 0x00 to 0x03, or 0xff.
Cell cell_of(const RegisterKey& key, int lane) {
    return {
        uint64_t{1} << 62 | static_cast<uint64_t>(key.warp) << 52 |
            static_cast<uint64_t>(key.depth & 0x7fff) << 37 |
            static_cast<uint64_t>(static_cast<uint32_t>(key.reg)) << 5 | static_cast<uint64_t>(lane),
        0};
}

void note_passing(Walk& w, const Executed& e, const Passing& passing) {
    if (w.passings.size() >= w.options.passings) {
        w.passed_all = false;
        return;
    }
    w.passings.push_back(passing);
    Passing& p = w.passings.back();
    p.order = e.order, p.site = e.site, p.warp = e.warp;
}

bool nothing_wanted(const Walk& w) { return w.registers.empty() && w.words.empty() && w.passed.empty(); }

void want_register(Walk& w, const RegisterKey& key, uint32_t lanes) { w.registers[key] |= lanes; }

uint32_t take_register(Walk& w, const RegisterKey& key, uint32_t lanes) {
    const auto found = w.registers.find(key);
    if (found == w.registers.end()) return 0;
    const uint32_t taken = found->second & lanes;
    found->second &= ~lanes;
    if (found->second == 0) w.registers.erase(found);
    return taken;
}

void want_bytes(Walk& w, uint64_t place, uint32_t bytes) {
    each_word(place, bytes, [&](uint64_t word, uint8_t mask) { w.words[word] |= mask; });
}

uint32_t take_bytes(Walk& w, uint64_t place, uint32_t bytes) {
    uint32_t wanted = 0;
    each_word(place, bytes, [&](uint64_t word, uint8_t mask) {
        const auto found = w.words.find(word);
        if (found == w.words.end()) return;
        const uint32_t here = found->second & mask;
        wanted |= word * 4 >= place ? here << (word * 4 - place) : here >> (place - word * 4);
        found->second &= static_cast<uint8_t>(~mask);
        if (found->second == 0) w.words.erase(found);
    });
    return wanted;
}

void open_tile(Walk& w, int index) {
    const Taken& t = w.taken[static_cast<size_t>(index)];
    if (t.tile.ld == 0) return;
    for (int row = 0; row < t.tile.rows; ++row)
        for (int col = 0; col < t.tile.cols; ++col) {
            const uint64_t at = address_in(t, row, col);
            w.tiles[at / 4].push_back({index, at, row, col});
        }
    const Element& from = w.options.from;
    if (from.tile == index)
        want_bytes(w, address_in(t, from.row, from.col), static_cast<uint32_t>(size_of(t.tile.dtype)));
}

Met meet_tiles(Walk& w, uint64_t place, uint32_t bytes, uint32_t wanted) {
    Met met{wanted, false};
    each_word(place, bytes, [&](uint64_t word, uint8_t) {
        const auto found = w.tiles.find(word);
        if (found == w.tiles.end()) return;
        std::erase_if(found->second, [&](const TileAt& at) {
            if (at.byte < place || at.byte >= place + bytes) return false;
            const size_t size = size_of(w.taken[static_cast<size_t>(at.tile)].tile.dtype);
            const auto of_element = static_cast<uint32_t>(((uint64_t{1} << size) - 1) << (at.byte - place));
            if ((wanted & of_element) != 0) pass_element(w, at);
            const bool ends = ends_at(w, at);
            met.ends = met.ends || ends;
            if (ends) met.wanted &= ~of_element;
            return true;
        });
        if (found->second.empty()) w.tiles.erase(found);
    });
    return met;
}

void want_some(Walk& w, uint64_t place, uint32_t bytes) {
    for (; bytes != 0; bytes &= bytes - 1)
        want_bytes(w, place + static_cast<uint64_t>(std::countr_zero(bytes)), 1);
}

void pass_mark(Walk& w, const Executed& e, const Instruction& in) {
    const ptx::Function& f = *w.route.function_of_site[e.site];
    const ptx::Mark& mark = f.marks[static_cast<size_t>(in.mark)];
    const bool fragment = mark.kind == ptx::Mark::Kind::fragment;
    if (!fragment && mark.kind != ptx::Mark::Kind::lanes) return;
    const Operand& o = in.operands[fragment ? 2 : 0];
    const int tile = tile_of_mark(w, e, mark);
    if (tile < 0 || o.kind != Operand::Kind::reg) return;
    const auto element = static_cast<int>(fragment ? in.operands[0].bits : 0);
    const int count = static_cast<int>(fragment ? in.operands[1].bits : 1);
    const int each = std::max(1, w.taken[static_cast<size_t>(tile)].tile.cols / std::max(1, count));
    const RegisterKey key{e.warp, e.depth, o.index};
    for (int lane = 0; lane < 32; ++lane)
        if ((e.lanes >> lane & 1) != 0) w.marked[key].push_back({tile, 0, lane, element * each});
    const Element& from = w.options.from;
    if (from.tile == tile && from.col / each == element) want_register(w, key, 1u << from.row);
}

uint32_t meet_register(Walk& w, const RegisterKey& key, uint32_t written, uint32_t wanted) {
    if (const auto known = w.known.find(key); known != w.known.end()) {
        wanted &= ~(known->second & written);
        known->second &= ~written;
        if (known->second == 0) w.known.erase(known);
    }
    const auto found = w.marked.find(key);
    if (found == w.marked.end()) return wanted;
    std::erase_if(found->second, [&](const TileAt& at) {
        if ((written >> at.row & 1) == 0) return false;
        if ((wanted >> at.row & 1) != 0) pass_element(w, at);
        if (ends_at(w, at)) wanted &= ~(1u << at.row);
        return true;
    });
    return wanted;
}

}  // namespace wl::travel

// The set of values that a slice still has to explain, and the tiles whose elements it has not met yet.
// Internal to travel.
#pragma once

#include "instrumentation/travel/deciders.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace wl::travel {

struct TileAt {
    int tile = 0;
    uint64_t byte = 0;  // where the tile's element begins
    int row = 0, col = 0;
};

struct Walk {
    Route& route;
    const std::vector<Taken>& taken;
    const SliceOptions& options;
    const Log& log;
    std::unordered_map<RegisterKey, uint32_t, HashKey> registers{};  // lanes
    std::unordered_map<uint64_t, uint8_t> words{};                   // bytes of each 4, by place / 4
    std::map<PassedKey, std::monostate> passed{};
    std::unordered_map<uint64_t, std::vector<TileAt>> tiles{};               // of words not yet met a write
    std::unordered_map<RegisterKey, std::vector<TileAt>, HashKey> marked{};  // by lane as `row`
    std::unordered_map<RegisterKey, uint32_t, HashKey>
        known{};           // lanes whose value an element that ends the walk has
    size_t next_tile = 0;  // tiles from here on lie behind the place of the walk
    std::map<uint32_t, SliceStep> steps{};
    std::map<std::tuple<int, int, int>, Element> elements{};
    std::set<std::string> not_followed{};
    Deciding* deciding = nullptr;  // nullptr: nobody asks
    // By site: a walk of what its reads alone are made of.
    std::map<uint32_t, Walk*> through{};
    std::vector<Passing> passings{};  // at most SliceOptions::passings
    bool passed_all = true;
};

// The register of one lane.
Cell cell_of(const RegisterKey& key, int lane);
void note_passing(Walk& w, const Executed& e, const Passing& passing);

// f(word, mask of its bytes) for each 4 bytes that the bytes lie in.
template <class F>
void each_word(uint64_t place, uint32_t bytes, const F& f) {
    for (uint64_t at = place; at < place + bytes;) {
        const uint64_t end = std::min((at / 4 + 1) * 4, place + bytes);
        const auto mask = static_cast<uint8_t>(((1u << (end - at)) - 1) << (at % 4));
        f(at / 4, mask);
        at = end;
    }
}

// A byte's place for everyone: local memory differs by warp and lane.
uint64_t place_of(uint64_t address, int warp, int lane);

bool nothing_wanted(const Walk& w);
void want_register(Walk& w, const RegisterKey& key, uint32_t lanes);
// Lanes of the register that are wanted; they are no longer.
uint32_t take_register(Walk& w, const RegisterKey& key, uint32_t lanes);
void want_bytes(Walk& w, uint64_t place, uint32_t bytes);
void want_some(Walk& w, uint64_t place, uint32_t mask);  // a bit a byte
// Which of the bytes (at most 32) are wanted, a bit each; they are no longer.
uint32_t take_bytes(Walk& w, uint64_t place, uint32_t bytes);

// The walk has come to the instant where the tile was taken: whoever wrote its elements last comes next.
void open_tile(Walk& w, int index);

// Bytes that are written: the tiles that hold them have their elements from here.
struct Met {
    uint32_t wanted = 0;  // of the wanted bytes, those at whose elements the walk does not end
    bool ends = false;    // some of the elements end it, wanted or not
};
Met meet_tiles(Walk& w, uint64_t place, uint32_t bytes, uint32_t wanted);

// A mark of a fragment's register, or of one value a lane.
void pass_mark(Walk& w, const Executed& e, const ptx::Instruction& in);
// The register is written in these lanes: those of the wanted ones that the walk does not end at.
uint32_t meet_register(Walk& w, const RegisterKey& key, uint32_t written, uint32_t wanted);

}  // namespace wl::travel

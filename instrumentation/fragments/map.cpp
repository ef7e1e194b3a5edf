// Both directions of a map, and its words.
#include "instrumentation/fragments/map.h"

namespace wl::fragments {

std::string proof_text(const Map& map) {
    switch (map.proof) {
        case Proof::measured: return "measured on an H200 (sm_90)";
        case Proof::alike: return "measured on an H200 (sm_90) for " + map.alike + ", of as many bits";
        case Proof::isa: return "from the ISA, not measured";
        case Proof::cutlass: return "from CUTLASS's copy traits, not measured";
    }
    return "";
}

Map repeated(Map map, int blocks) {
    const FragmentLayout one = map.layout;
    FragmentLayout& l = map.layout;
    l.places.clear();
    for (int lane = 0; lane < map.lanes; ++lane)
        for (int block = 0; block < blocks; ++block)
            for (int i = 0; i < one.elements; ++i) {
                FragmentPlace place = one.at(lane, i);
                place.matrix = static_cast<int16_t>(place.matrix + block * one.matrices);
                l.places.push_back(place);
            }
    l.matrices *= blocks, l.elements *= blocks, l.registers *= blocks;
    l.distinct = l.elements;
    map.blocks = blocks;
    return map;
}

Holder holder_of(const Map& map, int lane, int element) {
    const int bit = element * map.layout.bits;
    return {lane, element, bit / map.layout.register_bits, bit % map.layout.register_bits, map.layout.bits};
}

std::vector<Holder> holders(const Map& map, const FragmentPlace& of) {
    std::vector<Holder> found;
    for (int lane = 0; lane < map.lanes; ++lane)
        for (int element = 0; element < map.layout.elements; ++element)
            if (map.layout.at(lane, element) == of) found.push_back(holder_of(map, lane, element));
    return found;
}

std::string part_text(const Holder& holder) {
    const int number = holder.bit / holder.bits;
    switch (holder.bits) {
        case 16: return number == 0 ? "low half" : "high half";
        case 8: return "byte " + std::to_string(number);
        case 4: return "nibble " + std::to_string(number);
        case 1: return "bit " + std::to_string(number);
        default: return "";
    }
}

std::vector<Held> held(const Map& map, int lane, int reg) {
    std::vector<Held> found;
    for (int element = 0; element < map.layout.elements; ++element) {
        const Holder holder = holder_of(map, lane, element);
        const FragmentPlace& place = map.layout.at(lane, element);
        if (place.row >= 0 && (reg < 0 || holder.reg == reg)) found.push_back({holder, place});
    }
    return found;
}

std::string place_text(const Map& map, const FragmentPlace& place) {
    const std::string matrix = map.layout.matrices > 1 ? std::to_string(place.matrix) + ": " : "";
    return "(" + matrix + std::to_string(place.row) + ", " + std::to_string(place.column) + ")";
}

}  // namespace wl::fragments

// Where an element comes from, link by link, as `warplens why --serve` answers.
#pragma once

#include "app/worker/element.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

// An element of a captured tile or an output.
struct ProvenanceElement {
    std::string tile;
    Element at;
    int iteration = -1, warp = -1;             // -1: of an output; of the block
    double got = 0, reference = 0, bound = 0;  // reference NaN: it was not compared
    enum class State : uint8_t { unknown, right, wrong } state = State::unknown;
};

// What decided which bytes a line read or wrote, or that it was executed: an address or a guard.
struct ProvenanceDecider {
    enum class Kind : uint8_t { address, guard } kind = Kind::address;
    std::string file, text;
    int line = 0, warp = 0, lane = 0;
    std::vector<int> inlined_at;
    std::string value;
    std::string out_of;  // arguments, threadIdx.x and the like that it begins with
};

// What the value came through: elements that one mark took, or a source line by its last instruction.
struct ProvenanceLink {
    enum class Kind : uint8_t { tile, line } kind = Kind::tile;
    uint64_t order = 0;         // instant of the block
    ProvenanceElement element;  // the first wrong one of the tile, else its first
    int elements = 0, wrong = 0;
    bool first_wrong = false;  // of the whole chain
    std::string file, text;    // of a line
    int line = 0, warp = 0, lane = 0;
    std::vector<int> inlined_at;
    std::string value, instructions;  // what the lane wrote; empty: not known
    uint64_t times = 0;               // lane executions
    bool suspect = false;             // it lies between the first wrong element and the right ones before it
    bool misled = false;  // of these, one at which what does not belong came in: by a wrong address or guard
    std::vector<ProvenanceDecider> deciders;
};

struct ProvenanceReport {
    std::string question;
    std::string problem;  // why there is no chain; empty: there is
    int64_t block = 0;
    ProvenanceElement asked;
    std::vector<ProvenanceLink> links;  // back in kernel time: what came last is first
    std::vector<std::string> inputs, not_followed;
    std::optional<Element> belongs_to;  // of the wrong element's tile: whose right value it has
};

// Throws Error when the line is not such an answer.
ProvenanceReport provenance_report(const std::string& json);

}  // namespace wl::app

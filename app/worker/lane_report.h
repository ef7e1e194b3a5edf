// What the 32 lanes of a warp hold at an instant, as `warplens at --serve` answers.
#pragma once

#include "instrumentation/base/anchors.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct LaneRow {
    std::string expression, origin;
    std::string problem;                 // why there are no values; empty: there are
    std::array<std::string, 32> text;    // by lane; "-": no value
    std::array<double, 32> number{};     // NaN: no number
    uint32_t changed = 0;                // lanes that held something else at the instant shown before ...
    std::array<std::string, 32> before;  // ... and what
    bool uniform = false;                // all active lanes hold the same
    double low = 0, high = 0;            // of the finite numbers of active lanes
    int depth = 0;                       // of a part of an opened object: how deep
    bool opens = false;                  // has parts
};

// Lanes of a warp that stand at one line.
struct WarpRow {
    int warp = 0;
    uint32_t lanes = 0;  // 0: it has ended
    std::string file;    // empty: no line
    int line = 0;
    std::string waits;  // for what; empty: for its turn alone
    LaneRow row;        // of LaneReport::across; no text: it was not asked
};

struct LaneReport {
    std::string asked;    // the question
    std::string problem;  // why there is no such instant; empty: there is
    std::string build, function, instruction, file;
    std::string schedule_note;  // how the order of execution differs from that of the recorded run
    int line = 0;
    int64_t block = 0;
    int warp = 0;
    uint64_t time = 0, order = 0;  // of its build: of the warp's clock; instants of the block before
    Between between;               // the same instant for another build
    uint32_t lanes = 0;            // active
    std::vector<LaneRow> rows;
    std::vector<WarpRow> warps;  // of the block, at the same instant
    std::string across;          // the expression that is told of every warp; empty: none
};

// Throws Error when the line is not such an answer.
LaneReport lane_report(const std::string& json);

}  // namespace wl::app

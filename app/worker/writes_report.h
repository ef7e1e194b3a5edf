// Every write to an element, as `warplens at --writes --serve` answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct WriteRow {
    uint64_t order = 0;  // instants of the block before it, in the report's build
    int warp = 0, lane = 0, epoch = 0;
    int lanes = 1;           // that write there at once
    int iteration = -1;      // of the stage; -1: it is in none
    std::string stage;       // the same: empty
    std::string file, left;  // of the line; the value until the next write, empty: not known
    int line = 0;            // 0: none
    bool copy = false;       // it lands later
};

struct WritesReport {
    std::string asked;
    std::string problem;  // why there is no list; empty: there is
    std::string build, element;
    int64_t block = 0;
    bool global = false;         // other blocks may write there, too
    std::vector<WriteRow> rows;  // in kernel time
};

// Throws Error when the line is not such an answer.
WritesReport writes_report(const std::string& json);

}  // namespace wl::app

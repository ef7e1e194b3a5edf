// How the rows of a matrix were laid into shared memory, read off the write log of the recorded block.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"

#include <optional>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// What one instruction wrote: runs of equal length at equal distances, apart from rows left out. Bytes.
struct WrittenRows {
    uint32_t site = 0;
    uint64_t base = 0;                         // of row 0
    uint64_t row_bytes = 0;                    // of a run
    uint64_t pitch = 0;                        // from one row to the next
    int rows = 0;                              // up to the last one written
    std::vector<std::pair<int, int>> missing;  // rows [first, last] in between that were never written
};

// All instructions of the recorded block that wrote at least two rows with a gap between them.
std::vector<WrittenRows> written_rows(const Symptoms& s);

// Of those, the one between whose rows the unwritten `address` lies, and the row that it would be in.
struct MissingRow {
    WrittenRows rows;
    int row = 0;
};
std::optional<MissingRow> missing_row(const Symptoms& s, uint64_t address);

std::string rows_text(const std::vector<std::pair<int, int>>& ranges);  // "12..15, 28"

}  // namespace wl::diagnosis

// What is shown of a block's shared memory: its matrices by name, the history of every byte, and of chosen
// requests the phases and costs.
#pragma once

#include "instrumentation/base/banks.h"
#include "instrumentation/capture/shared_state.h"
#include "instrumentation/layouts/matrix.h"
#include "instrumentation/layouts/what_if.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct SharedMatrix {
    std::string name;
    layouts::Matrix matrix;
    int region = -1;                // index in SharedState::regions; -1: its layout was asked for
    std::vector<int32_t> elements;  // layouts::elements_of
};

struct SharedView {
    std::vector<int32_t> run_of;         // by byte: index in SharedState::runs
    std::vector<SharedMatrix> matrices;  // of the regions whose shape is known, the current ones first
};
SharedView make_shared_view(const capture::SharedState& state);

// A matrix of a name, as it was asked to be read: `as` empty: as it was marked. Nothing of the name is taken
// where `as` says where it begins. Throws Error with the names that there are.
SharedMatrix shared_matrix(
    const capture::SharedState& state, const SharedView& view, const std::string& name, const std::string& as
);

// (row, column) of the element that holds a byte; nothing: padding, or outside.
struct SharedElement {
    int64_t row = 0, column = 0;
    friend bool operator==(const SharedElement&, const SharedElement&) = default;
};
std::optional<SharedElement> element_at(const SharedMatrix& m, uint32_t byte);

double shared_value(const capture::SharedState& state, DType dtype, uint32_t byte);  // NaN: outside

// Of the bytes [begin, begin + bytes): the history that says most, a copy in flight before bytes never
// written before old ones before new ones.
const capture::SharedRun& telling_run(
    const capture::SharedState& state, const SharedView& view, uint32_t begin, uint32_t bytes
);

struct FreshnessCounts {
    uint32_t never = 0, now = 0, stale = 0, flying = 0;  // bytes
};
FreshnessCounts count_bytes(const capture::SharedState& state, uint32_t begin, uint32_t end);
// Of the matrix's elements alone, without its padding.
FreshnessCounts count_bytes(
    const capture::SharedState& state, const SharedView& view, const SharedMatrix& matrix
);

// "stale: written 3 epochs, 1 iteration ago by warp 7 lane 4 at v2c_4.cu:64".
std::string history_text(const capture::SharedState& state, const capture::SharedRun& run);

// One request with what it costs as it is, and with a change of the matrix.
struct RequestCost {
    BankCost bank;                 // shared memory
    SectorCost sector;             // global memory
    std::vector<uint32_t> phases;  // lanes that are served together
};
RequestCost cost_of(const capture::LineRequest& request);

struct PatternTotal {
    uint64_t requests = 0, now = 0, then = 0, ideal = 0;  // wavefronts
    std::string problem;                                  // why the change is not possible
};
// All requests of the block that touch the matrix.
PatternTotal total_of(
    const std::vector<capture::AccessPattern>& patterns,
    const layouts::Matrix& matrix,
    const layouts::Change& change
);

}  // namespace wl::app

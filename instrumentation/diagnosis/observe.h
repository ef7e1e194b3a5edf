// From a mark taken by an executor to a tile with its verdict.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/diagnosis/case.h"
#include "instrumentation/execution/executor.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// Collects the tiles of a run; add_tile may be called from several threads at once.
struct Observer {
    const manifest::Problem& problem;
    const execution::Listing& listing;
    const analysis::Reference* reference = nullptr;  // null: nothing is compared
    bool wanted = true;                    // false: nobody asked for a comparison, so that its lack is no gap
    bool keep = false;                     // elements, reference, bounds and owners go into the capture
    capture::Capture& capture;             // probes, tiles, blobs, notes are added
    const Unsettled* unsettled = nullptr;  // elements of outputs that are not judged behind this launch
    std::vector<execution::Array> arrays = {};  // that are taken besides the listing's marks
    std::mutex mutex = {};
    std::vector<int> probe_of_mark = {};  // index in capture.probes; -1: not seen yet
    // Which elements the lanes' registers hold, by the probe's name and elements a lane; filled as probes are
    // met.
    std::map<std::pair<std::string, int>, std::vector<manifest::LanePlace>> places = {};
    std::vector<std::string> problems = {};  // windows that the reference could not give, once each
};

// The reference of a snapshot of the mark: blank when the manifest names none for it. Fills `problem` when
// there should be one.
analysis::ReferenceTile reference_of(
    Observer& observer, const std::string& mark, const execution::TileSnapshot& snapshot
);

void add_tile(Observer& observer, execution::TileSnapshot&& snapshot);

// The tile's elements with their reference and limits become blobs of the capture.
void keep_elements(
    Observer& observer,
    capture::Tile& tile,
    DType dtype,
    std::vector<std::byte> values,
    const analysis::ReferenceTile& reference
);

// Orders probes and tiles by kernel time, whatever thread saw them first. Call once the run is over.
void finish(Observer& observer);

// Events name marks by their index in the listing; captures name probes.
void name_probes(const Observer& observer, std::vector<capture::BlockRecord>& records);

// Every output argument, those in structs too, against its reference tensor, as (rows, last extent) matrices:
// verdicts, tiles of the whole launch, Output rows.
void compare_outputs(Observer& observer, const execution::GlobalMemory& memory);

// Those alone that are compared behind the launch that is looked at, [launch.output.NAME], named "NAME after
// launch 1 (scale)". False: one of them is wrong.
bool compare_launch_outputs(Observer& observer, const execution::GlobalMemory& memory);

// How an output is judged behind the launch that is looked at.
manifest::OutputRule rule_of(const manifest::Problem& problem, const std::string& output);
// Why a reference's tensor is no truth for this output; empty: it is one, or there is none.
std::string misfit(
    const analysis::Reference& reference, const std::string& of, const manifest::BoundArgument& output
);

// Outputs, with their tiles and elements, in place of those that are there.
void move_outputs(const capture::Capture& from, capture::Capture& to);

}  // namespace wl::diagnosis

// Every way the selection moves: to a tile, a finding, an instant. Keeps its fields consistent with each
// other.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wl::app {

void select_first(
    const Session& session, Selection& selection
);  // first finding, first bad tile, or the last output
void select_tile(const Session& session, Selection& selection, int tile);
// An element of the selected tile, by a click; with the warp and lane that wrote it, where that is known.
void select_element(const Session& session, Selection& selection, Element element);
void select_finding(const Session& session, Selection& selection, int finding);
// Of the selected finding the first place (0), or the other (1): the second access of a race, the last writer
// of a bad value. Its warp, line and, where the recorded block shows it, its instant are selected.
void select_witness(const Session& session, Selection& selection, int witness);
// The instant of that place in its block; none where the block was not recorded, or nothing of the line was.
std::optional<uint32_t> time_of_witness(const Session& session, int finding, int witness);
// That place; nullptr: none is selected.
const capture::Where* witness_of(const Session& session, const Selection& selection);
// Of the source, chosen by a click; the recorded program may have no instruction there.
void select_line(const Session& session, Selection& selection, int source, int line);
void select_site(
    const Session& session, Selection& selection, int site
);  // of a line that was chosen; -1: nothing happens

// The next tile in the capture's order (forward: 1, back: -1) whose verdict is bad, round the end. False:
// there is none.
bool select_next_bad(const Session& session, Selection& selection, int direction);

// The first wrong element, in its tile, with the finding that speaks of it: the cause where several do.
void select_first_wrong(const Session& session, Selection& selection);

// Kernel time of the selected recorded block: the tile last taken at or before it, and the site where the
// selected warp stands, follow.
void move_to_time(const Session& session, Selection& selection, uint32_t time);
// Forward (1) or back (-1): to the next instant at which anything happened in the block, or to the next stop:
// a mark, or where the selected warp enters a stage or comes to or leaves a barrier.
enum class StepKind : uint8_t { instant, stop };
void step(const Session& session, Selection& selection, int direction, StepKind stride);

// The record that the timeline shows: the selected block's, else the first. -1: nothing was recorded.
int shown_record(const Session& session, const Selection& selection);

// Of the source, where the selection stands: a step's line, else the site's, the author's own. Line 0:
// nowhere. The file as it lies on this machine where it does.
struct SourcePlace {
    std::string file;
    int line = 0;
};
SourcePlace place_of_line(const Session& session, const Selection& selection);
// The file of that source on this machine; empty: it is not there.
std::string file_of_source(const Session& session, int source);

// Site of the first instruction compiled from that line; file may be a path or its last part. -1: none.
int site_at_line(const capture::Capture& capture, const std::string& file, int line);

}  // namespace wl::app

// One instant for all panels: what Lanes was answered moves the selection, and steps lead on from there.
#pragma once

#include "app/session/lane_question.h"

#include <optional>
#include <string>

namespace wl::app {

// Steps from the instant that is shown, or that the question names while its answer is awaited; several are
// taken one after the other. `words`: of --step.
void ask_step(
    Session& session, const Selection& selection, const LaneQuestion& from, const std::string& words
);

// Goes to an instant of the block that these options name: "--first nan".
// `tile_stays`: the selected tile is not that which was taken last before it.
void ask_instant(
    Session& session,
    const Selection& selection,
    const LaneQuestion& from,
    const std::string& options,
    bool tile_stays = false
);

// Options that name what made the first wrong element: the write after which its tile was taken, or its mark;
// empty: none is wrong.
std::string first_wrong_words(const Session& session);

// Was a race seen whose accesses can be stepped to?
bool has_race(const Session& session);

// What a worker that ended was asked, a step as well; else the question that it answered last.
void ask_lanes_again(Session& session);

// An answer has come: the panel shows it, the selection follows. A step that leads nowhere becomes the
// message.
void take_lanes_answer(Session& session, Selection& selection, const std::string& answer);

// The next of the steps that wait, when nothing is being answered.
void take_waiting_step(Session& session, const Selection& selection);

// The instant that Lanes shows, when it is the selected one; nullptr: none is, or its answer is awaited.
const LaneReport* instant_shown(const Session& session, const Selection& selection);
// Options that name the same instant for another warp: where that one stands then.
std::string instant_of_warp(const LaneReport& report, int warp);

// Of the report's instant, where the timeline shows its block.
std::optional<uint32_t> timeline_time(const Session& session, const LaneReport& report);
// The selected time for another build: "softmax#0,barrier#2,0.5"; empty: no block was recorded.
std::string between_words(const Session& session, const Selection& selection);

// One breakpoint a line.
void set_breakpoint(Session& session, const Breakpoint& breakpoint);
void remove_breakpoint(Session& session, const Breakpoint& breakpoint);
const Breakpoint* breakpoint_at(const Session& session, const std::string& path, int line);  // nullptr: none
bool breaks_on(const Session& session, const std::string& element);  // where it is written
// As --break reads it.
std::string breakpoint_words(const Breakpoint& breakpoint);

}  // namespace wl::app

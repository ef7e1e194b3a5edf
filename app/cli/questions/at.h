// warplens at: a block prepared once, asked about many instants; and the answers.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/analysis/timeline.h"
#include "instrumentation/base/anchors.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/fragments/live.h"
#include "instrumentation/travel/search.h"
#include "instrumentation/travel/shared_log.h"
#include "instrumentation/travel/slice.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

// `route` refers to the experiment's module: stays where it was made.
struct Trip {
    diagnosis::Experiment experiment;
    travel::Route route;
    std::optional<capture::Capture> recorded;         // that was named
    std::optional<std::vector<travel::Taken>> taken;  // tiles and arguments, once they are asked for
    std::optional<travel::SharedLog> shared;          // once it is asked for
    std::optional<analysis::Timeline> timeline;       // of the recorded block, once it is asked for
    std::vector<std::string> faults;
    std::string build;
    bool carried = false;  // it is repeated from what the capture carries
    int64_t block = 0;
    int warps = 0;
};
// Throws Error (unknown words, compile error, bad launch) and Unsupported.
// `recorded`: the run to repeat; nullptr: that of the capture which the command names, if it names one.
std::unique_ptr<Trip> make_trip(
    const Command& command, const AtOptions& o, const capture::Capture* recorded = nullptr
);

struct Printed {
    std::string expression, origin;
    std::vector<std::string> lanes;  // "-": no value
    std::string problem;             // why there are no values
    std::string missing;             // "key is not live here": names that leave every lane without one
    int depth = 0;                   // of a part of an opened object: how deep
    bool opens = false;              // has parts
};

// Lanes of a warp that stand at one place.
struct WarpStands {
    int warp = 0;
    uint32_t lanes = 0;  // 0: the warp has ended
    std::string place, waits;
    std::vector<std::string> values;  // of --across, by lane of all 32; empty: nothing was asked
    std::string problem;              // why there are none
};

// An instant on the way.
struct Stop {
    std::string step, place;
    int warp = 0;
    uint64_t time = 0;
    uint32_t lanes = 0;
};

struct AtReport {
    std::string kernel, build, place, function, text;
    std::vector<std::string> faults;
    int64_t block = 0;
    int warp = 0;
    uint64_t time = 0;
    uint32_t lanes = 0;
    int epoch = 0;
    uint64_t order = 0;                // instants of the block before it
    Between between;                   // the same instant for another build
    std::optional<uint64_t> timeline;  // its time in the recorded run
    std::vector<Stop> way;             // where each step led
    std::string note;                  // what happens there, when that was asked for
    std::string build_note;            // why it is not the debug build
    std::string schedule_note;         // how the order of execution differs from that of the capture's run
    std::vector<Printed> values;
    std::vector<WarpStands> warps;
    std::string across;        // the expression whose values `warps` have
    bool tells_warps = false;  // to people, too
};
// Throws Error when the block has no warp of that number.
void require_warp(const Trip& trip, const AtOptions& o);
// Does anything but a later step say where to go?
bool names_an_instant(const AtOptions& o);
// Goes there; says what happens there. Throws Error when there is no such instant.
std::string travel_to(Trip& trip, const AtOptions& o);
// Then on by the steps of the options: where each led. Throws Error when one leads nowhere.
std::vector<Stop> take_steps(Trip& trip, const AtOptions& o);
// An element of a tile as its mark took it, of an argument, or an address.
travel::NamedBytes bytes_of(Trip& trip, const std::string& text, int iteration);
std::string place_here(const travel::Route& route);

// Of the warp in the recorded run; none where the block was not recorded.
std::optional<Anchors> recorded_anchors(Trip& trip, int warp);
AtReport answer(Trip& trip, const AtOptions& o);

// Every warp of the block where the route stands, with the values of an expression unless that is empty.
std::vector<WarpStands> warps_of(const travel::Route& route, const std::string& across);

// The same as `answer` of a matrix instruction: its fragments.
fragments::Live answer_fragments(Trip& trip, const AtOptions& o);

std::string report_text(const AtReport& r);
nlohmann::ordered_json report_json(const AtReport& r);

// Every line of stdin holds options of `at`; its answer is one line of JSON with the line in "asked", and
// "error" where there is none. Ends with stdin.
int serve_at(const Command& command);

}  // namespace wl::app

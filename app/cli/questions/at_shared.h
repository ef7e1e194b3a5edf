// Shared memory at an instant, as `at --shared` answers: regions, one matrix of them, the requests of a line.
#pragma once

#include "app/cli/questions/at.h"
#include "app/draw/shared_memory/colours.h"
#include "app/draw/sheet.h"
#include "app/session/shared_view.h"
#include "app/worker/declaration.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct SharedAnswer {
    std::string kernel;
    std::vector<std::string> faults;
    std::string note;  // what happens at the instant
    capture::SharedState state;
    SharedView view;
    std::vector<SharedMatrix> matrices;            // asked for by --shared NAME and --as
    std::vector<capture::LineRequest> requests;    // of --access
    std::string access_problem;                    // why there are none
    std::optional<SharedMatrix> touched;           // the matrix that the first of them touches
    std::vector<capture::AccessPattern> patterns;  // all requests of the block that touch it
    std::optional<layouts::Change> change;
    LeadingLine line;  // of the source, for a padding
    SharedColour colour = SharedColour::state;
};
// Throws Error.
SharedAnswer answer_shared(Trip& trip, const AtOptions& o);

std::string shared_text(const SharedAnswer& a);
nlohmann::ordered_json shared_json(const SharedAnswer& a);
Sheet shared_sheet(const SharedAnswer& a);

// The answer on stdout, or in the file of -o.
int show_shared(const Command& command, Trip& trip);

}  // namespace wl::app

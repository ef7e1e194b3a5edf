// `warplens at` and `warplens why`.
#include "app/cli/questions/at.h"
#include "app/cli/questions/at_fragments.h"
#include "app/cli/questions/at_shared.h"
#include "app/cli/questions/at_writes.h"
#include "app/cli/questions/why.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wl::app {

int verb_at(const Command& command) {
    if (command.at.serve) return serve_at(command);
    const std::unique_ptr<Trip> trip = make_trip(command, command.at);
    if (command.at.shared.asked) return show_shared(command, *trip);
    if (command.at.fragments) {
        const fragments::Live live = answer_fragments(*trip, command.at);
        const std::string text = command.output.json ? json_text(live_json(live)) + "\n" : live_text(live);
        print_text(text);
        return kExitOk;
    }
    if (!command.at.writes.empty()) return show_writes(command, *trip);
    const AtReport r = answer(*trip, command.at);
    for (const Printed& p : r.values)
        if (!p.problem.empty()) throw Error(p.problem);
    const bool nowhere =
        std::all_of(r.warps.begin(), r.warps.end(), [](const WarpStands& w) { return w.values.empty(); });
    for (const WarpStands& w : r.warps)
        if (nowhere && !w.problem.empty()) throw Error(w.problem);
    const std::string text = command.output.json ? json_text(report_json(r)) + "\n" : report_text(r);
    print_text(text);
    return kExitOk;
}

int verb_why(const Command& command) {
    if (command.why.serve) return serve_why(command);
    const std::unique_ptr<Inquiry> inquiry = begin_inquiry(command);
    const WhyReport report = why(*inquiry, command.why);
    const std::string text = command.output.json ? json_text(why_json(report)) + "\n" : why_text(report);
    print_text(text);
    const bool wrong =
        report.chain.asked.state == diagnosis::TileElement::State::wrong || report.chain.first_wrong >= 0;
    return wrong ? kExitFindings : kExitOk;
}

}  // namespace wl::app

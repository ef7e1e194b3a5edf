#include "app/session/compare/find.h"

#include "app/session/compare/against.h"
#include "app/session/compare/search.h"
#include "app/session/navigate.h"
#include "instrumentation/base/error.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace wl::app {

namespace {

// Marks of which what has been counted meanwhile says that none of their pairs can differ.
std::vector<int> agreeing_marks(const Against& against) {
    std::vector<int> marks;
    if (against.iterations > 0 || !against.counted.answer) return marks;
    for (const analysis::ProbePairs& probe : against.counted.answer->probes)
        if (probe.differ == 0 && probe.elsewhere == 0) marks.push_back(probe.a);
    return marks;
}

void take_found(Session& session, Selection& selection) {
    try {
        const int found = session.against.search->found.get();
        session.message = {};
        if (found < 0 || found == session.against.search->from)
            session.message = {found < 0 ? "A and B differ in no tile." : "No other tile differs.", false};
        if (found >= 0) select_tile(session, selection, found);
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

}  // namespace

void find_difference(Session& session, const Selection& selection, int tile, int probe) {
    Against& against = session.against;
    if (!has_other(against)) return;
    against.search.reset();
    DifferenceQuery query{
        &session.capture, nullptr, against.iterations, tile, probe, agreeing_marks(against)};
    if (against.iterations == 0) query.b = against.other;
    against.search = start_search(std::move(query));
    against.search->selected = selection.tile;
}

bool hear_difference(Session& session, Selection& selection) {
    std::unique_ptr<DifferenceSearch>& search = session.against.search;
    if (!search) return false;
    if (search->selected != selection.tile) {
        session.message = {};
    } else if (search->found.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        take_found(session, selection);
    } else {
        const double share = static_cast<double>(search->effort.elements) / static_cast<double>(search->of);
        session.message = {
            fmt::format("Looking for the next tile that differs: {:.0f} %", 100 * std::min(share, 1.0)),
            false};
        return true;
    }
    search.reset();
    return true;
}

}  // namespace wl::app

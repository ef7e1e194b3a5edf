// What `warplens init` prints is read as far as it lists what is left to do.
#include "app/session/edit/describe.h"

#include "app/session/edit/known.h"
#include "app/session/edit/open.h"
#include "app/session/lookup.h"
#include "app/session/run.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/lines.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace wl::app {

namespace {

// "  1. the host's launch was not found": without its number.
std::vector<std::string> numbered(const std::string& text) {
    std::vector<std::string> out;
    for (std::string_view line : lines_of(text)) {
        if (!line.starts_with("  ")) continue;
        line.remove_prefix(line.find_first_not_of(' '));
        const size_t point = line.find(". ");
        const bool is_number = point != line.npos && point > 0 && std::isdigit(line[0]) != 0;
        if (is_number) out.emplace_back(line.substr(point + 2));
    }
    return out;
}

}  // namespace

void describe(Session& session) {
    if (!is_undescribed(session) || session.describing.worker) return;
    try {
        auto worker = std::make_unique<Worker>();
        start(*worker, {session.program, "init", session.path}, "");
        session.describing = {std::move(worker), session.path, {}};
        session.broken.reset();
        session.message = {"Looking at what " + file_name(session.path) + " does.", false};
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

std::vector<std::string> still_left(const Session& session) {
    const capture::Capture& c = session.capture;
    const bool ran = !is_undescribed(session) && !c.tiles.empty();
    const bool compares =
        std::ranges::any_of(c.tiles, [](const capture::Tile& tile) { return tile.compared > 0; });
    const std::string reference = file_name(reference_beside(session.describing.source)) + ": ";
    const auto is_done = [&](const std::string& what) {
        if (!ran) return false;
        if (what.find(reference) != std::string::npos) return compares;
        for (const char* part : {"args", "params", "launch"})
            if (what.find("[" + std::string(part) + "]") != std::string::npos)
                return std::ranges::find(c.covered.assumed, part) == c.covered.assumed.end();
        return c.covered.assumed.empty();
    };
    std::vector<std::string> left = session.describing.left;
    std::erase_if(left, is_done);
    return left;
}

bool hear_describing(Session& session, Selection& selection) {
    Describing& describing = session.describing;
    if (!describing.worker) return false;
    poll(*describing.worker);
    if (describing.worker->state == WorkerState::running) return true;
    const std::unique_ptr<Worker> worker = std::move(describing.worker);
    if (worker->state != WorkerState::finished) {
        session.broken = broken_by(*worker);
        session.message = {worker->message, true};
        return true;
    }
    describing.left = numbered(worker->answer);
    const std::string manifest = manifest_beside(describing.source);
    if (session.path == describing.source)
        open_anything(session, selection, manifest);
    else
        session.message = {manifest + " is written.", false};
    return true;
}

}  // namespace wl::app

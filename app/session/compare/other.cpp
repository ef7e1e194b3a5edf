#include "app/session/compare/other.h"

#include "app/session/compare/against.h"
#include "app/session/lookup.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <utility>

namespace wl::app {

std::string run_name(const capture::Launch& launch) {
    std::string name = launch.kernel;
    for (const std::string& fault : launch.faults) name.append(" + ").append(fault);
    if (launch.seed != 0) name += ", seed " + std::to_string(launch.seed);
    if (!launch.executor.empty() && launch.executor != "emulator") name += ", " + launch.executor;
    return name;
}

void set_other(Session& session, std::shared_ptr<const capture::Capture> other, std::string name, Made made) {
    drop_other(session);
    Against& against = session.against;
    against.other = std::move(other), against.name = std::move(name), against.made = made;
    start_counting(against, session.capture);
}

void drop_other(Session& session) {
    session.loading.reset();
    if (session.against.search) session.message = {};  // how far the search is
    const uint64_t number = session.against.number + 1;
    session.against = {};
    session.against.number = number;
}

void load_other(Session& session, const std::string& path) {
    try {
        set_other(session, std::make_shared<capture::Capture>(capture::read_capture(path)), file_name(path));
        session.against.shown = true;
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

void compare_earlier(Session& session) {
    drop_other(session);
    session.against.iterations = 1, session.against.shown = true;
    session.against.name = "the iteration before";
}

void keep_as_other(Session& session) {
    set_other(
        session,
        std::make_shared<capture::Capture>(session.capture),
        run_name(session.capture.launch) + ", kept",
        Made::before
    );
}

}  // namespace wl::app

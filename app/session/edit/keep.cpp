// One thread a file; its Error becomes the message.
#include "app/session/edit/keep.h"

#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <chrono>
#include <utility>

namespace wl::app {

void keep_later(Session& session, std::string what, std::string path, std::function<void()> write) {
    if (session.keeping) {
        session.message = {session.keeping->path + " is still being written.", true};
        return;
    }
    session.message = {"Writing " + path + "; the window can be used meanwhile.", false};
    session.keeping = std::make_unique<Keeping>();
    session.keeping->what = std::move(what), session.keeping->path = std::move(path);
    session.keeping->problem = std::async(std::launch::async, [write = std::move(write)]() -> std::string {
        try {
            write();
            return "";
        } catch (const Error& error) { return error.what(); }
    });
}

void save_later(Session& session, const std::string& path) {
    if (session.keeping) return keep_later(session, "", "", {});
    keep_later(session, "The capture", path, [&capture = session.capture, path] {
        capture::write_capture(capture, path);
    });
    session.keeping->of = session.captures;
}

bool hear_keeping(Session& session) {
    if (!session.keeping ||
        session.keeping->problem.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return false;
    const std::unique_ptr<Keeping> kept = std::move(session.keeping);
    const std::string problem = kept->problem.get();
    session.message =
        problem.empty() ? Message{kept->what + " is in " + kept->path + ".", false} : Message{problem, true};
    if (!problem.empty() || kept->of == 0 || kept->of != session.captures) return true;
    session.path = kept->path;
    remember_recent(session.settings, session.path);
    return true;
}

void await_keeping(Session& session) {
    if (!session.keeping) return;
    session.keeping->problem.wait();
    hear_keeping(session);
}

}  // namespace wl::app

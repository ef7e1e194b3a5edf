#include "app/session/load.h"

#include "app/session/compare/other.h"
#include "app/session/edit/keep.h"
#include "app/session/edit/known.h"
#include "app/session/lookup.h"
#include "app/session/navigate.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"

#include <chrono>
#include <filesystem>
#include <utility>

namespace wl::app {

Loaded derive(capture::Capture capture) {
    Loaded loaded;
    loaded.tree = tile_tree(capture);
    for (const capture::BlockRecord& record : capture.records)
        loaded.timelines.push_back(analysis::timeline(capture, record));
    loaded.first_bad = analysis::first_bad_tile(capture);
    loaded.capture = std::move(capture);
    return loaded;
}

void load(Session& session, Selection& selection, capture::Capture capture, std::string path) {
    load(session, selection, derive(std::move(capture)), std::move(path));
}

void load(Session& session, Selection& selection, Loaded loaded, std::string path) {
    await_keeping(session);
    session.opening.reset();
    session.loading.reset();
    const auto b = session.against.other;
    const std::string name_of_b = session.against.name;
    const bool against_b = session.against.shown;
    drop_other(session);
    session.broken.reset();
    session.made_by.reset();
    session.fix.clear();
    session.capture = std::move(loaded.capture);
    session.path = std::move(path);
    ++session.captures;
    session.tree = std::move(loaded.tree);
    session.timelines = std::move(loaded.timelines);
    session.first_bad = loaded.first_bad;
    session.current = {};
    const uint64_t maps = session.written.view.content + 1;  // the worker ends with what it was asked for
    session.written = {};
    session.written.view.content = maps;
    forget_answers(session);
    session.message = {join(session.capture.notes, "; "), false};
    if (!session.capture.complete)
        session.message = {"The writer of this capture did not finish; what it had written is shown.", true};
    selection = {};
    select_first(session, selection);
    know_kernel(session);
    watch_files(session);
    // What comes next is compared with what was kept, if that is of the same kernel.
    if (!b || b->launch.kernel != session.capture.launch.kernel) return;
    set_other(session, b, name_of_b, Made::before);
    session.against.shown = against_b;
}

bool is_big_file(const std::string& path) {
    constexpr uintmax_t kAtOnce = 16 << 20;  // bytes: some 20 ms
    std::error_code unknown;
    const uintmax_t size = std::filesystem::file_size(path, unknown);
    return !unknown && size > kAtOnce;
}

namespace {

void finish_opening(Session& session, Selection& selection) {
    const std::unique_ptr<Opening> opening = std::move(session.opening);
    try {
        load(session, selection, opening->loaded.get(), opening->remove ? "" : opening->path);
        session.made_by = opening->made_by, session.fix = opening->fix;
    } catch (const Error& error) { session.message = {error.what(), true}; }
    std::error_code ignored;
    if (opening->remove) std::filesystem::remove(opening->path, ignored);
}

}  // namespace

bool hear_opening(Session& session, Selection& selection) {
    if (!session.opening) return false;
    if (session.opening->loaded.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        finish_opening(session, selection);
    return true;
}

void load_file(Session& session, Selection& selection, const std::string& path, bool remove) {
    auto opening = std::make_unique<Opening>();
    opening->path = path, opening->remove = remove;
    const bool big = is_big_file(path);
    // One that is removed is read whole. A small one as well: all of it is checked at once.
    opening->loaded =
        std::async(big ? std::launch::async : std::launch::deferred, [path, whole = remove || !big] {
            return derive(whole ? capture::read_capture(path) : capture::open_capture(path));
        });
    session.opening = std::move(opening);
    if (!big) {
        finish_opening(session, selection);
        return;
    }
    session.message = {"Reading " + file_name(path) + "; the window can be used meanwhile.", false};
}

}  // namespace wl::app

// Loading, deriving, running; nothing is drawn here.
#include "app/session/session.h"

#include "app/session/compare/find.h"
#include "app/session/edit/keep.h"
#include "app/session/edit/rerun.h"
#include "app/session/navigate.h"
#include "app/session/questions.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/capture/file.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

namespace wl::app {

namespace {

// The change that mends, as the worker left it; the file goes.
std::string take_fix(const std::string& capture) {
    const std::string path = fix_beside(capture);
    std::error_code ignored;
    std::string fix;
    try {
        if (std::filesystem::is_regular_file(path, ignored)) fix = read_text_file(path);
    } catch (const Error&) { fix.clear(); }  // the finding is shown without it
    std::filesystem::remove(path, ignored);
    return fix;
}

void finish(Session& session, Selection& selection) {
    const std::unique_ptr<Worker> worker = std::move(session.worker);
    const bool is_other = session.purpose == Purpose::other;
    std::string fix = take_fix(worker->capture);
    if (worker->state == WorkerState::finished) {
        take_run(session, selection, worker->capture, true);
        if (!is_other) (session.opening ? session.opening->fix : session.fix) = std::move(fix);
        return;
    }
    session.fixing = -1;
    session.broken = broken_by(*worker);
    const bool kept = session.captures > 0 && worker->message.ends_with('.');
    session.message = {
        worker->message + (kept ? " The capture shown is the previous one." : ""),
        worker->state == WorkerState::failed};
    std::error_code ignored;
    std::filesystem::remove(worker->capture, ignored);
}

// The answer to "what did my edit change, and from where on".
void tell_difference(Session& session) {
    const Against& against = session.against;
    session.message = against.counted.answer
        ? Message{"A " + first_words(*against.counted.answer, session.capture) + ". B: " + against.name + ".", false}
        : Message{against.counted.problem, true};
}

}  // namespace

namespace {

void count_held(Session& session) {
    session.held = capture::bytes_at_hand(session.capture.blobs);
    for (const capture::BlockRecord& record : session.capture.records)
        session.held += record.events.size() * sizeof(capture::Event);
}

// Elements that cannot be had, because the file is damaged there, are said once.
template <class Make>
void make_current(Session& session, const Selection& selection, Make make) {
    try {
        session.current = make();
        count_held(session);
    } catch (const Error& error) {
        session.loading.reset();
        session.current = {};
        session.current.tile = selection.tile, session.current.content = ++session.loads;
        session.message = {error.what(), true};
    }
}

TileView begin_view(Session& session, const Selection& selection, bool paired) {
    return paired
        ? load_pair_view(session.against, session.capture, selection.tile, session.loads, session.loading)
        : load_tile_view(session.capture, selection.tile, session.loads, session.loading);
}

void load_current(Session& session, const Selection& selection, bool paired) {
    session.loading.reset();
    make_current(session, selection, [&] { return begin_view(session, selection, paired); });
}

// What was read from the file alone is measured next.
void take_current(Session& session, const Selection& selection, bool paired) {
    const std::unique_ptr<TileLoad> loaded = std::move(session.loading);
    make_current(session, selection, [&] {
        TileView view = loaded->view.get();
        if (!loaded->reading) return view;
        return begin_view(session, selection, paired);
    });
}

}  // namespace

bool prepare(Session& session, Selection& selection) {
    bool changed = hear_keeping(session);
    if (session.worker) {
        poll(*session.worker);
        changed = true;
    }
    if (session.worker && !session.keeping) {
        if (std::exchange(session.worker->judged, false)) take_verdict(session, selection);
        if (session.worker->state != WorkerState::running) finish(session, selection);
    }
    changed |= !session.keeping && hear_opening(session, selection);
    changed |= hear_banks(session);
    changed |= hear_written(session);
    changed |= hear_lanes(session, selection);
    changed |= hear_fragments(session);
    changed |= hear_shared(session);
    changed |= hear_writes(session);
    if (hear_provenance(session)) take_found_block(session, selection), changed = true;
    changed |= hear_lessons(session);
    changed |= hear_describing(session, selection);
    changed |= look_after_files(session);
    if (hear_counting(session.against)) tell_difference(session), changed = true;
    changed |= hear_difference(session, selection);
    const bool paired = session.against.shown && has_other(session.against);
    const uint64_t against = paired ? session.against.number : 0;
    if (selection.tile != session.current.tile || against != session.shown_against) {
        session.shown_against = against;
        load_current(session, selection, paired);
        changed = true;
    }
    if (session.loading && is_ready(*session.loading)) {
        take_current(session, selection, paired);
        changed = true;
    }
    return changed;
}

bool is_waiting(const Session& session) {
    return session.worker || session.opening || session.keeping || session.loading ||
        is_counting(session.against) || session.against.search || session.banks.worker ||
        is_asking(session.written) || session.lessons.worker || session.describing.worker ||
        !session.lanes.talk.asked.empty() || !session.fragments.talk.asked.empty() ||
        !session.shared.talk.asked.empty() || !session.writes.talk.asked.empty() ||
        !session.provenance.talk.asked.empty();
}

bool has_news(const Session& session) {
    const auto ready = [](const auto& future) {
        return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    const bool silent = session.opening || session.loading;  // they say nothing before they are done
    if (!silent || session.worker || session.keeping || session.banks.worker || session.lessons.worker)
        return true;
    return (session.opening && ready(session.opening->loaded)) ||
        (session.loading && is_ready(*session.loading));
}

}  // namespace wl::app

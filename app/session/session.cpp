// Loading, deriving, running; nothing is drawn here.
#include "app/session/session.h"

#include "app/session/compare/find.h"
#include "app/session/edit/keep.h"
#include "app/session/edit/open.h"
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
#include <unistd.h>
#include <utility>

namespace wl::app {

namespace {

double element_of(
    const capture::BlobStore& blobs, const capture::Tile& tile, capture::BlobId id, DType dtype, size_t index
) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    if (id == capture::kNoBlob || !is_had_at_once(blobs, tile, id)) return kUnknown;
    try {
        const std::vector<std::byte>& bytes = capture::content_of(blobs, id);
        if ((index + 1) * size_of(dtype) > bytes.size()) return kUnknown;
        return to_double(dtype, bytes.data() + index * size_of(dtype));
    } catch (const Error&) { return kUnknown; }  // who selects that tile is told why
}

void finish_opening(Session& session, Selection& selection) {
    const std::unique_ptr<Opening> opening = std::move(session.opening);
    try {
        load(session, selection, opening->loaded.get(), opening->remove ? "" : opening->path);
        session.made_by = opening->made_by;
    } catch (const Error& error) { session.message = {error.what(), true}; }
    std::error_code ignored;
    if (opening->remove) std::filesystem::remove(opening->path, ignored);
}

bool hear_opening(Session& session, Selection& selection) {
    if (!session.opening) return false;
    if (session.opening->loaded.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
        finish_opening(session, selection);
    return true;
}

void finish(Session& session, Selection& selection) {
    const std::unique_ptr<Worker> worker = std::move(session.worker);
    if (worker->state == WorkerState::finished) return take_run(session, selection, worker->capture, true);
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

std::optional<Broken> broken_by(const Worker& worker) {
    if (worker.complaints.empty()) return std::nullopt;
    Broken broken{worker.complaints, worker.complaints.front().file, ""};
    try {
        broken.text = read_text_file(broken.file);
    } catch (const Error&) { return std::nullopt; }  // an embedded one: the message has to do
    return broken;
}

std::vector<std::string> command_line(
    const KernelOptions& request, const std::string& program, const std::string& capture
) {
    std::vector<std::string> words = {program, "run"};
    KernelOptions told = request;
    constexpr uint64_t kSearch = 6;  // seconds: the verdict is shown before, the causes are there within ten
    if (!told.search) told.search = kSearch;
    const std::vector<std::string> kernel = words_of(told);
    words.insert(words.end(), kernel.begin(), kernel.end());
    words.insert(words.end(), {"-o", capture, "--progress"});
    return words;
}

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
    session.banks = {};
    session.lanes = {};
    session.fragments = {};
    session.shared = {};
    session.writes = {};
    session.provenance = {};
    session.message = {join(session.capture.notes, "; "), false};
    if (!session.capture.complete)
        session.message = {"The writer of this capture did not finish; what it had written is shown.", true};
    selection = {};
    select_first(session, selection);
    know_kernel(session);
    watch_files(session);
    // What comes next is compared with what was kept, if that is of the same kernel.
    if (!b || b->launch.kernel != session.capture.launch.kernel) return;
    set_other(session, b, name_of_b);
    session.against.shown = against_b;
}

bool is_big_file(const std::string& path) {
    constexpr uintmax_t kAtOnce = 16 << 20;  // bytes: some 20 ms
    std::error_code unknown;
    const uintmax_t size = std::filesystem::file_size(path, unknown);
    return !unknown && size > kAtOnce;
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

bool may_run(const Session& session) { return !session.worker || session.purpose == Purpose::causes; }

void end_causes(Session& session) {
    if (!session.worker || session.purpose != Purpose::causes) return;
    const std::string file = session.worker->capture;
    session.worker.reset();
    session.purpose = Purpose::fresh;
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
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

void run(Session& session, const KernelOptions& request) {
    const std::string name =
        "warplens-" + std::to_string(getpid()) + "-" + std::to_string(session.loads) + ".wlcap";
    const std::string capture = (std::filesystem::temp_directory_path() / name).string();
    try {
        end_causes(session);
        auto worker = std::make_unique<Worker>();
        start(*worker, command_line(request, session.program, capture), capture);
        session.worker = std::move(worker);
        session.purpose = Purpose::fresh;
        session.broken.reset();
        session.request = request;
        session.message = {"Running " + request.kernel + " in a worker process.", false};
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

const capture::Tile* tile_of(const Session& session, const Selection& selection) {
    const auto& tiles = session.capture.tiles;
    return selection.tile >= 0 && selection.tile < static_cast<int>(tiles.size())
        ? &tiles[static_cast<size_t>(selection.tile)]
        : nullptr;
}

const capture::Probe* probe_of(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    return tile != nullptr ? &session.capture.probes[static_cast<size_t>(tile->probe)] : nullptr;
}

int record_index(const Session& session, int64_t block) {
    const auto& records = session.capture.records;
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i].block == block) return static_cast<int>(i);
    }
    return -1;
}

std::string launch_text(const capture::Capture& capture, int number) {
    return "launch " + std::to_string(number) + " of " + std::to_string(capture.launch.all) + " (" +
        capture.launches[static_cast<size_t>(number - 1)].name + ")";
}

std::string block_text(const capture::Capture& capture, int64_t block) {
    return block_text(block, capture.launch.grid);
}

std::string block_text(int64_t block, Dim3 grid) {
    if (block < 0) return "whole launch";
    const Dim3 at = from_linear(static_cast<uint64_t>(block), grid);
    return "block (" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

int user_site(const capture::Capture& capture, int site) {
    const auto& sites = capture.sites;
    for (int s = site; s >= 0 && s < static_cast<int>(sites.size());
         s = sites[static_cast<size_t>(s)].inlined_at) {
        const int source = sites[static_cast<size_t>(s)].source;
        if (source < 0 || source >= static_cast<int>(capture.sources.size())) continue;
        if (!is_toolkit_header(capture.sources[static_cast<size_t>(source)].path)) return s;
    }
    return site;
}

std::string place_text(const capture::Capture& capture, int of) {
    const int site = user_site(capture, of);
    if (site < 0 || site >= static_cast<int>(capture.sites.size())) return {};
    const capture::Site& at = capture.sites[static_cast<size_t>(site)];
    if (at.source < 0 || at.source >= static_cast<int>(capture.sources.size()) || at.line <= 0) return {};
    return file_name(capture.sources[static_cast<size_t>(at.source)].path) + ":" + std::to_string(at.line);
}

std::vector<HistoryPoint> element_history(const capture::Capture& capture, int tile, Element element) {
    std::vector<HistoryPoint> history;
    if (tile < 0 || tile >= static_cast<int>(capture.tiles.size())) return history;
    const capture::Tile& chosen = capture.tiles[static_cast<size_t>(tile)];
    const DType dtype = capture.probes[static_cast<size_t>(chosen.probe)].dtype;
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& other = capture.tiles[i];
        const bool same =
            other.probe == chosen.probe && other.block == chosen.block && other.warp == chosen.warp;
        if (!same || element.row >= other.rows || element.col >= other.cols || !exists(element)) continue;
        const size_t index = static_cast<size_t>(element.row) * static_cast<size_t>(other.cols) +
            static_cast<size_t>(element.col);
        history.push_back(
            {other.iteration,
             static_cast<int>(i),
             element_of(capture.blobs, other, other.values, dtype, index),
             element_of(capture.blobs, other, other.reference, DType::f64, index),
             other.verdict}
        );
    }
    return history;
}

}  // namespace wl::app

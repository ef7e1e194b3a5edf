// The selection is plain data; these functions are the only ones that move more than one of its fields.
#include "app/session/navigate.h"

#include "app/session/lookup.h"
#include "app/session/tile_load.h"
#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace wl::app {

namespace {

const capture::Tile& tile_at(const Session& session, int tile) {
    return session.capture.tiles[static_cast<size_t>(tile)];
}

// Of a sequence the capture holds one launch's blocks.
bool is_of_another_launch(const capture::Capture& capture, const capture::Where& where) {
    return where.launch > 0 && where.launch != capture.launch.number;
}

// The tile a finding speaks of. Fields it leaves open match anything; kept elements are preferred.
int tile_of_finding(const capture::Capture& capture, const capture::Where& where) {
    int best = -1;
    const bool elsewhere = is_of_another_launch(capture, where);
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& tile = capture.tiles[i];
        const bool fits = capture.probes[static_cast<size_t>(tile.probe)].name == where.tile &&
            (tile.block == capture::kWholeLaunch ||
             (!elsewhere && (where.block < 0 || tile.block == where.block))) &&
            (where.iteration < 0 || tile.iteration == where.iteration) &&
            (tile.warp < 0 || where.warp < 0 || tile.warp == where.warp);
        if (!fits) continue;
        if (best < 0 ||
            (capture.tiles[static_cast<size_t>(best)].values == capture::kNoBlob &&
             tile.values != capture::kNoBlob)) {
            best = static_cast<int>(i);
        }
    }
    return best;
}

int tile_at_time(const Session& session, const analysis::Timeline& timeline, uint32_t time) {
    int latest = -1;
    uint32_t latest_time = 0;
    for (const analysis::TileInstant& instant : timeline.tiles) {
        const bool taken = instant.time <= time && (latest < 0 || instant.time >= latest_time);
        if (!taken || instant.tile < 0 || instant.tile >= static_cast<int>(session.capture.tiles.size()))
            continue;
        latest = instant.tile;
        latest_time = instant.time;
    }
    return latest;
}

std::vector<uint32_t> stops_of(const analysis::Timeline& timeline, int warp) {
    std::vector<uint32_t> times;
    for (const analysis::TileInstant& instant : timeline.tiles) times.push_back(instant.time);
    for (const analysis::StageSpan& span : timeline.stages) {
        if (span.warp == warp) times.push_back(span.begin);
    }
    for (const analysis::BarrierSpan& span : timeline.barriers) {
        if (span.warp == warp) times.insert(times.end(), {span.begin, span.end});
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

void take_tile(const Session& session, Selection& selection, int tile) {
    const capture::Tile& chosen = tile_at(session, tile);
    selection.tile = tile;
    selection.witness = -1;
    selection.order = -1, selection.line = 0;
    selection.probe = chosen.probe;
    selection.block = chosen.block;
    selection.iteration = chosen.iteration;
    if (chosen.warp >= 0) selection.warp = chosen.warp;
    const bool inside = selection.element.row < chosen.rows && selection.element.col < chosen.cols;
    if (!inside || !exists(selection.element))
        selection.element = {chosen.first_bad_row, chosen.first_bad_col};
    if (!exists(selection.element)) selection.element = {0, 0};
}

// When the recorded block's events show that warp, or any where none is named, at that line. Reads are not
// recorded: of one the instant is the first that the warp has in that epoch.
std::optional<uint32_t> time_at_line(const Session& session, const capture::Where& where) {
    if (is_of_another_launch(session.capture, where)) return std::nullopt;
    const int record = record_index(session, where.block);
    if (record < 0) return std::nullopt;
    const capture::Capture& c = session.capture;
    std::optional<uint32_t> in_epoch;
    for (const capture::Event& event : c.records[static_cast<size_t>(record)].events) {
        if (where.warp >= 0 && event.warp != where.warp) continue;
        if (!in_epoch && event.epoch == where.epoch) in_epoch = event.time;
        const bool there = (where.epoch < 0 || event.epoch == where.epoch) && event.site < c.sites.size() &&
            c.sites[event.site].line == where.line;
        if (there) return event.time;
    }
    return in_epoch;
}

// Who wrote the selected element: nobody where it is not known, or would have to be read from a file first
// for longer than a frame.
capture::Owner owner_of(const capture::Capture& capture, const Selection& selection) {
    capture::Owner owner;
    const capture::Tile& tile = capture.tiles[static_cast<size_t>(selection.tile)];
    if (!is_had_at_once(capture.blobs, tile, tile.owner)) return owner;
    const std::vector<std::byte>& bytes = capture::content_of(capture.blobs, tile.owner);
    const size_t index = static_cast<size_t>(selection.element.row) * static_cast<size_t>(tile.cols) +
        static_cast<size_t>(selection.element.col);
    const bool kept = tile.owner != capture::kNoBlob && exists(selection.element) &&
        (index + 1) * sizeof(owner) <= bytes.size();
    if (kept) std::memcpy(&owner, bytes.data() + index * sizeof(owner), sizeof(owner));
    return owner;
}

void take_writer(const Session& session, Selection& selection) {
    if (selection.tile < 0) return;
    try {
        const capture::Owner owner = owner_of(session.capture, selection);
        if (owner.warp == capture::Owner::kNobody) return;
        selection.warp = owner.warp;
        selection.lane = owner.lane;
    } catch (const Error&) { return; }  // a damaged file: who shows the tile says so
}

}  // namespace

int site_at_line(const capture::Capture& capture, const std::string& file, int line) {
    if (line <= 0) return -1;
    for (size_t i = 0; i < capture.sites.size(); ++i) {
        const capture::Site& site = capture.sites[i];
        if (site.line != line || site.source < 0) continue;
        const std::string& path = capture.sources[static_cast<size_t>(site.source)].path;
        if (path == file || file_name(path) == file_name(file)) return static_cast<int>(i);
    }
    return -1;
}

std::string file_of_source(const Session& session, int source) {
    if (source < 0 || source >= static_cast<int>(session.capture.sources.size())) return "";
    const std::string& path = session.capture.sources[static_cast<size_t>(source)].path;
    for (const WatchedFile& file : session.watched.files)
        if (file_name(file.path) == file_name(path)) return file.path;
    std::error_code none;
    return std::filesystem::is_regular_file(path, none) ? path : "";
}

SourcePlace place_of_line(const Session& session, const Selection& selection) {
    const capture::Capture& c = session.capture;
    if (selection.line > 0 && selection.source >= 0)
        return {file_of_source(session, selection.source), selection.line};
    const int site = user_site(c, selection.site);
    if (site < 0 || site >= static_cast<int>(c.sites.size())) return {};
    const capture::Site& at = c.sites[static_cast<size_t>(site)];
    return {file_of_source(session, at.source), at.line};
}

int shown_record(const Session& session, const Selection& selection) {
    const int record = record_index(session, selection.block);
    return record >= 0 ? record : session.capture.records.empty() ? -1 : 0;
}

void select_tile(const Session& session, Selection& selection, int tile) {
    if (tile < 0 || tile >= static_cast<int>(session.capture.tiles.size())) return;
    const capture::Tile& chosen = tile_at(session, tile);
    if (tile != selection.tile) selection.element = {chosen.first_bad_row, chosen.first_bad_col};
    selection.moved = selection.line_chosen = false;
    take_tile(session, selection, tile);
    const int site = session.capture.probes[static_cast<size_t>(chosen.probe)].site;
    if (site >= 0) selection.site = user_site(session.capture, site);
    if (record_index(session, chosen.block) >= 0) selection.time = static_cast<uint32_t>(chosen.time);
    take_writer(session, selection);
}

void select_element(const Session& session, Selection& selection, Element element) {
    selection.element = element;
    take_writer(session, selection);
}

void select_finding(const Session& session, Selection& selection, int finding) {
    if (finding < 0 || finding >= static_cast<int>(session.capture.findings.size())) return;
    const capture::Finding& chosen = session.capture.findings[static_cast<size_t>(finding)];
    const int tile = tile_of_finding(session.capture, chosen.where);
    selection.order = -1, selection.line = 0;
    selection.moved = selection.line_chosen = false;
    if (tile >= 0) select_tile(session, selection, tile);
    selection.finding = finding;
    const Element element{chosen.where.element[0], chosen.where.element[1]};
    if (exists(element)) select_element(session, selection, element);
    select_witness(session, selection, 0);
}

const capture::Where* witness_of(const Session& session, const Selection& selection) {
    const auto& findings = session.capture.findings;
    if (selection.witness < 0 || selection.finding < 0 ||
        selection.finding >= static_cast<int>(findings.size()))
        return nullptr;
    const capture::Finding& finding = findings[static_cast<size_t>(selection.finding)];
    return selection.witness == 0 ? &finding.where : &finding.other;
}

std::optional<uint32_t> time_of_witness(const Session& session, int finding, int witness) {
    const capture::Finding& found = session.capture.findings[static_cast<size_t>(finding)];
    const int tile = witness == 0 ? tile_of_finding(session.capture, found.where) : -1;
    if (tile >= 0 && record_index(session, tile_at(session, tile).block) >= 0)
        return static_cast<uint32_t>(tile_at(session, tile).time);
    return time_at_line(session, witness == 0 ? found.where : found.other);
}

void select_witness(const Session& session, Selection& selection, int witness) {
    selection.witness = witness;
    selection.order = -1, selection.line = 0;
    const capture::Where* where = witness_of(session, selection);
    if (where == nullptr) return;
    if (where->warp >= 0) selection.warp = where->warp;
    const int site = site_at_line(session.capture, where->file, where->line);
    if (site >= 0) selection.site = site;
    const capture::Finding& finding = session.capture.findings[static_cast<size_t>(selection.finding)];
    const bool of_tile = witness == 0 && tile_of_finding(session.capture, finding.where) >= 0;
    const bool elsewhere = is_of_another_launch(session.capture, *where);
    if (!of_tile && where->block >= 0 && !elsewhere) selection.block = where->block;
    if (!of_tile && !where->lanes.empty())
        selection.lane = std::atoi(where->lanes.c_str());  // the first of "0-31", "3,7"
    const int record = shown_record(session, selection);   // whose clock it is
    if (record < 0 || (where->block >= 0 && record != record_index(session, where->block))) return;
    if (const std::optional<uint32_t> time = time_of_witness(session, selection.finding, witness))
        selection.time = *time;
}

void select_site(const Session& session, Selection& selection, int site) {
    if (site < 0) return;
    selection.site = user_site(session.capture, site);
    selection.witness = -1;
    selection.order = -1, selection.line = 0;
    selection.line_chosen = true;
}

void select_line(const Session& session, Selection& selection, int source, int line) {
    if (source < 0 || source >= static_cast<int>(session.capture.sources.size())) return;
    const std::string& path = session.capture.sources[static_cast<size_t>(source)].path;
    const int site = site_at_line(session.capture, path, line);
    if (site >= 0) selection.site = site;
    selection.witness = -1;
    selection.order = -1;
    selection.source = source, selection.line = line;
    selection.line_chosen = true;
}

void select_first(const Session& session, Selection& selection) {
    if (session.first_bad >= 0) {
        select_tile(session, selection, session.first_bad);
    } else if (!session.capture.outputs.empty() && session.capture.outputs[0].tile >= 0) {
        select_tile(session, selection, session.capture.outputs[0].tile);
    } else if (!session.capture.tiles.empty()) {
        select_tile(session, selection, static_cast<int>(session.capture.tiles.size()) - 1);
    }
    if (!session.capture.findings.empty()) select_finding(session, selection, 0);
}

bool select_next_bad(const Session& session, Selection& selection, int direction) {
    const int count = static_cast<int>(session.capture.tiles.size());
    for (int distance = 1; distance <= count; ++distance) {
        const int tile = ((selection.tile + direction * distance) % count + count) % count;
        if (tile_at(session, tile).verdict != capture::Verdict::bad) continue;
        select_tile(session, selection, tile);
        return true;
    }
    return false;
}

void select_first_wrong(const Session& session, Selection& selection) {
    if (session.first_bad < 0) return;
    const int finding = selection.finding;
    const capture::Tile& tile = tile_at(session, session.first_bad);
    select_tile(session, selection, session.first_bad);
    select_element(session, selection, {tile.first_bad_row, tile.first_bad_col});
    selection.finding = finding;
    const auto& findings = session.capture.findings;
    const auto of = std::ranges::find_if(findings, [&](const capture::Finding& f) {
        return tile_of_finding(session.capture, f.where) == session.first_bad;
    });
    if (of != findings.end()) selection.finding = static_cast<int>(of - findings.begin());
}

void move_to_time(const Session& session, Selection& selection, uint32_t time) {
    const int record = shown_record(session, selection);
    if (record < 0) return;
    const analysis::Timeline& timeline = session.timelines[static_cast<size_t>(record)];
    selection.time = std::min(time, timeline.end);
    selection.finding = selection.witness = -1;
    selection.order = -1, selection.line = 0;
    selection.moved = true, selection.line_chosen = false;
    const int tile = tile_at_time(session, timeline, selection.time);
    if (tile >= 0) take_tile(session, selection, tile);
    const auto states = analysis::warps_at(
        session.capture, session.capture.records[static_cast<size_t>(record)], selection.time
    );
    const auto warp = static_cast<size_t>(selection.warp);
    if (warp < states.size() && states[warp].site >= 0)
        selection.site = user_site(session.capture, states[warp].site);
}

void step(const Session& session, Selection& selection, int direction, StepKind stride) {
    const int record = shown_record(session, selection);
    if (record < 0) return;
    const analysis::Timeline& timeline = session.timelines[static_cast<size_t>(record)];
    const std::vector<uint32_t> times =
        stride == StepKind::instant ? timeline.instants : stops_of(timeline, selection.warp);
    if (direction > 0) {
        const auto next = std::upper_bound(times.begin(), times.end(), selection.time);
        if (next != times.end()) move_to_time(session, selection, *next);
    } else {
        const auto at = std::lower_bound(times.begin(), times.end(), selection.time);
        if (at != times.begin()) move_to_time(session, selection, *std::prev(at));
    }
}

}  // namespace wl::app

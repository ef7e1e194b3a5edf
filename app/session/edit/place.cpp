// By names and numbers, as indices mean nothing in another capture.
#include "app/session/edit/place.h"

#include "app/session/lookup.h"
#include "app/session/navigate.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace wl::app {

namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

const capture::Site* site_at(const capture::Capture& c, int site) {
    return site >= 0 && site < static_cast<int>(c.sites.size()) ? &c.sites[static_cast<size_t>(site)]
                                                                : nullptr;
}

int same_source(const capture::Capture& in, const capture::Capture& of, int source) {
    if (source < 0 || source >= static_cast<int>(of.sources.size())) return -1;
    const std::string& path = of.sources[static_cast<size_t>(source)].path;
    for (size_t i = 0; i < in.sources.size(); ++i)
        if (in.sources[i].path == path) return static_cast<int>(i);
    return -1;
}

int carried(const capture::Capture& in, const capture::Capture& of, int source, int line) {
    const int there = same_source(in, of, source);
    if (there < 0) return 0;
    return carried_line(
        of.sources[static_cast<size_t>(source)].text, in.sources[static_cast<size_t>(there)].text, line
    );
}

void take_line(const Session& session, const capture::Capture& was, const Selection& stood, Selection& to) {
    to.source = same_source(session.capture, was, stood.source);
    to.line = to.source >= 0 && stood.line > 0 ? carried(session.capture, was, stood.source, stood.line) : 0;
    const capture::Site* site = site_at(was, stood.site);
    if (site == nullptr || site->source < 0) return;
    const int line = carried(session.capture, was, site->source, site->line);
    const int found =
        site_at_line(session.capture, was.sources[static_cast<size_t>(site->source)].path, line);
    if (found >= 0) to.site = found;
}

int same_finding(const capture::Capture& in, const capture::Capture& of, int finding) {
    if (finding < 0 || finding >= static_cast<int>(of.findings.size())) return -1;
    const capture::Finding& wanted = of.findings[static_cast<size_t>(finding)];
    for (size_t i = 0; i < in.findings.size(); ++i)
        if (in.findings[i].rule == wanted.rule && in.findings[i].where.tile == wanted.where.tile)
            return static_cast<int>(i);
    return -1;
}

}  // namespace

int carried_line(const std::string& was, const std::string& now, int line) {
    const std::vector<std::string_view> a = split_lines(was), b = split_lines(now);
    const int count_a = static_cast<int>(a.size()), count_b = static_cast<int>(b.size());
    int same = 0, end = 0;
    while (same < std::min(count_a, count_b) && a[static_cast<size_t>(same)] == b[static_cast<size_t>(same)])
        ++same;
    while (end < std::min(count_a, count_b) - same &&
           a[static_cast<size_t>(count_a - 1 - end)] == b[static_cast<size_t>(count_b - 1 - end)])
        ++end;
    if (line <= same) return line;
    if (line > count_a - end) return line + count_b - count_a;
    return std::clamp(line, 1, std::max(1, count_b));
}

int same_tile(const capture::Capture& in, const capture::Capture& of, int tile, int iterations_before) {
    if (tile < 0 || tile >= static_cast<int>(of.tiles.size())) return -1;
    const capture::Tile& wanted = of.tiles[static_cast<size_t>(tile)];
    const capture::Probe& mark = of.probes[static_cast<size_t>(wanted.probe)];
    for (size_t i = 0; i < in.tiles.size(); ++i) {
        const capture::Tile& t = in.tiles[i];
        if (t.block != wanted.block || t.warp != wanted.warp ||
            t.iteration != wanted.iteration - iterations_before)
            continue;
        const capture::Probe& probe = in.probes[static_cast<size_t>(t.probe)];
        if (probe.name == mark.name && probe.kind == mark.kind) return static_cast<int>(i);
    }
    return -1;
}

void take_place(
    const Session& session, const capture::Capture& was, const Selection& stood, Selection& selection
) {
    const int tile = same_tile(session.capture, was, stood.tile);
    if (tile < 0) return;
    const capture::Tile& there = session.capture.tiles[static_cast<size_t>(tile)];
    Selection to = stood;
    to.tile = tile, to.probe = there.probe;
    to.finding = same_finding(session.capture, was, stood.finding);
    if (to.finding < 0) to.witness = -1;
    to.element.row = std::min(to.element.row, there.rows - 1);
    to.element.col = std::min(to.element.col, there.cols - 1);
    to.order = -1;  // counted in a program that is no more
    const int record = record_index(session, to.block);
    if (record >= 0) to.time = std::min(to.time, session.timelines[static_cast<size_t>(record)].end);
    to.site = selection.site;
    take_line(session, was, stood, to);
    to.hovered = to.hovering = {};
    selection = to;
}

}  // namespace wl::app

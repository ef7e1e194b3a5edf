#include "fuzz/answers.h"

#include "app/cli/compare.h"
#include "app/cli/formats/page.h"
#include "app/cli/formats/report.h"
#include "app/cli/print.h"
#include "app/cli/tiles_json.h"
#include "app/session/session.h"
#include "app/session/verdict_map.h"
#include "app/shell/picture.h"
#include "instrumentation/analysis/replay.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/json.h"

#include <nlohmann/json.hpp>

namespace wl::fuzz {
namespace {

using capture::Capture;

// No control characters but line ends and tabs: what XML takes.
bool has_no_controls(const std::string& text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') return false;
    }
    return true;
}

bool is_utf8(const std::string& text) {
    try {
        static_cast<void>(nlohmann::json(text).dump());
        return true;
    } catch (const nlohmann::json::type_error&) { return false; }
}

std::string problem_of_page(const std::string& page) {
    if (!is_utf8(page)) return "the page is not UTF-8";
    for (const char* tag : {"<script", "<img src=x", "<iframe"})
        if (page.find(tag) != std::string::npos) return std::string("the page holds ") + tag;
    return {};
}

std::string problem_of_texts(const Capture& c) {
    if (!nlohmann::json::accept(capture::summary_json(c, "diagnose"))) return "the summary is no JSON";
    if (!nlohmann::json::accept(app::tiles_json(c))) return "the tiles are no JSON";
    static_cast<void>(app::headline(c, {}) + app::tiles_text(c, {}));
    static_cast<void>(app::summary_text(c, {true}, {true, true}));
    const app::Report report{"diagnose", {app::case_of(c, "diagnose")}};
    if (!nlohmann::json::accept(app::sarif_text(report))) return "SARIF is no JSON";
    const std::string junit = app::junit_text(report);
    if (!is_utf8(junit) || !has_no_controls(junit)) return "JUnit is no clean text";
    if (!is_utf8(app::github_text(report))) return "GitHub's annotations are not UTF-8";
    return problem_of_page(app::page_text(c, {}));
}

void compare(const Capture& a, const Capture& b) {
    try {
        const app::Compared compared{"a", "b", a, b, analysis::compare_captures(a, b)};
        static_cast<void>(app::compare_text(compared, true, {}));
        const nlohmann::json json = nlohmann::json::parse(app::compare_json(compared));
    } catch (const Error&) {}  // nothing in common
}

void look_at_tile(const Capture& c, int tile) {
    try {
        const app::TileView view = app::make_tile_view(c, tile, 1);
        static_cast<void>(app::preview_of(c, tile, 2));
        constexpr int kSide = 64;
        for (const app::View what : {app::View::got, app::View::ratio, app::View::owner})
            static_cast<void>(app::plain_picture(c, tile, what, kSide));
    } catch (const Error&) {}  // it has no elements, or no writers
}

void look_at_record(const Capture& c, const capture::BlockRecord& record, Random& random) {
    const analysis::ReplayIndex index = analysis::replay_index(record);
    for (const uint32_t time : {0U, static_cast<uint32_t>(random() % 200), UINT32_MAX}) {
        static_cast<void>(analysis::warps_at(c, record, time));
        static_cast<void>(analysis::shared_at(index, time));
        if (!c.tiles.empty()) static_cast<void>(analysis::tile_at(c, index, one_of(random, c.tiles), time));
    }
    if (record.events.empty()) return;
    const capture::Event& event = one_of(random, record.events);
    static_cast<void>(analysis::writes_to(record, event.kind, event.address, event.bytes));
}

}  // namespace

std::string problem_of_answers(const Capture& capture, const Capture& other, Random& random) {
    std::string problem = problem_of_texts(capture);
    if (!problem.empty()) return problem;
    compare(capture, other);
    const app::Loaded loaded = app::derive(capture);
    static_cast<void>(app::verdict_map(loaded.capture, "", 40, 40));
    for (int looks = 0; looks < 3 && !capture.tiles.empty(); ++looks)
        look_at_tile(capture, static_cast<int>(below(random, capture.tiles.size())));
    for (const capture::BlockRecord& record : capture.records) look_at_record(capture, record, random);
    return {};
}

}  // namespace wl::fuzz

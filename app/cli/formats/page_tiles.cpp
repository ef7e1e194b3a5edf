// The tiles of a page: a row a mark, and of each the first wrong one, else the last, as pictures.
#include "app/cli/formats/page.h"
#include "app/cli/summary.h"
#include "app/shell/picture.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/visible.h"

#include <fmt/format.h>

namespace wl::app {

namespace {

constexpr size_t kMostTiles = 12;  // with pictures, of those that are wrong and of the others
constexpr int kSide = 192;         // pixels of a picture, which the page enlarges

struct Shown {
    View view;
    const char* says;
};

// The tile that stands for its probe: the first wrong one that was kept, else the last that was. -1: none
// was.
int tile_of(const capture::Capture& c, size_t probe) {
    int found = -1;
    for (size_t i = 0; i < c.tiles.size(); ++i) {
        const capture::Tile& t = c.tiles[i];
        if (static_cast<size_t>(t.probe) != probe || t.values == capture::kNoBlob) continue;
        found = static_cast<int>(i);
        if (t.verdict == capture::Verdict::bad) return found;
    }
    return found;
}

std::string row(const capture::Probe& p, const ProbeSummary& s) {
    const char* kind = s.compared == 0 ? "dim"
        : s.bad_tiles > 0              ? "bad"
        : s.undecided > 0              ? "warning"
                                       : "good";
    const std::string verdict = s.compared == 0 ? "not compared"
        : s.bad_tiles > 0                       ? fmt::format("{} of {} wrong", s.bad_tiles, s.tiles)
        : s.undecided > 0                       ? "undecided"
                                                : "ok";
    const bool any = s.compared > 0;
    return fmt::format(
        "<tr><td>{}</td><td class=\"right\">{} x {}</td><td>{}</td><td class=\"right\">{}</td>"
        "<td class=\"right\">{}</td><td class=\"right\">{}</td><td class=\"{}\">{}</td></tr>\n",
        escape_markup(p.name),
        p.rows,
        p.cols,
        name_of(p.dtype),
        s.tiles,
        any ? fmt::format("{:.3g}", s.max_difference) : "",
        any ? fmt::format("{:.3g}", s.max_excess) : "",
        kind,
        verdict
    );
}

std::string figure_of(const capture::Capture& c, int tile, const Shown& shown) {
    const PlainPicture picture = plain_picture(c, tile, shown.view, kSide);
    const std::string bar = fmt::format(
        "<div class=\"bar\"><span>{:.4g}</span><img alt=\"\" src=\"data:image/png;base64,{}\">"
        "<span>{:.4g}</span></div>",
        picture.lo,
        base64(picture.bar),
        picture.hi
    );
    return fmt::format(
        "<figure><img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">{}"
        "<figcaption>{}</figcaption></figure>\n",
        shown.says,
        picture.width,
        picture.height,
        base64(picture.png),
        bar,
        shown.says
    );
}

// What cannot be drawn says so where it would be: one tile of a file is no reason for no page.
std::string figure(const capture::Capture& c, int tile, const Shown& shown) {
    try {
        return figure_of(c, tile, shown);
    } catch (const Error& error) {
        return fmt::format("<figure><figcaption>{}</figcaption></figure>\n", escape_markup(error.what()));
    }
}

std::string pictures(const capture::Capture& c, int tile) {
    const capture::Tile& t = c.tiles[static_cast<size_t>(tile)];
    const capture::Probe& p = c.probes[static_cast<size_t>(t.probe)];
    std::string place = t.block == capture::kWholeLaunch
        ? "the whole launch"
        : fmt::format("block {}, iteration {}", block_text(t.block, c.launch.grid), t.iteration);
    if (t.compared > 0) place += fmt::format("; {} of {} elements wrong", t.bad, t.compared);
    std::string out = fmt::format(
        "<div class=\"tile\"><h3>{} <span class=\"dim\">{}</span></h3>\n<div class=\"views\">\n",
        escape_markup(p.name),
        place
    );
    out += figure(c, tile, {View::got, "what the kernel holds"});
    if (t.reference != capture::kNoBlob) {
        out += figure(c, tile, {View::reference, "the reference"});
        out += figure(c, tile, {View::difference, "what the kernel holds - the reference"});
    }
    return out + "</div></div>\n";
}

}  // namespace

std::string tiles_part(const capture::Capture& c) {
    if (c.probes.empty()) return "";
    std::string out =
        "<h2>Tiles</h2>\n<div class=\"scroll\"><table>\n<tr><th>tile</th><th "
        "class=\"right\">shape</th><th>type</th>"
        "<th class=\"right\">tiles</th><th class=\"right\">max difference</th><th class=\"right\">x "
        "bound</th>"
        "<th>verdict</th></tr>\n";
    const std::vector<ProbeSummary> rows = summarise(c);
    for (size_t i = 0; i < rows.size(); ++i) out += row(c.probes[i], rows[i]);
    out += "</table></div>\n";
    std::string wrong, others;
    size_t bad = 0, rest = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        const int tile = tile_of(c, i);
        if (tile < 0) continue;
        const bool is_bad = c.tiles[static_cast<size_t>(tile)].verdict == capture::Verdict::bad;
        if (++(is_bad ? bad : rest) > kMostTiles) continue;
        (is_bad ? wrong : others) += pictures(c, tile);
    }
    if (rest == 0) return out + wrong;
    const std::string title =
        fmt::format("{} {} that {} not wrong", rest, rest == 1 ? "tile" : "tiles", rest == 1 ? "is" : "are");
    return out + wrong +
        fmt::format(
               "<details{}><summary>{}</summary>\n{}</details>\n", bad == 0 ? " open" : "", title, others
        );
}

}  // namespace wl::app

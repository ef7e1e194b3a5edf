// The fragments of executed matrix instructions: what `at --fragments` tells of faults of layout, and the
// panel that shows it.
#include "app/session/fragment_view.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>

namespace wl::app {
namespace {

using fragments::LaidPlace;
using test::TemporaryFolder;
using test::warplens;

int line_of(const std::string& kernel, const std::string& text) {
    const std::string place = test::source_place("kernels/" + kernel + ".cu", text);
    return std::atoi(place.c_str() + place.rfind(':') + 1);
}

// A recorded run, and the answer about one of its instructions.
struct Asked {
    TemporaryFolder folder;
    std::string path;
    capture::Capture capture;
    FragmentReport report;
    FragmentView view;
    explicit Asked(std::vector<std::string> words) : path(folder.path + "/run.wlcap") {
        const bool shipped = !words.front().ends_with(".toml");
        words.insert(words.begin(), "run");
        if (shipped) words.insert(words.end(), {"--shape", "1,1,64,64"});
        words.insert(words.end(), {"-o", path, "--quiet", "--search", "0"});
        const int status = warplens(words).status;
        EXPECT_TRUE(status == 0 || status == (shipped ? 1 : 3));
        capture = capture::read_capture(path);
    }
    void ask(std::vector<std::string> words) {
        words.insert(words.begin(), {"at", path, "--fragments", "--json"});
        const test::Said said = warplens(words);
        ASSERT_EQ(said.status, 0) << said.err;
        report = fragment_report(said.out);
        view = make_fragment_view(report.live, capture, 1);
    }
    size_t index(const std::string& name) const {
        for (size_t i = 0; i < report.live.operands.size(); ++i)
            if (report.live.operands[i].name == name) return i;
        throw std::runtime_error("there is no operand " + name);
    }
    const fragments::Operand& operand(const std::string& name) const {
        return report.live.operands[index(name)];
    }
    const FragmentOperandView& seen(const std::string& name) const { return view.operands[index(name)]; }
    size_t at(const std::string& name, int row, int column) const {
        const fragments::Map& map = operand(name).map;
        const FragmentCell& cell = seen(name).cells[static_cast<size_t>(row * map.layout.columns + column)];
        return fragment_index(map, cell.lane, cell.element);
    }
    double value(const std::string& name, int row, int column) const {
        return operand(name).values[at(name, row, column)];
    }
};

// Maps, operands and live values in one: d is c + a b, element by element. Returns the largest |d|.
double check_product(const Asked& asked, const std::string& what) {
    const FragmentLayout &a = asked.operand("a").map.layout, &d = asked.operand("d").map.layout;
    double largest = 0;
    for (int m = 0; m < d.rows; ++m)
        for (int n = 0; n < d.columns; ++n) {
            double sum = asked.value("c", m, n);
            for (int k = 0; k < a.columns; ++k) sum += asked.value("a", m, k) * asked.value("b", k, n);
            EXPECT_NEAR(asked.value("d", m, n), sum, 1e-4 * (1 + std::abs(sum)))
                << what << " " << m << " " << n;
            largest = std::max(largest, std::abs(sum));
        }
    return largest;
}

TEST(FragmentsLive, EveryElementTypeIsANumber) {
    Asked asked({test::source_path("tests/kernels/fragment_types.toml")});
    const std::pair<const char*, std::pair<double, double>> types[] = {
        {"s8",   {-8, 7}       },
        {"s4",   {-8, 7}       },
        {"e4m3", {0.5, 1.875}  },
        {"bf16", {1, 1.9921875}},
        {"tf32", {1, 1.15625}  }
    };
    for (size_t i = 0; i < std::size(types); ++i) {
        asked.ask({"--hit", std::to_string(i)});
        EXPECT_EQ(asked.operand("a").map.type, types[i].first);
        EXPECT_EQ(asked.seen("a").low, types[i].second.first) << types[i].first;
        EXPECT_LE(asked.seen("a").high, types[i].second.second) << types[i].first;
        EXPECT_GT(check_product(asked, types[i].first), 1);
    }
}

TEST(FragmentsLive, MovesSayWhereTheirMatricesLie) {
    Asked asked({test::source_path("tests/kernels/fragment_types.toml")});
    asked.ask({"--hit", "5"});
    EXPECT_EQ(asked.operand("d").map.name, "ldmatrix.x4.trans");
    const fragments::Map& map = asked.operand("d").map;
    for (int lane = 0; lane < 32; ++lane)
        for (const fragments::Held& h : fragments::held(map, lane)) {
            const size_t k = fragment_index(map, lane, h.holder.element);
            const int at =
                (h.place.matrix % 2 * 8 + h.place.row) * 24 + h.place.matrix / 2 * 8 + h.place.column;
            EXPECT_EQ(asked.operand("d").values[k], at);
            EXPECT_EQ(
                asked.operand("d").addresses[k] - asked.operand("d").addresses[0],
                2 * static_cast<uint64_t>(at)
            );
        }
    asked.ask({"--hit", "6"});
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column)
            EXPECT_EQ(asked.value("d", row, column), asked.value("a", row, column));
    asked.ask({"--hit", "7"});
    EXPECT_TRUE(asked.operand("a").stored);
    EXPECT_EQ(asked.operand("a").map.name, "stmatrix.x2");
}

TEST(FragmentsLive, AProductIsTheSumOfItsFragments) {
    for (const auto& [kernel, text] : {
             std::pair("v2c_2", "wmma::mma_sync(score, q, k, score)"), {"v2c_9", R"("r"(b0), "r"(b1))"}
    }) {
        Asked asked({kernel});
        for (const char* hit : {"0", "1", "5"}) {
            asked.ask({"--line", std::to_string(line_of(kernel, text)), "--hit", hit, "--warp", "1"});
            EXPECT_GT(check_product(asked, kernel), 0.1) << kernel;
        }
    }
}

TEST(FragmentsLive, ALoadShowsTheProductThatTakesIt) {
    Asked asked({"v2c_2"});
    asked.ask({"--line", std::to_string(line_of("v2c_2", "wmma::load_matrix_sync(q, &sh.q"))});
    EXPECT_EQ(asked.report.live.focus, "a");
    EXPECT_EQ(asked.view.first, 0);
    for (const char* name : {"a", "b"}) {
        EXPECT_EQ(asked.operand(name).ld, 72);
        EXPECT_EQ(asked.seen(name).wrong_count, 0);
        const fragments::Laid& laid = asked.report.live.laid[static_cast<size_t>(asked.operand(name).laid)];
        EXPECT_EQ(laid.name, name == std::string("a") ? "Q" : "K");
        // Every element is what lies at its place in memory; k runs along the lines of both.
        const Footprint& f = asked.seen(name).footprint;
        for (size_t k = 0; k < f.places.size(); ++k)
            ASSERT_EQ(
                asked.operand(name).values[k],
                laid.values[static_cast<size_t>(f.places[k].line * laid.ld + f.places[k].at)]
            );
        const std::vector<LaidPlace>& along_k = name == std::string("a") ? f.across : f.down;
        EXPECT_EQ(along_k.back(), (LaidPlace{along_k.front().line, along_k.front().at + 15}));
    }
}

TEST(FragmentsLive, AWrongLeadingDimensionIsSetAgainstThatOfTheMemory) {
    Asked asked({"flashcore_2", "--fault", "col_major"});
    asked.ask({"--line", std::to_string(line_of("flashcore_2", "&sh.kt[0][0] + k * N + key"))});
    EXPECT_EQ(asked.report.live.focus, "b");
    EXPECT_EQ(asked.operand("b").ld, 64);
    const fragments::Laid& k = asked.report.live.laid[static_cast<size_t>(asked.operand("b").laid)];
    EXPECT_EQ(k.name, "K");
    EXPECT_EQ(k.ld, 80);
    const FragmentOperandView& b = asked.seen("b");
    EXPECT_EQ(b.should_of, "K by its own leading dimension, 80");
    EXPECT_EQ(b.wrong_count, 240);  // all but column 0
    const size_t at = asked.at("b", 3, 7);
    EXPECT_EQ(b.footprint.places[at], (LaidPlace{7 * 64 / 80, 7 * 64 % 80 + 3}));
    EXPECT_EQ(b.should_places[at], (LaidPlace{7, 3}));
    EXPECT_EQ(b.should[at], k.values[7 * 80 + 3]);
    EXPECT_EQ(fragments::place_text(k, b.footprint.places[asked.at("b", 0, 1)]), "padding after row 0 of K");
    EXPECT_EQ(asked.seen("a").wrong_count, 0);

    Asked other({"v2c_4", "--fault", "ld"});
    other.ask({"--line", std::to_string(line_of("v2c_4", "wmma::load_matrix_sync(k, "))});
    EXPECT_EQ(other.seen("b").should_of, "K by its own leading dimension, 72");
    EXPECT_EQ(other.seen("b").should_places[other.at("b", 0, 15)], (LaidPlace{15, 0}));
    EXPECT_EQ(other.seen("b").wrong_count, 240);
}

TEST(FragmentsLive, AnOperandTheWrongWayRoundIsSetAgainstItsTranspose) {
    Asked asked({"v2c_2", "--fault", "qk"});
    asked.ask({"--line", std::to_string(line_of("v2c_2", "&sh.k[stage][column][key0]"))});
    const FragmentOperandView& b = asked.seen("b");
    EXPECT_EQ(b.should_of, "K transposed, as finding 1 says");
    const size_t at = asked.at("b", 3, 7);
    EXPECT_EQ(b.footprint.places[at], (LaidPlace{3, 7}));
    EXPECT_EQ(b.should_places[at], (LaidPlace{7, 3}));
    EXPECT_EQ(b.footprint.down.back(), (LaidPlace{15, 0}));  // k goes from key to key ...
    EXPECT_EQ(b.footprint.should_down.back(), (LaidPlace{0, 15}));
    EXPECT_EQ(asked.seen("a").footprint.across.back(), (LaidPlace{0, 15}));  // ... but along a row of Q
    EXPECT_EQ(b.wrong_count, 240);
}

TEST(FragmentsLive, AStoreIsJudgedByTheReferenceOfItsTile) {
    for (const bool faulty : {false, true}) {
        std::vector<std::string> kernel = {"v2c_2"};
        if (faulty) kernel.insert(kernel.end(), {"--fault", "qk"});
        Asked asked(kernel);
        asked.ask({"--line", std::to_string(line_of("v2c_2", "wmma::store_matrix_sync(&sh.s"))});
        const FragmentOperandView& d = asked.seen("d");
        EXPECT_EQ(d.should_of, "the reference of scores");
        EXPECT_EQ(d.wrong_count, faulty ? 256 : 0);
        EXPECT_EQ(d.footprint.places[asked.at("d", 9, 4)], (LaidPlace{9, 4}));
        for (const capture::Tile& tile : asked.capture.tiles) {
            if (asked.capture.probes[static_cast<size_t>(tile.probe)].name != "scores" || tile.iteration != 0)
                continue;
            const analysis::TileData data = analysis::load_tile(asked.capture, tile);
            if (data.rows == 0) continue;
            EXPECT_EQ(asked.value("d", 9, 4), data.got(9, 4));
            EXPECT_EQ(d.should[asked.at("d", 9, 4)], data.reference(9, 4));
            break;
        }
    }
}

TEST(FragmentsLive, AMarkHasTheMapOfTheProgramsOnlyFragmentOfThatKind) {
    Asked asked({"v2c_9"});
    asked.ask({"--line", std::to_string(line_of("v2c_9", "WL_FRAGMENT(\"scores\", s)"))});
    EXPECT_EQ(asked.report.live.mark, "scores");
    EXPECT_EQ(asked.operand("d").map.name, "mma.m16n8k16 c f32");
    EXPECT_EQ(asked.operand("d").map.layout.matrices, 8);
    EXPECT_EQ(asked.seen("d").should_of, "the reference of scores");
    EXPECT_EQ(asked.seen("d").wrong_count, 0);
    asked.ask({"--line", std::to_string(line_of("v2c_9", "WL_FRAGMENT(\"P\", p)"))});
    EXPECT_TRUE(asked.report.live.operands.empty());
    EXPECT_NE(asked.report.live.note.find("its map is not known"), std::string::npos);
}

TEST(FragmentsLive, ALineWithoutMatrixInstructionSaysSo) {
    Asked asked({"v2c_2"});
    const test::Said said = warplens(
        {"at",
         asked.path,
         "--fragments",
         "--line",
         std::to_string(line_of("v2c_2", "const int row = i / (D / 8)"))}
    );
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("there is no such instant"), std::string::npos) << said.err;
}

// ---- the panel

struct Window {
    OffscreenShell shell{1920, 1080, 1};
    explicit Window(const Asked& asked) {
        shell.app.session.program = WL_PROGRAM;
        load(shell.app.session, shell.app.selection, asked.capture, asked.path);
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    const Control& control(const std::string& name) {
        for (const Control& each : shell.app.ui.controls)
            if (each.name == name) return each;
        throw std::runtime_error(name + " is not on the screen");
    }
    // At a fraction of a control.
    Rgb colour_at(const Image& image, const std::string& name, float x, float y) {
        const Control c = control(name);
        const auto px = static_cast<size_t>(c.low.x + (c.high.x - c.low.x) * x),
                   py = static_cast<size_t>(c.low.y + (c.high.y - c.low.y) * y);
        const uint8_t* pixel = image.rgb.data() + 3 * (py * static_cast<size_t>(image.width) + px);
        return {pixel[0], pixel[1], pixel[2]};
    }
    int pixels_of(const Image& image, const std::string& name, ImU32 colour) {
        const Control c = control(name);
        int count = 0;
        for (auto y = static_cast<size_t>(c.low.y); y < static_cast<size_t>(c.high.y); ++y)
            for (auto x = static_cast<size_t>(c.low.x); x < static_cast<size_t>(c.high.x); ++x) {
                const uint8_t* p = image.rgb.data() + 3 * (y * static_cast<size_t>(image.width) + x);
                count += IM_COL32(p[0], p[1], p[2], 255) == colour ? 1 : 0;
            }
        return count;
    }
};

TEST(FragmentsPanel, DrawsTheFaultOfALeadingDimension) {
    const Asked asked({"flashcore_2", "--fault", "col_major"});
    Window window(asked);
    const std::string line = std::to_string(line_of("flashcore_2", "&sh.kt[0][0] + k * N + key"));
    window.play("click tab/Fragments\n until fragments line " + line + " b\n wait 4\n");
    const Image image = window.shell.pixels();
    // b(9, 4): row k = 9 and column n = 4 belong to lane 16 ... 19, of which thread 0 of the second half has
    // k = 8, 9.
    EXPECT_EQ(window.colour_at(image, "fragments/matrix/cells", 4.2F / 16, 9.88F / 16), lane_colour(16));
    EXPECT_EQ(window.colour_at(image, "fragments/matrix/cells", 0.1F / 16, 0.78F / 16), lane_colour(0));
    // What should have been read is framed in green, what was read lies in the padding too.
    EXPECT_GT(window.pixels_of(image, "fragments/memory/b", colour::kGood), 100);
    EXPECT_GT(window.pixels_of(image, "fragments/memory/b", colour::kBad), 20);
    EXPECT_EQ(window.pixels_of(image, "fragments/memory/a", colour::kGood), 0);
}

TEST(FragmentsPanel, HoveringAnElementLightsItsOwnersAndItsMemory) {
    const Asked asked({"v2c_2"});
    Window window(asked);
    const std::string line = std::to_string(line_of("v2c_2", "wmma::load_matrix_sync(q, &sh.q"));
    window.play(
        "click tab/Fragments\n until fragments line " + line +
        " a\n wait 4\n click fragments/memory/banks\n click fragments/memory/matrix\n wait 4\n"
    );
    const Image before = window.shell.pixels();
    window.play("move fragments/matrix/cells .28 .59\n wait 4\n");  // (9, 4)
    const Image after = window.shell.pixels();
    EXPECT_EQ(window.shell.app.workspace.fragments.hover.now, (FragmentPlace{9, 4, 0}));
    for (const char* name : {"fragments/matrix/cells", "fragments/lanes/cells", "fragments/memory/a"})
        EXPECT_GT(
            window.pixels_of(after, name, colour::kSelection),
            window.pixels_of(before, name, colour::kSelection) + 8
        ) << name;
    window.play("click fragments/lane/16 .05 .52\n wait 2\n");
    EXPECT_EQ(window.shell.app.selection.lane, 16);
    window.play("click fragments/memory/banks\n wait 2\n");
    EXPECT_GT(window.pixels_of(window.shell.pixels(), "fragments/banks", colour::of(lane_colour(5))), 20);
}

// (9, 4) of an accumulator is in lane 6's register 2: both grids say so in the cell itself.
TEST(FragmentsPanel, EveryCellSaysLaneAndRegisterWhereItCanHoldThem) {
    const Asked asked({"flashcore_3"});
    Window window(asked);
    window.shell.app.ui.watched = true;
    const std::string line = std::to_string(line_of("flashcore_3", "wmma::store_matrix_sync(&sh.s"));
    window.play(
        "hold Ctrl\n hold Shift\n key 3\n release Shift\n release Ctrl\n wait 3\n panel Fragments\n wait 3\n"
        "click fragments/line/" +
        line + "\n until fragments line " + line + "\n wait 4\n"
    );
    const auto says = [&](const std::string& text) {
        int count = 0;
        for (const Written& w : window.shell.app.ui.written) {
            const Control matrix = window.control("fragments/matrix/cells"),
                          lanes = window.control("fragments/lanes/cells");
            const auto in = [&](const Control& c) {
                return w.low.x >= c.low.x && w.high.x <= c.high.x && w.low.y >= c.low.y - 2 &&
                    w.high.y <= c.high.y + 2;
            };
            count += w.text == text && (in(matrix) || in(lanes)) ? 1 : 0;
        }
        return count;
    };
    for (const char* name : {"6.2", "0.0", "31.7", "9,4", "15,15"}) EXPECT_EQ(says(name), 1) << name;
    EXPECT_EQ(says("*"), 0);
}

TEST(FragmentsPanel, StepsFromArrivalToArrivalAndFromLineToLine) {
    const Asked asked({"v2c_2"});
    Window window(asked);
    const std::string product = std::to_string(line_of("v2c_2", "wmma::mma_sync(score, q, k, score)")),
                      store = std::to_string(line_of("v2c_2", "wmma::store_matrix_sync(&sh.s"));
    window.play(
        "click tab/Fragments\n wait 2\n click fragments/line/" + product + "\n until fragments line " +
        product + "\n"
    );
    const uint64_t first = window.shell.app.session.fragments.report->live.time;
    window.play("click fragments/forward\n wait 2\n until fragments line " + product + "\n");
    EXPECT_GT(window.shell.app.session.fragments.report->live.time, first);
    EXPECT_EQ(window.shell.app.selection.time, window.shell.app.session.fragments.report->live.time);
    window.play("click fragments/back\n wait 2\n until fragments line " + product + "\n");
    EXPECT_EQ(window.shell.app.session.fragments.report->live.time, first);
    EXPECT_EQ(window.shell.app.selection.time, first);
    window.play("click fragments/operand/b\n wait 2\n click fragments/colour/error\n wait 2\n");
    window.play("click fragments/line/" + store + "\n until fragments line " + store + "\n wait 2\n");
    EXPECT_EQ(window.shell.app.session.fragments.view.operands.size(), 1u);
}

}  // namespace
}  // namespace wl::app

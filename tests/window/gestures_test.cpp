// What the mouse and held keys do, each row of the table of gestures, by real X events in the real window.
#include "app/session/actions.h"
#include "app/session/navigate.h"
#include "tests/support/desktop.h"
#include "tests/support/x_client.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>

namespace wl::app {
namespace {

using test::Desktop;

struct Gestures {
    Desktop desktop{1280, 720};
    App& app = desktop.shell.app;
    Session& session = desktop.shell.app.session;
    Selection& selection = desktop.shell.app.selection;

    void play(const std::string& script) { desktop.play(script); }
    std::string value(const std::string& key) const { return value_of(app, key); }
    void frames(int count) {
        for (int i = 0; i < count; ++i) desktop.shell.draw(nullptr);
    }
    // The mouse over the control, and presses of a button there in one go.
    void press(const std::string& name, int button, int times = 1) {
        play("move " + name + "\n");
        test::click_there(button, times);
        frames(8);
    }
    const HeatView& heat() const { return app.workspace.heatmaps.views[0]; }
    const TimelinePanel& timeline() const { return app.workspace.timeline; }
    double extent() const { return timeline().last - timeline().first; }
    void settle() {
        play("wait 3\n");
        while (is_waiting(session)) frames(1);
    }
};

void hold_flips(Gestures& g) {
    for (const char* key : {"Space", "R"}) {
        g.play(std::string("hold ") + key + "\n until flipped yes\n wait 20\n expect flipped yes\n");
        g.play(std::string("release ") + key + "\n until flipped no\n");
    }
}
void drag_pans(Gestures& g) {
    g.play("key Z\n until zoom cell\n");
    const HeatView before = g.heat();
    g.play("drag heat/got .5 .5 -60 -40\n wait 2\n");
    EXPECT_NEAR(g.heat().col, before.col + 60 / before.cell_width, 0.1);
    EXPECT_NEAR(g.heat().row, before.row + 40 / before.cell_height, 0.1);
}
void wheel_zooms(Gestures& g) {
    g.play("key F\n until zoom fit\n");
    const double before = g.heat().cell_width;
    g.play("wheel heat/got .5 .5 3\n until zoom free\n");
    EXPECT_GT(g.heat().cell_width, before);
}
void double_click_fits(Gestures& g) {
    g.play("wheel heat/got .5 .5 3\n until zoom free\n");
    g.press("heat/got", 1, 2);
    g.play("until zoom fit\n");
}
void handle_sets_the_range(Gestures& g) {
    g.play("drag heat/bar/got .985 .4 -60 0\n until autofit off\n key U\n until autofit on\n");
}
void timeline_moves(Gestures& g) {
    g.play("drag timeline/scrub .9 .5 -30 0\n wait 2\n");
    const uint32_t late = g.selection.time;
    g.play("drag timeline/scrub .1 .5 30 0\n wait 2\n");
    EXPECT_LT(g.selection.time, late);
    EXPECT_GT(g.selection.time, 0U);
}
void timeline_wheel_zooms(Gestures& g) {
    g.play("wheel timeline/scrub .5 .5 3\n wait 2\n");
    EXPECT_LT(g.extent(), g.session.timelines[0].end / 1.2);
    const double first = g.timeline().first;
    g.play("hold Shift\n wheel timeline/scrub .5 .5 -2\n release Shift\n wait 2\n");
    EXPECT_NE(g.timeline().first, first);
}
void timeline_keys(Gestures& g) {
    g.play("move timeline/scrub .5 .3\n hold W\n wait 10\n release W\n wait 2\n");
    const double near = g.extent(), first = g.timeline().first;
    g.play("hold D\n wait 6\n release D\n wait 2\n");
    EXPECT_GT(g.timeline().first, first);
    g.play("hold A\n wait 6\n release A\n hold S\n wait 4\n release S\n wait 2\n");
    EXPECT_GT(g.extent(), near);
}
void title_alone(Gestures& g) {
    g.press("tab/Heatmaps", 1, 2);
    EXPECT_EQ(g.app.workspace.maximised, "Heatmaps");
    g.play("hold Ctrl\n key M\n release Ctrl\n wait 4\n");
    EXPECT_EQ(g.app.workspace.maximised, "");
}
void timeline_fits(Gestures& g) {
    g.play("wheel timeline/scrub .5 .5 3\n wait 2\n");
    const Selection before = g.selection;
    g.press("timeline/scrub", 1, 2);
    EXPECT_EQ(g.timeline().first, 0);
    EXPECT_EQ(g.timeline().last, g.session.timelines[0].end);
    EXPECT_EQ(g.selection.time, before.time) << "and does nothing else";
}
void timeline_measures(Gestures& g) {
    const uint32_t before = g.selection.time;
    g.play("hold Shift\n drag timeline/scrub .3 .5 150 0\n release Shift\n wait 2\n");
    EXPECT_TRUE(g.timeline().measured.is_chosen());
    EXPECT_EQ(g.selection.time, before);
}
void rectangle(Gestures& g) {
    g.play("hold Shift\n drag heat/got .2 .2 40 30\n release Shift\n until control/heat/copy/Text shown\n");
    g.play("click heat/got .8 .8\n until control/heat/copy/Text none\n");
}

std::string shown_line(const Gestures& g) {
    std::string line = g.value("line");
    return line.substr(line.rfind(':') + 1);
}
void breakpoint_key(Gestures& g) {
    g.play(
        "move source/" + shown_line(g) + "\n key F9\n until breakpoints 1\n key F9\n until breakpoints 0\n"
    );
}
int line_of(const char* text) {
    const std::string place = test::source_place("kernels/v2c_3.cu", text);
    return std::stoi(place.substr(place.rfind(':') + 1));
}
void run_to(Gestures& g) {
    g.play("panel Lanes\n");
    const int first = line_of("float l_add = 0.0f;"), second = line_of("the whole row in every lane");
    select_line(g.session, g.selection, 0, first);
    g.settle();
    const std::string before = g.value("instant");
    g.play("move source/" + std::to_string(second) + "\n hold Ctrl\n key F10\n release Ctrl\n");
    g.settle();
    EXPECT_EQ(shown_line(g), std::to_string(second));
    EXPECT_NE(g.value("instant"), before);
    g.play(
        "move source/" + std::to_string(first) +
        "\n hold Ctrl\n hold Shift\n key F10\n release Shift\n release Ctrl\n"
    );
    g.settle();
    EXPECT_EQ(shown_line(g), std::to_string(first));
}
void line_menu(Gestures& g) {
    g.press("source/" + shown_line(g), 3);
    g.play(
        "until control/source/menu/run-to shown\n key Escape\n wait 3\n until control/source/menu/run-to "
        "none\n"
    );
}

void cell_menu(Gestures& g) {
    g.press("heat/got", 3);
    const std::string chosen = g.value("selection");
    g.play("click heat/menu/writes\n wait 3\n");
    EXPECT_TRUE(g.app.workspace.element.lists_writes);
    for (int i = 0; i < 300 && !g.session.writes.report; ++i) g.frames(1);
    g.settle();
    EXPECT_EQ(g.value("selection"), chosen);
    ASSERT_TRUE(g.session.writes.report);
    EXPECT_EQ(g.session.writes.report->problem, "");
    EXPECT_TRUE(g.desktop.shows("element/write/0")) << g.value("tile") << " " << chosen;
    g.play("panel Heatmaps\n wait 3\n");
}
void drop_opens(Gestures& g) {
    const uint64_t before = g.session.captures;
    const std::string file = g.desktop.folder.path + "/shown.wlcap";
    EXPECT_TRUE(test::drop_files({file}, {600, 300}, [&] { g.frames(1); }));
    g.settle();
    EXPECT_EQ(g.session.captures, before + 1);
}

const std::map<std::string, std::function<void(Gestures&)>> kDone = {
    {"Space or R, held",                hold_flips           },
    {"Drag in a heatmap",               drag_pans            },
    {"Wheel in a heatmap",              wheel_zooms          },
    {"Double click in a heatmap",       double_click_fits    },
    {"Drag a handle of a colour bar",   handle_sets_the_range},
    {"Drag in the timeline",            timeline_moves       },
    {"Wheel in the timeline",           timeline_wheel_zooms },
    {"W, S, A, D over the timeline",    timeline_keys        },
    {"Double click in the timeline",    timeline_fits        },
    {"Shift and drag there",            timeline_measures    },
    {"Shift and drag in a heatmap",     rectangle            },
    {"Double click on a panel's title", title_alone          },
    {"F9 over a line",                  breakpoint_key       },
    {"Ctrl+F10 over a line",            run_to               },
    {"Right button on a line",          line_menu            },
    {"Right button in a heatmap",       cell_menu            },
    {"Drop a file on the window",       drop_opens           },
};
TEST(EveryGesture, DoesWhatTheTableSays) {
    Gestures g;
    ASSERT_TRUE(g.desktop.display.started) << "Xvfb does not start";
    ASSERT_NO_FATAL_FAILURE(
        g.desktop.show({"run", "v2c_3", "--fault", "32x", "--set", "B=1", "--set", "H=1", "--set", "S=128"})
    );
    g.play("panel Heatmaps\n wait 3\n");
    for (const Gesture& gesture : gestures()) {
        SCOPED_TRACE(gesture.how);
        const auto done = kDone.find(gesture.how);
        if (done == kDone.end()) {
            ADD_FAILURE() << "nothing does that here";
            continue;
        }
        EXPECT_NO_THROW(done->second(g));
    }
}

// The field above Tiles: what does not hold the words goes, and comes back.
TEST(EveryGesture, TheFilterIsTyped) {
    Gestures g;
    ASSERT_NO_FATAL_FAILURE(g.desktop.show({"run", "v2c_3", "--set", "B=1", "--set", "H=1", "--set", "S=128"})
    );
    g.play("wait 3\n click tiles/filter\n type alpha\n wait 3\n");
    const auto shown = [&](const char* name) {
        return std::ranges::any_of(g.app.ui.controls, [&](const Control& c) {
            return c.name.starts_with("tiles/b") && c.name.ends_with(name);
        });
    };
    EXPECT_TRUE(shown("/alpha"));
    EXPECT_FALSE(shown("/scores"));
    g.play("hold Ctrl\n key A\n release Ctrl\n key Backspace\n wait 3\n type scores\n wait 3\n");
    EXPECT_TRUE(shown("/scores"));
    EXPECT_FALSE(shown("/alpha"));
}

}  // namespace
}  // namespace wl::app

// Every action of the table in the real window, by real X events: by its shortcut, by its entry in a menu, by
// its control on the screen and by the palette. Each of these ways has to change the same thing.
#include "app/session/clock.h"
#include "app/session/edit/open.h"
#include "tests/window/bench.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace wl::app {
namespace {

// What the action changes: `key` was something else before and becomes this; nullptr: something else than
// before, and the same by every way.
struct Row {
    Act act;
    const char *key, *becomes;
    std::function<void(Bench&)> before = [](Bench&) {};
};

// ---- before

void elsewhere(Bench& b) {
    b.frames(2);
    b.select("scores", 0, 1);
    b.frames(2);
}
void with_b(Bench& b) { keep_as_other(b.session), b.frames(3); }
void with_earlier(Bench& b) {
    compare_earlier(b.session);
    b.frames(3);
}
void searching(Bench& b) {
    SourceFind& find = b.app.workspace.source.find;
    find.open = true;
    std::string("sh.s").copy(find.query.data(), find.query.size());
    b.frames(2);
}
void running(Bench& b) {
    KernelOptions options;
    options.kernel = "v2c_3", options.preset = "long";
    run(b.session, options);
    b.until("worker", "running");
}
// A kernel of one's own, which nothing describes yet.
void undescribed(Bench& b) {
    const std::string kernel = b.desktop.folder.path + "/own";
    for (const char* suffix : {".toml", ".py"}) std::filesystem::remove(kernel + suffix);
    std::ofstream(kernel + ".cu") << "__global__ void own(float* y) { y[threadIdx.x] = 1; }\n";
    open_anything(b.session, b.selection, kernel + ".cu");
    b.frames(6);
}
void in_the_middle(Bench& b) {
    b.frames(2);
    step(b.session, b.selection, 1, StepKind::stop), b.frames(2);
    step(b.session, b.selection, 1, StepKind::stop), b.frames(2);
}
// Where Lanes has said what is there; a step goes on from that instant.
void stepping(Bench& b) {
    show_panel(b.app.workspace, "Lanes");
    b.frames(3);
    b.until_true([&] { return b.value("instant").starts_with("warp"); });
}
// In a function that the kernel calls.
void in_a_function(Bench& b) {
    const std::string place = test::source_place("kernels/v2c_3.cu", "float l_add = 0.0f;");
    select_line(b.session, b.selection, 0, std::stoi(place.substr(place.rfind(':') + 1)));
    stepping(b);
}
void at_time(Bench& b, uint32_t time) {
    move_to_time(b.session, b.selection, time);
    stepping(b);
}
void stopping(Bench& b) {
    set_breakpoint(b.session, {"v2c_3.cu", 0, "", "P[5][9]"});
    stepping(b);
}
void zoomed(Bench& b) { b.app.workspace.heatmaps.zoom = Zoom::cell, b.frames(2); }
void by_hand(Bench& b) { b.drag_border(); }

// clang-format off
const std::vector<Row> kRows = {
    {Act::open, "dialog", "open"},
    {Act::open_b, "dialog", "open-b"},
    {Act::save, "dialog", "save"},
    {Act::export_tile, "dialog", "export"},
    {Act::report, "dialog", "report"},
    {Act::editor, "dialog", "editor"},
    {Act::home, "home", "shown"},
    {Act::quit, "quit", "yes"},

    {Act::run, "captures", nullptr},
    {Act::run_b, "b", nullptr},
    {Act::cancel, "worker", "none", running},
    {Act::record, "recorded", nullptr, [](Bench& b) { b.select("P", 1, 1), b.frames(3); }},
    {Act::describe, "verdict", "incomplete", undescribed},
    {Act::follow_files, "follow", "off"},

    {Act::palette, "finder", "open"},
    {Act::back, "tile", "P", elsewhere},
    {Act::forward, "tile", "scores", [](Bench& b) {
         elsewhere(b);
         go_back(b.session.history, b.selection), b.frames(2);
     }},
    {Act::next_bad, "tile", nullptr},
    {Act::previous_bad, "tile", nullptr},
    {Act::first_bad, "iteration", "0"},
    {Act::next_stop, "time", nullptr, in_the_middle},
    {Act::previous_stop, "time", nullptr, in_the_middle},
    {Act::next_instant, "time", nullptr, in_the_middle},
    {Act::previous_instant, "time", nullptr, in_the_middle},
    {Act::find, "typing", "yes"},
    {Act::find_next, "line", nullptr, searching},
    {Act::find_previous, "line", nullptr, searching},
    {Act::edit_line, "file", "opened"},
    {Act::ptx, "ptx", "shown"},

    {Act::over, "instant", nullptr, stepping},
    {Act::back_over, "instant", nullptr, stepping},
    {Act::into, "instant", nullptr, stepping},
    {Act::back_into, "instant", nullptr, stepping},
    {Act::out, "instant", nullptr, in_a_function},
    {Act::back_out, "instant", nullptr, in_a_function},
    {Act::one, "instant", nullptr, stepping},
    {Act::back_one, "instant", nullptr, stepping},
    {Act::go, "instant", nullptr, stopping},
    {Act::back_go, "instant", nullptr, stopping},
    {Act::iteration, "instant", nullptr, stepping},
    {Act::back_iteration, "instant", nullptr, stepping},
    {Act::write, "instant", nullptr, stepping},
    {Act::back_write, "instant", nullptr, stepping},
    {Act::writes, "writes", "listed"},
    {Act::break_write, "breakpoints", "1"},
    {Act::race, "instant", nullptr, [](Bench& b) { at_time(b, 0); }},
    {Act::back_race, "instant", nullptr, [](Bench& b) { at_time(b, b.session.timelines[0].end); }},

    {Act::difference, "metric", "difference", [](Bench& b) {
         b.app.workspace.heatmaps.metric = analysis::Metric::ulp;
     }},
    {Act::relative, "metric", "relative"},
    {Act::ratio, "metric", "ratio"},
    {Act::ulp, "metric", "ulp"},
    {Act::log, "log", "on"},
    {Act::autofit, "autofit", "on", [](Bench& b) { b.app.workspace.heatmaps.autofit = false; }},
    {Act::fit, "zoom", "fit", zoomed},
    {Act::one_to_one, "zoom", "1:1"},
    {Act::cell, "zoom", "cell"},
    {Act::link, "linked", "off"},

    {Act::versus, "against", nullptr, with_b},
    {Act::flip, "flipped", "yes"},
    {Act::beside, "arrange", "side", [](Bench& b) { b.app.workspace.heatmaps.arrange = Arrange::split; }},
    {Act::over_each_other, "arrange", "flip"},
    {Act::split, "arrange", "split"},
    {Act::blend, "arrange", "blend"},
    {Act::next_difference, "tile", nullptr, with_earlier},
    {Act::keep_as_b, "b", nullptr},
    {Act::earlier, "b", "the iteration before"},
    {Act::swap, "b", nullptr, with_b},
    {Act::drop_b, "b", "none", with_b},

    {Act::cheat_sheet, "keys", "shown"},
    {Act::desk_compare, "workspace", "compare", [](Bench& b) {
         show_desk(b.app.workspace, Desk::step), b.frames(6);
     }},
    {Act::desk_step, "workspace", "step"},
    {Act::desk_layout, "workspace", "layout"},
    {Act::desk_learn, "workspace", "learn"},
    {Act::maximise, "maximised", "Heatmaps"},
    {Act::projector, "projector", "on"},
    {Act::undo_layout, "border", "as built", by_hand},
    {Act::redo_layout, "border", "moved", [](Bench& b) {
         b.drag_border();
         undo_layout(b.app.workspace.desks), b.frames(4);
     }},
    {Act::layout, "border", "as built", by_hand},
    {Act::theme, "theme", nullptr},
    {Act::larger, "scale", "1.25"},
    {Act::smaller, "scale", "0.8"},
    {Act::usual_size, "scale", "1", [](Bench& b) { b.app.ui.zoom = 1.5F, b.frames(3); }},
};
// clang-format on

// ---- the ways

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

void by_menu(Bench& b, const Action& action) {
    const std::string menu = "menu/" + lower(action.menu);
    b.click(menu);
    b.click(menu + "/" + action.id);
}

// On the screen, in the panel that has it in front, or in the menu that the row of steps folds into.
void by_control(Bench& b, const Action& action) {
    const std::string name = action.control;
    for (const auto& [begin, panel] : {
             std::pair{"compare/", "Compare"},
             std::pair{"source/",  "Source" }
    })
        if (name.starts_with(begin)) show_panel(b.app.workspace, panel);
    if (name == "home/open") b.app.workspace.at_home = true;
    if (name == "source/find") b.app.workspace.source.find.open = true;
    b.frames(4);
    if (name.starts_with("source/menu/")) b.line_menu();
    if (name == "element/writes") b.scroll_to(name);
    if (!b.desktop.shows(name) && b.desktop.shows("step/more")) b.click("step/more");
    if (!b.desktop.shows(name) && b.desktop.shows("heat/look")) b.click("heat/look");
    b.click(name);
}

void by_palette(Bench& b, const Action& action) {
    b.click("menu/palette");
    std::string words = action.name;
    std::erase_if(words, [](char c) { return static_cast<unsigned char>(c) > 127; });
    test::type_words(words);
    b.until_true([&] { return lower(b.app.workspace.finder.query.data()) == lower(words); });
    b.frames(2);
    const Finder& finder = b.app.workspace.finder;
    for (size_t i = 0; i < finder.matches.size(); ++i) {
        const FinderEntry& entry = finder.entries[static_cast<size_t>(finder.matches[i])];
        const bool found =
            entry.goal == Goal::action && &actions()[static_cast<size_t>(entry.index)] == &action;
        if (found) return b.click("palette/" + std::to_string(i));
    }
    ADD_FAILURE() << "the palette does not find " << words;
}

// By one way: what was there before, and what is there then.
void expect_change(
    Bench& b, const Row& row, const char* way, const std::function<void()>& act, std::string& became
) {
    const Action& action = action_of(row.act);
    SCOPED_TRACE(std::string(action.name) + ", by " + way);
    b.reset(std::string_view(row.key) == "instant");
    row.before(b);
    const std::string before = b.value(row.key);
    if (row.becomes != nullptr) { ASSERT_NE(before, row.becomes); }
    ASSERT_NO_THROW(act());
    const bool done = b.until_true([&] {
        const std::string now = b.value(row.key);
        return row.becomes != nullptr ? now == row.becomes : now != before && now != "asking";
    });
    ASSERT_TRUE(done) << row.key << " is " << b.value(row.key) << ", it was " << before << "; "
                      << b.session.message.text;
    if (row.becomes != nullptr || row.act == Act::run) return;
    if (became.empty()) became = b.value(row.key);
    EXPECT_EQ(b.value(row.key), became) << "another way led elsewhere";
}

struct EveryAction : testing::TestWithParam<const char*> {};

TEST_P(EveryAction, AnswersItsKeyItsMenuItsControlAndThePalette) {
    Bench b;
    ASSERT_TRUE(b.desktop.display.started) << "Xvfb does not start";
    ASSERT_NO_FATAL_FAILURE(b.desktop.show(kRun));
    b.begin();
    for (const Action& action : actions()) {
        if (std::string_view(action.menu) != GetParam()) continue;
        const auto row = std::ranges::find(kRows, action.act, &Row::act);
        if (row == kRows.end()) {
            ADD_FAILURE() << action.name << " has no row here";
            continue;
        }
        std::string became;
        const auto expect = [&](const char* way, const std::function<void()>& act) {
            expect_change(b, *row, way, act, became);
        };
        if (action.keys[0] != '\0') expect("its key", [&] { b.keys(action.keys); });
        expect("its menu", [&] { by_menu(b, action); });
        if (action.control[0] != '\0') expect("its control", [&] { by_control(b, action); });
        if (action.act != Act::palette) expect("the palette", [&] { by_palette(b, action); });
    }
}

INSTANTIATE_TEST_SUITE_P(ByHand, EveryAction, testing::ValuesIn(kMenus), [](const auto& menu) {
    return std::string(menu.param);
});

}  // namespace
}  // namespace wl::app

// Everything that can be done in the window, in one table: menus, the palette, shortcuts, tooltips, the cheat
// sheet and docs/window.md are made of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wl::app {

enum class Act : uint8_t {
    none,
    // File
    open,
    open_b,
    save,
    export_tile,
    report,
    editor,
    home,
    quit,
    // Run
    run,
    run_b,
    cancel,
    record,
    describe,
    follow_files,
    // Go
    palette,
    back,
    forward,
    next_bad,
    previous_bad,
    first_bad,
    next_stop,
    previous_stop,
    next_instant,
    previous_instant,
    find,
    find_next,
    find_previous,
    edit_line,
    ptx,
    // Step
    over,
    back_over,
    into,
    back_into,
    out,
    back_out,
    one,
    back_one,
    go,
    back_go,
    iteration,
    back_iteration,
    write,
    back_write,
    break_write,
    writes,
    race,
    back_race,
    // Heatmaps
    difference,
    relative,
    ratio,
    ulp,
    log,
    autofit,
    fit,
    one_to_one,
    cell,
    link,
    // Compare
    versus,
    flip,
    beside,
    over_each_other,
    split,
    blend,
    next_difference,
    keep_as_b,
    earlier,
    swap,
    drop_b,
    // View
    cheat_sheet,
    desk_compare,
    desk_step,
    desk_layout,
    desk_learn,
    maximise,
    projector,
    undo_layout,
    redo_layout,
    layout,
    theme,
    larger,
    smaller,
    usual_size,
};

struct Action {
    Act act = Act::none;
    const char* menu;     // "File"
    const char* id;       // its control in that menu: "menu/file/open"
    const char* name;     // as the menu says it
    const char* keys;     // "Ctrl+Shift+P"; empty: none
    const char* control;  // elsewhere on the screen, by its name there; empty: none
    const char* tip;      // what it does, a sentence without its full stop
};
std::span<const Action> actions();
const Action& action_of(Act act);
constexpr std::array<const char*, 7> kMenus = {"File", "Run", "Go", "Step", "Heatmaps", "Compare", "View"};

// What the mouse and held keys do; and controls that are no action, for their tooltip.
struct Gesture {
    const char *how, *what;
};
std::span<const Gesture> gestures();

// The sentence for a control, with its shortcut: "fit the tile into the panel (F)". Empty: it has none.
std::string tip_of(std::string_view control);

// The tables of docs/window.md, in Markdown.
std::string actions_text();

}  // namespace wl::app

// A row an action, in the order of the menus.
#include "app/session/actions.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace wl::app {

namespace {

using A = Act;
// clang-format off
constexpr Action kActions[] = {
    {A::open, "File", "open", "Open…", "Ctrl+O", "home/open", "open a capture, a kernel (.cu, .toml), PTX or an array; dropping a file on the window does the same"},
    {A::open_b, "File", "open-b", "Open as B…", "Ctrl+Shift+O", "compare/open", "open a second capture and compare the loaded one with it"},
    {A::save, "File", "save", "Save the capture…", "Ctrl+S", "", "keep what the run left as a .wlcap"},
    {A::export_tile, "File", "export", "Export the tile…", "Ctrl+E", "", "write the selected tile as .png, .svg, .csv or .npy"},
    {A::report, "File", "report", "Export a report…", "Ctrl+Shift+E", "", "write findings, tiles and what was run as one HTML page, as --report does"},
    {A::editor, "File", "editor", "My editor…", "", "", "the command that opens a line in your editor"},
    {A::home, "File", "home", "Home", "Ctrl+H", "menu/home", "the kernels with their stories, and what was open lately; again: back to the panels"},
    {A::quit, "File", "quit", "Quit", "Ctrl+Q", "", "close the window; running workers end"},
    {A::run, "Run", "run", "Run", "Ctrl+Enter", "run/start", "run the kernel with these options in a worker process"},
    {A::run_b, "Run", "run-b", "Run as B", "Ctrl+Shift+Enter", "run/start-b", "run it and compare what is shown with the result"},
    {A::cancel, "Run", "cancel", "Cancel the run", "Ctrl+Backspace", "run/cancel", "end the worker; what is shown stays"},
    {A::record, "Run", "record", "Record this block", "Ctrl+B", "heat/record", "run again with the selected block recorded, and stay where you are"},
    {A::describe, "Run", "describe", "Make a manifest", "", "run/describe", "write a .toml and a reference to go on with beside the kernel that is shown, as init does, and run it"},
    {A::follow_files, "Run", "follow", "Run when a file is saved", "Ctrl+Shift+F", "", "watch the kernel's source, headers, manifest and reference; a save runs it again and the run before becomes B"},
    {A::palette, "Go", "palette", "Go to anything…", "Ctrl+P", "menu/palette", "find an action, a tile, a line, a finding or a panel by its words"},
    {A::back, "Go", "back", "Back", "Alt+LeftArrow", "menu/back", "to what was selected before"},
    {A::forward, "Go", "forward", "Forward", "Alt+RightArrow", "menu/forward", "to what was selected before going back"},
    {A::next_bad, "Go", "next-bad", "Next wrong tile", "N", "", "the next tile outside its bound"},
    {A::previous_bad, "Go", "previous-bad", "Previous wrong tile", "Shift+N", "", "the wrong tile before"},
    {A::first_bad, "Go", "first-bad", "First wrong tile", "B", "tiles/first-bad", "the first wrong tile in kernel time"},
    {A::next_stop, "Go", "next-stop", "Next mark, stage or barrier", "RightArrow", "timeline/forward-stop", "on to where the selected warp next takes a mark, enters a stage or meets a barrier"},
    {A::previous_stop, "Go", "previous-stop", "Previous mark, stage or barrier", "LeftArrow", "timeline/back-stop", "the same backwards"},
    {A::next_instant, "Go", "next-instant", "Next instant", "Shift+RightArrow", "timeline/forward", "on to the next instant at which anything happened in the block"},
    {A::previous_instant, "Go", "previous-instant", "Previous instant", "Shift+LeftArrow", "timeline/back", "the same backwards"},
    {A::find, "Go", "find", "Find in the source…", "Ctrl+F", "source/find", "search the shown source"},
    {A::find_next, "Go", "find-next", "Find next", "F3", "source/find/next", "the next line that holds what was searched"},
    {A::find_previous, "Go", "find-previous", "Find previous", "Shift+F3", "source/find/previous", "the line before that holds it"},
    {A::edit_line, "Go", "edit", "Open the line in my editor", "F4", "source/menu/edit", "open the selected line in your editor"},
    {A::ptx, "Go", "ptx", "PTX beside the source", "P", "source/ptx", "the instructions that the source was compiled to; those of the selected line are marked"},
    {A::over, "Step", "over", "Over", "F10", "step/over", "the next line of this function or of its caller"},
    {A::back_over, "Step", "back-over", "Back over", "Shift+F10", "step/over/back", "the same backwards"},
    {A::into, "Step", "into", "Into", "F11", "step/into", "the next line, of what is called too"},
    {A::back_into, "Step", "back-into", "Back into", "Ctrl+F11", "step/into/back", "the same backwards"},
    {A::out, "Step", "out", "Out", "Shift+F11", "step/out", "to the line that called this function"},
    {A::back_out, "Step", "back-out", "Back out", "Ctrl+Shift+F11", "step/out/back", "the same backwards"},
    {A::one, "Step", "one", "One instruction", ".", "", "the next instruction of the warp"},
    {A::back_one, "Step", "back-one", "One instruction back", ",", "", "the instruction before"},
    {A::go, "Step", "go", "To a breakpoint", "F5", "step/go", "on to the next breakpoint; F9 or a press on a line's number sets one"},
    {A::back_go, "Step", "back-go", "Back to a breakpoint", "Shift+F5", "step/go/back", "the same backwards"},
    {A::iteration, "Step", "iteration", "The stage's next iteration", "I", "step/iteration", "to where the stage begins in the next iteration"},
    {A::back_iteration, "Step", "back-iteration", "The stage's iteration before", "Shift+I", "step/iteration/back", "the same backwards"},
    {A::write, "Step", "write", "To a write of the element", "W", "step/write", "to the next write of the selected element, by any warp"},
    {A::back_write, "Step", "back-write", "Back to a write of the element", "Shift+W", "step/write/back", "the same backwards"},
    {A::break_write, "Step", "break-write", "Break where the element is written", "Shift+F9", "step/break-write", "a breakpoint on the selected element: F5 stops where any warp writes it; again: no longer"},
    {A::writes, "Step", "writes", "Every write of the element", "H", "element/writes", "a list of all that any warp of the block writes to the selected element; a click on one goes there"},
    {A::race, "Step", "race", "To an access of a race", "J", "step/race", "to the next access, of any warp, at which a race was seen"},
    {A::back_race, "Step", "back-race", "Back to an access of a race", "Shift+J", "step/race/back", "the same backwards"},
    {A::difference, "Heatmaps", "difference", "Difference", "1", "heat/metric/difference", "got - reference"},
    {A::relative, "Heatmaps", "relative", "Relative difference", "2", "heat/metric/relative", "got - reference over the size of the reference"},
    {A::ratio, "Heatmaps", "ratio", "Ratio", "3", "heat/metric/ratio", "got / reference"},
    {A::ulp, "Heatmaps", "ulp", "Difference in ULP", "4", "heat/metric/ulp", "how many numbers of the tile's format lie between"},
    {A::log, "Heatmaps", "log", "Logarithmic colours", "L", "heat/scale/log", "colours by the symmetric logarithm"},
    {A::autofit, "Heatmaps", "autofit", "Fit the range", "U", "heat/autofit", "colours span what the tile holds, of every tile anew"},
    {A::fit, "Heatmaps", "fit", "Fit", "F", "heat/zoom/fit", "the whole tile in the panel"},
    {A::one_to_one, "Heatmaps", "one-to-one", "A pixel an element", "Shift+F", "heat/zoom/1:1", "one pixel for one element, around the selected one"},
    {A::cell, "Heatmaps", "cell", "Cells with numbers", "Z", "heat/zoom/cell", "as near as numbers need, around the selected element"},
    {A::link, "Heatmaps", "link", "Link views", "K", "heat/link", "all heatmaps pan and zoom as one"},
    {A::versus, "Compare", "versus", "Against B, or the reference", "V", "heat/versus", "what tiles stand against: B, or their reference"},
    {A::flip, "Compare", "flip", "Flip", "X", "", "the other one in its place: B for A, the reference for what the kernel got"},
    {A::beside, "Compare", "beside", "Side by side", "Ctrl+1", "heat/arrange/side", "each in a heatmap of its own, and their difference"},
    {A::over_each_other, "Compare", "over", "In one place", "Ctrl+2", "heat/arrange/flip", "one large heatmap in which Flip shows the other"},
    {A::split, "Compare", "split", "Split", "Ctrl+3", "heat/arrange/split", "one heatmap with a slider: one to its left, the other to its right"},
    {A::blend, "Compare", "blend", "Blend", "Ctrl+4", "heat/arrange/blend", "one heatmap in which both are mixed"},
    {A::next_difference, "Compare", "next", "Next tile that differs", "M", "compare/next", "the next tile, in kernel time, in which A and B differ"},
    {A::keep_as_b, "Compare", "keep", "Keep this as B", "Ctrl+K", "compare/keep", "what is shown becomes B: what comes next is compared with it"},
    {A::earlier, "Compare", "earlier", "With the iteration before", "E", "compare/earlier", "every tile against the same mark one iteration earlier"},
    {A::swap, "Compare", "swap", "Swap A and B", "Shift+X", "compare/swap", "what was B is shown, and compared with what was A"},
    {A::drop_b, "Compare", "drop", "Stop comparing", "Shift+V", "compare/drop", "B goes; tiles stand against their reference"},
    {A::cheat_sheet, "View", "keys", "Keys", "F1", "menu/keys", "this list"},
    {A::desk_compare, "View", "desk-compare", "Workspace: Compare", "Ctrl+Shift+1", "", "heatmaps in the middle; every workspace stays as you leave it"},
    {A::desk_step, "View", "desk-step", "Workspace: Step", "Ctrl+Shift+2", "", "the source, the lanes and shared memory together; the rest is folded to the edges"},
    {A::desk_layout, "View", "desk-layout", "Workspace: Layout", "Ctrl+Shift+3", "", "fragments, shared memory or banks as large as the window"},
    {A::desk_learn, "View", "desk-learn", "Workspace: Learn", "Ctrl+Shift+4", "", "a lesson beside the panels that it speaks of"},
    {A::maximise, "View", "maximise", "One panel alone", "Ctrl+M", "", "the panel under the mouse as large as the window; again: all of them"},
    {A::projector, "View", "projector", "Projector", "Ctrl+Shift+M", "", "one panel alone in large type, for a room to read; F11 in Layout and Learn"},
    {A::undo_layout, "View", "undo", "Undo docking", "Ctrl+Z", "", "take the last move of a panel or a border back"},
    {A::redo_layout, "View", "redo", "Redo docking", "Ctrl+Shift+Z", "", "make it again"},
    {A::layout, "View", "layout", "Default layout", "Ctrl+0", "", "every panel open and in its place, in this workspace"},
    {A::theme, "View", "theme", "Light theme", "Ctrl+Shift+L", "", "the other of the two themes"},
    {A::larger, "View", "larger", "Larger", "Ctrl+=", "", "words, numbers and controls a step larger, up to three times the display's own size"},
    {A::smaller, "View", "smaller", "Smaller", "Ctrl+-", "", "a step smaller"},
    {A::usual_size, "View", "usual-size", "The display's own size", "Ctrl+Shift+0", "", "as large as the display asks for, or --scale"},
};
// clang-format on

constexpr Gesture kGestures[] = {
    {"Space or R, held",                "the reference in the place of got"             },
    {"Drag in a heatmap",               "pan"                                           },
    {"Wheel in a heatmap",              "zoom where the mouse is"                       },
    {"Double click in a heatmap",       "fit"                                           },
    {"Drag a handle of a colour bar",   "the range of the colours"                      },
    {"Drag in the timeline",            "move the instant"                              },
    {"Wheel in the timeline",           "zoom; with Shift, or by the right button: move"},
    {"W, S, A, D over the timeline",    "zoom in and out, move back and forward"        },
    {"Double click in the timeline",    "all of it, and nothing else"                   },
    {"Shift and drag there",            "measure a stretch of time"                     },
    {"Shift and drag in a heatmap",     "a rectangle's statistics, and copies of it"    },
    {"Right button in a heatmap",
     "its menu: every write of the element, where it comes from, copy its value"        },
    {"Double click on a panel's title", "that panel alone; again: all of them"          },
    {"F9 over a line",                  "set a breakpoint, or take it away"             },
    {"Ctrl+F10 over a line",            "run to it; with Shift: back to it"             },
    {"Right button on a line",          "its menu: run to it, a condition, my editor"   },
    {"Drop a file on the window",       "open it; of two captures the second becomes B" },
};

const std::unordered_map<std::string_view, const Action*>& by_control() {
    static const auto kByControl = [] {
        std::unordered_map<std::string_view, const Action*> map;
        for (const Action& action : kActions)
            if (action.control[0] != '\0') map.emplace(action.control, &action);
        return map;
    }();
    return kByControl;
}

}  // namespace

std::span<const Action> actions() { return kActions; }
std::span<const Gesture> gestures() { return kGestures; }

const Action& action_of(Act act) {
    return *std::find_if(std::begin(kActions), std::end(kActions), [act](const Action& each) {
        return each.act == act;
    });
}

std::string tip_of(std::string_view control) {
    const auto found = by_control().find(control);
    if (found == by_control().end()) return "";
    const Action& action = *found->second;
    return std::string(action.tip) + (action.keys[0] != '\0' ? std::string("  (") + action.keys + ")" : "");
}

std::string actions_text() {
    std::string out;
    for (const char* menu : kMenus) {
        out += fmt::format("### {}\n\n| action | key | does |\n| --- | --- | --- |\n", menu);
        for (const Action& action : kActions)
            if (std::string_view(action.menu) == menu)
                out += fmt::format("| {} | {} | {} |\n", action.name, action.keys, action.tip);
        out += '\n';
    }
    out += "### Mouse and held keys\n\n| how | does |\n| --- | --- |\n";
    for (const Gesture& gesture : kGestures) out += fmt::format("| {} | {} |\n", gesture.how, gesture.what);
    return out;
}

}  // namespace wl::app

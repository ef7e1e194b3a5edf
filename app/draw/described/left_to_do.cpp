// One row, so that the panels stay where they are; all that is left stands in its tooltip.
#include "app/draw/described/left_to_do.h"

#include <imgui.h>

#include <filesystem>
#include <string>
#include <vector>

namespace wl::app {

namespace {

bool is_of(const Session& session, const std::string& source) {
    return std::filesystem::path(source).stem() == session.capture.launch.kernel;
}

// Cut where there is no room, and whole under the mouse.
void put_in(Box row, ImU32 ink, const std::string& text) {
    put_clipped(
        {row.low.x, middle(row.low.y, row.height(), Face::small_words)},
        row.width(),
        {Face::small_words, ink},
        text
    );
    const bool cut = measure(Face::small_words, text).x > row.width();
    if (cut && ImGui::IsMouseHoveringRect(row.low, row.high)) tooltip(text);
}

}  // namespace

void draw_undescribed(const Session& session, Box row, Commands& commands) {
    const std::string file = file_name(session.path);
    if (session.describing.worker) return put_in(row, colour::kDim, "Looking at what " + file + " does …");
    const ButtonStyle style{colour::kBright, colour::with_alpha(colour::kAccent, 120)};
    if (button(row.low, action_of(Act::describe).control, "Make a manifest", style))
        commands.acts.push_back(Act::describe);
    row.low.x += button_width("Make a manifest") + px(10);
    put_in(
        row,
        colour::kDim,
        "Nothing says yet how " + file + " is launched and what it should compute: this writes " +
            file_name(manifest_beside(file)) + " to go on with, and runs it."
    );
}

float draw_named(const Session& session, Box box, Commands& commands) {
    if (session.named.empty() || session.program.empty()) return 0;
    const std::string label = "Open " + session.named;
    if (button(box.low, "run/trust", label)) commands.trust = true;
    const float x = box.low.x + button_width(label) + px(10);
    const Box row{
        {x,          box.low.y                     },
        {box.high.x, box.low.y + px(kControlHeight)}
    };
    put_in(
        row,
        colour::kDim,
        "This capture names it. It was not opened: it is compiled, and its reference runs, once you allow "
        "that."
    );
    return px(kControlHeight + 6);
}

float draw_left_to_do(const Session& session, Box box, Commands& commands) {
    const Describing& describing = session.describing;
    if (!is_of(session, describing.source)) return 0;
    const std::vector<std::string> left = still_left(session);
    if (left.empty()) return 0;
    ImVec2 at = box.low;
    for (const std::string& file :
         {manifest_beside(describing.source), reference_beside(describing.source)}) {
        const std::string label = "Open " + file_name(file);
        const std::string name = "run/written" + std::filesystem::path(file).extension().string();
        if (button(at, name, label)) commands.edit = SourcePlace{file, 1};
        if (ImGui::IsItemHovered()) tooltip(file + ", in your editor (My editor in the menu File)");
        at.x += button_width(label) + px(6);
    }
    if (button(at, "run/written-done", "Done", {.text = colour::kDim})) commands.described = true;
    at.x += button_width("Done") + px(10);
    const Box row{
        at, {box.high.x, at.y + px(kControlHeight)}
    };
    std::string all = left.size() == 1 ? "Left for a verdict: " : "Left for a verdict:";
    if (left.size() == 1) all += left.front();
    for (size_t i = 0; left.size() > 1 && i < left.size(); ++i)
        all += "  " + std::to_string(i + 1) + ". " + left[i];
    put_in(row, colour::kWarning, all);
    register_control("run/left", row.low, row.high);
    return px(kControlHeight + 6);
}

}  // namespace wl::app

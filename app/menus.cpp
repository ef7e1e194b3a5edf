// A menu lists the rows of the table that name it; a dialogue is a field, and for files a list below it.
#include "app/menus.h"

#include "app/allowed.h"
#include "app/draw/widgets.h"
#include "app/session/edit/editor.h"
#include "app/session/edit/rerun.h"
#include "app/workspace.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

bool menu(const char* label, const std::string& id, ImVec2& at) {
    const float width = measure(Face::small_words, label).x + px(18);
    const Box box{
        at, {at.x + width, at.y + px(kControlHeight)}
    };
    if (press(box, "menu/" + id)) ImGui::OpenPopup(id.c_str());
    const bool hot = ImGui::IsItemHovered() || ImGui::IsPopupOpen(id.c_str());
    if (hot) ImGui::GetWindowDrawList()->AddRectFilled(box.low, box.high, colour::kRaised, px(3));
    put({at.x + px(9), middle(at.y, px(kControlHeight), Face::small_words)},
        {Face::small_words, hot ? colour::kBright : colour::kText},
        label);
    ImGui::SetNextWindowPos({at.x, at.y + px(kControlHeight + 4)});
    at.x += width;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
    const bool open = ImGui::BeginPopup(id.c_str());
    ImGui::PopStyleVar();
    return open;
}

bool is_on(Act act, const Workspace& workspace, const Session& session) {
    const HeatmapsPanel& heat = workspace.heatmaps;
    switch (act) {
        case Act::follow_files: return session.watched.on;
        case Act::theme: return ui().light;
        case Act::desk_compare: return workspace.desks.shown == Desk::compare;
        case Act::desk_step: return workspace.desks.shown == Desk::step;
        case Act::desk_layout: return workspace.desks.shown == Desk::layout;
        case Act::desk_learn: return workspace.desks.shown == Desk::learn;
        case Act::log: return heat.log;
        case Act::autofit: return heat.autofit;
        case Act::link: return heat.linked;
        case Act::versus: return session.against.shown;
        case Act::flip: return heat.swapped;
        case Act::beside: return heat.arrange == Arrange::side;
        case Act::over_each_other: return heat.arrange == Arrange::flip;
        case Act::split: return heat.arrange == Arrange::split;
        case Act::blend: return heat.arrange == Arrange::blend;
        default: return false;
    }
}

void draw_item(
    const Action& action,
    const Workspace& workspace,
    const Session& session,
    const Selection& selection,
    Commands& commands
) {
    const bool enabled = can(action.act, session, selection);
    if (ImGui::MenuItem(action.name, action.keys, is_on(action.act, workspace, session), enabled))
        commands.acts.push_back(action.act);
    register_last_item("menu/" + lower(action.menu) + "/" + action.id);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) tooltip(action.tip);
}

void draw_panel_items(Workspace& workspace) {
    ImGui::Separator();
    for (int panel = 0; panel < kPanels; ++panel) {
        bool& open = workspace.open[static_cast<size_t>(panel)];
        ImGui::MenuItem(panel_title(panel), nullptr, &open);
        register_last_item(std::string("menu/view/") + panel_title(panel));
    }
}

// ---- dialogues

struct Question {
    const char *title, *hint;
};
Question question_of(Asks asks) {
    switch (asks) {
        case Asks::open: return {"Open", "a .wlcap, .cu, .toml, .ptx or .npy"};
        case Asks::open_b: return {"Open as B", "a .wlcap to compare with"};
        case Asks::save: return {"Save the capture", "a .wlcap"};
        case Asks::export_tile: return {"Export the tile", "a .png, .svg, .csv or .npy"};
        case Asks::report: return {"Export a report", "an .html page"};
        default: return {"My editor", "a command with {file} and {line}"};
    }
}

std::string first_text(Asks asks, const Session& session, const Selection& selection) {
    std::error_code none;
    std::string here = fs::current_path(none).string() + "/";
    const std::string kernel = lower(session.capture.launch.kernel);
    const capture::Probe* probe = probe_of(session, selection);
    switch (asks) {
        case Asks::save: return here + kernel + ".wlcap";
        case Asks::report: return here + kernel + ".html";
        case Asks::export_tile:
            return here + kernel + "_" + (probe != nullptr ? probe->name : "tile") + ".png";
        case Asks::editor: return session.settings.editor.empty() ? usual_editor() : session.settings.editor;
        default: return here;
    }
}

void answer(Asks asks, const std::string& text, Commands& commands) {
    switch (asks) {
        case Asks::open: commands.open = text; return;
        case Asks::open_b: commands.open_b = text; return;
        case Asks::save: commands.save = text; return;
        case Asks::export_tile: commands.export_tile = text; return;
        case Asks::report: commands.report = text; return;
        case Asks::editor: commands.editor = text; return;
        case Asks::nothing: return;
    }
}

bool can_open(Asks asks, const fs::directory_entry& entry) {
    std::error_code none;
    if (entry.path().filename().string().starts_with('.')) return false;
    if (entry.is_directory(none)) return true;
    const std::string suffix = entry.path().extension().string();
    if (asks == Asks::open_b) return suffix == ".wlcap";
    return suffix == ".wlcap" || suffix == ".cu" || suffix == ".toml" || suffix == ".ptx" || suffix == ".npy";
}

// Of the folder that is being typed, what goes on as it was typed; folders first.
std::vector<fs::path> entries_of(Asks asks, const std::string& typed) {
    constexpr size_t kMost = 400;
    const fs::path path(typed);
    const std::string begin = lower(path.filename().string());
    std::vector<fs::path> folders, files;
    std::error_code problem;
    for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), problem)) {
        if (!can_open(asks, entry) || !lower(entry.path().filename().string()).starts_with(begin)) continue;
        (entry.is_directory(problem) ? folders : files).push_back(entry.path());
        if (folders.size() + files.size() >= kMost) break;
    }
    std::sort(folders.begin(), folders.end());
    std::sort(files.begin(), files.end());
    for (fs::path& folder : folders) folder += "/";
    folders.insert(folders.end(), files.begin(), files.end());
    return folders;
}

void set_text(Dialogs& dialogs, const std::string& text) {
    dialogs.text.fill('\0');
    text.copy(dialogs.text.data(), dialogs.text.size() - 1);
}

void list_files(Dialogs& dialogs, Commands& commands) {
    if (!ImGui::BeginChild("files", {px(560), px(260)})) return ImGui::EndChild();
    const std::string typed = dialogs.text.data();
    const auto entry = [&](const std::string& path, const std::string& label) {
        const bool chosen = ImGui::Selectable(label.c_str(), false, ImGuiSelectableFlags_NoAutoClosePopups);
        register_last_item("open/" + label);
        if (!chosen) return;
        set_text(dialogs, path);
        if (path.ends_with('/')) return;
        answer(dialogs.shown, path, commands);
        ImGui::CloseCurrentPopup();
    };
    const fs::path folder = fs::path(typed).parent_path();
    if (folder.has_parent_path() && folder != folder.root_path())
        entry((folder.parent_path() / "").string(), "../");
    for (const fs::path& each : entries_of(dialogs.shown, typed)) {
        const std::string text = each.string();
        const bool below = text.ends_with('/');
        entry(text, below ? each.parent_path().filename().string() + "/" : each.filename().string());
    }
    ImGui::EndChild();
}

void list_editors(Dialogs& dialogs, Commands& commands) {
    for (const KnownEditor& editor : known_editors()) {
        const std::string label = std::string(editor.name) + "   " + editor.command;
        const bool chosen = ImGui::Selectable(label.c_str());
        register_last_item(std::string("editor/") + editor.name);
        if (chosen) answer(dialogs.shown, editor.command, commands);
    }
}

}  // namespace

void draw_menus(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands, ImVec2& at
) {
    for (const char* name : kMenus) {
        if (!menu(name, lower(name), at)) continue;
        for (const Action& action : actions())
            if (std::string_view(action.menu) == name)
                draw_item(action, workspace, session, selection, commands);
        if (std::string_view(name) == "View") draw_panel_items(workspace);
        end_popup();
    }
}

void draw_dialogs(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands
) {
    Dialogs& dialogs = workspace.dialogs;
    const bool opens = dialogs.asks != Asks::nothing;
    if (opens) {
        dialogs.shown = dialogs.asks;
        dialogs.asks = Asks::nothing;
        set_text(dialogs, first_text(dialogs.shown, session, selection));
        ImGui::OpenPopup("ask");
    }
    ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x / 2, px(84)}, ImGuiCond_Always, {0.5F, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(12)));
    if (ImGui::BeginPopup("ask")) {
        const Question question = question_of(dialogs.shown);
        ImGui::PushFont(ui().fonts.strong, size::kWords);
        ImGui::TextUnformatted(question.title);
        ImGui::PopFont();
        ImGui::SameLine();
        ImGui::TextDisabled("%s", question.hint);
        ImGui::SetNextItemWidth(px(560));
        if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
        const bool entered = ImGui::InputText(
            "##path", dialogs.text.data(), dialogs.text.size(), ImGuiInputTextFlags_EnterReturnsTrue
        );
        register_last_item("open/path");
        if (entered) {
            answer(dialogs.shown, dialogs.text.data(), commands);
            ImGui::CloseCurrentPopup();
        }
        if (dialogs.shown == Asks::open || dialogs.shown == Asks::open_b) list_files(dialogs, commands);
        if (dialogs.shown == Asks::editor) list_editors(dialogs, commands);
        end_popup();
    }
    ImGui::PopStyleVar();
}

}  // namespace wl::app

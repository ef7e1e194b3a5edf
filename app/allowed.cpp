#include "app/allowed.h"

#include "app/draw/transport.h"
#include "app/session/clock.h"
#include "app/session/navigate.h"

#include <imgui.h>

namespace wl::app {

namespace {

bool is_loaded(const Session& session) { return !session.capture.launch.kernel.empty(); }

bool is_unrecorded(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    if (tile == nullptr || session.program.empty() || session.worker) return false;
    return tile->block < 0 ? exists(selection.element) : tile->values == capture::kNoBlob;
}

}  // namespace

const char* step_words(Act act) {
    switch (act) {
        case Act::over: return "over";
        case Act::back_over: return "back over";
        case Act::into: return "into";
        case Act::back_into: return "back into";
        case Act::out: return "out";
        case Act::back_out: return "back out";
        case Act::one: return "1";
        case Act::back_one: return "-1";
        case Act::go: return "go";
        case Act::back_go: return "back go";
        case Act::iteration: return "iteration";
        case Act::back_iteration: return "back iteration";
        case Act::write: return "write ";
        case Act::back_write: return "back write ";
        case Act::race: return "race";
        case Act::back_race: return "back race";
        default: return nullptr;
    }
}

bool can(Act act, const Session& session, const Selection& selection) {
    if (step_words(act) != nullptr && (!is_loaded(session) || session.program.empty())) return false;
    switch (act) {
        case Act::write:
        case Act::back_write:
        case Act::break_write:
        case Act::writes: return !element_name(session, selection).empty();
        case Act::race:
        case Act::back_race: return has_race(session);
        case Act::save:
        case Act::report:
        case Act::keep_as_b: return is_loaded(session);
        case Act::export_tile: return has_values(session.current);
        case Act::run:
        case Act::run_b: return !session.program.empty() && may_run(session);
        case Act::cancel: return session.worker != nullptr;
        case Act::record: return is_unrecorded(session, selection);
        case Act::describe:
            return is_undescribed(session) && !session.program.empty() && !session.describing.worker;
        case Act::back: return !session.history.past.empty();
        case Act::forward: return !session.history.future.empty();
        case Act::first_bad:
        case Act::next_bad:
        case Act::previous_bad: return session.first_bad >= 0;
        case Act::find:
        case Act::find_next:
        case Act::find_previous: return !session.capture.sources.empty();
        case Act::ptx: return !session.program.empty() || !session.capture.sites.empty();
        case Act::edit_line: return place_of_line(session, selection).line > 0;
        case Act::difference:
        case Act::relative:
        case Act::ratio:
        case Act::ulp:
        case Act::flip:
        case Act::over_each_other:
        case Act::split:
        case Act::blend: return has_reference(session.current);
        case Act::open_b:
        case Act::earlier: return is_loaded(session);
        case Act::versus:
        case Act::next_difference:
        case Act::drop_b: return has_other(session.against);
        case Act::swap: return session.against.other != nullptr;
        default: return true;
    }
}

int chord_of(std::string_view keys) {
    int chord = 0;
    const auto take = [&](std::string_view name, int mod) {
        if (!keys.starts_with(name)) return;
        chord |= mod;
        keys.remove_prefix(name.size());
    };
    take("Ctrl+", ImGuiMod_Ctrl);
    take("Shift+", ImGuiMod_Shift);
    take("Alt+", ImGuiMod_Alt);
    if (keys == ".") keys = "Period";
    if (keys == ",") keys = "Comma";
    if (keys == "=") keys = "Equal";
    if (keys == "-") keys = "Minus";
    for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key)
        if (keys == ImGui::GetKeyName(static_cast<ImGuiKey>(key))) return chord | key;
    return 0;
}

}  // namespace wl::app

// Three rows: kernel, fault and shape, run or progress.
#include "app/panels/run.h"

#include "app/draw/widgets.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>

namespace wl::app {

namespace {

const KernelChoice* choice_of(const Session& session, const std::string& kernel) {
    const auto at = std::find_if(session.kernels.begin(), session.kernels.end(), [&](const KernelChoice& k) {
        return k.name == kernel;
    });
    return at != session.kernels.end() ? &*at : nullptr;
}

// The choice follows a newly loaded capture.
void take_choice(RunPanel& panel, const Session& session) {
    if (panel.capture == session.captures && !panel.kernel.empty()) return;
    panel.capture = session.captures;
    const capture::Launch& launch = session.capture.launch;
    const bool loaded = !launch.kernel.empty();
    const std::vector<std::string>& faults = loaded ? launch.faults : session.request.faults;
    const std::string first = session.kernels.empty() ? "" : session.kernels.front().name;
    panel.kernel = loaded ? launch.kernel : !session.request.kernel.empty() ? session.request.kernel : first;
    for (const KernelChoice& kernel : session.kernels)
        if (!kernel.path.empty() && kernel.path == panel.kernel) panel.kernel = kernel.name;
    panel.fault = faults.empty() ? "" : faults.front();
    panel.on = !loaded ? session.request.on : launch.executor.starts_with("gpu") ? "gpu" : "cpu";
}

bool choose(
    std::string_view name,
    ImVec2 at,
    float width,
    const std::vector<std::string>& from,
    std::string& chosen,
    const char* none
) {
    ImGui::SetCursorScreenPos(at);
    ImGui::SetNextItemWidth(width);
    bool changed = false;
    const std::string id = "##" + std::string(name);
    const bool open =
        ImGui::BeginCombo(id.c_str(), chosen.empty() ? none : chosen.c_str(), ImGuiComboFlags_HeightLarge);
    register_last_item(std::string(name));
    if (!open) return false;
    const auto entry = [&](const std::string& value, const std::string& label) {
        if (ImGui::Selectable(label.c_str(), chosen == value)) {
            chosen = value;
            changed = true;
        }
        register_last_item(std::string(name) + "/" + (value.empty() ? "none" : value));
    };
    if (none[0] != '\0') entry("", none);
    for (const std::string& value : from) entry(value, value);
    ImGui::EndCombo();
    return changed;
}

void draw_progress(const Session& session, Commands& commands, Box box) {
    const Progress& progress = session.worker->progress;
    const float cancel = button_width("Cancel");
    const Box bar{
        box.low, {box.high.x - cancel - px(6), box.low.y + px(kControlHeight)}
    };
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(bar.low, bar.high, colour::kBar, px(3));
    const float share = static_cast<float>(std::clamp(progress.fraction, 0.0, 1.0));
    if (share > 0)
        list->AddRectFilled(
            bar.low,
            {bar.low.x + bar.width() * share, bar.high.y},
            colour::with_alpha(colour::kAccent, 120),
            px(3)
        );
    char text[64];
    std::snprintf(
        text,
        sizeof text,
        "%s %.0f %%",
        progress.stage.empty() ? "starting" : progress.stage.c_str(),
        share * 100.0
    );
    put_clipped(
        {bar.low.x + px(8), middle(bar.low.y, bar.height(), Face::small_words)},
        bar.width() - px(12),
        {Face::small_words, colour::kText},
        text
    );
    if (button({box.high.x - cancel, box.low.y}, "run/cancel", "Cancel", {.text = colour::kBad}))
        commands.cancel = true;
}

void draw_choices(RunPanel& panel, const Session& session, Box rest) {
    const float pad = px(size::kPad), left = rest.low.x + pad, width = rest.width() - 2 * pad;
    const KernelChoice* choice = choice_of(session, panel.kernel);
    std::vector<std::string> names;
    for (const KernelChoice& kernel : session.kernels) names.push_back(kernel.name);
    const float kernel_width = std::floor((width - px(6)) * 0.56F);
    if (choose("run/kernel", {left, rest.low.y}, kernel_width, names, panel.kernel, "")) panel.fault.clear();
    const std::vector<std::string> faults =
        choice != nullptr ? choice->faults : session.capture.launch.faults;
    choose(
        "run/fault",
        {left + kernel_width + px(6), rest.low.y},
        width - kernel_width - px(6),
        faults,
        panel.fault,
        "no fault"
    );
    ImGui::SetCursorScreenPos({left, rest.low.y + px(28)});
    ImGui::SetNextItemWidth(kernel_width);
    ImGui::InputTextWithHint("##shape", "shape B,H,S,D", panel.shape.data(), panel.shape.size());
    register_last_item("run/shape");
    choose(
        "run/on",
        {left + kernel_width + px(6), rest.low.y + px(28)},
        width - kernel_width - px(6),
        {"cpu", "gpu", "both"},
        panel.on,
        ""
    );
}

}  // namespace

void draw(RunPanel& panel, const Session& session, Commands& commands) {
    take_choice(panel, session);
    const Box box = window_box();
    const Box rest = draw_header(
        box,
        {.title = "Run",
         .subtitle = session.worker ? session.request.kernel : session.capture.launch.executor,
         .mark = colour::kAccent}
    );
    ImGui::PushFont(ui().fonts.words, size::kSmallWords);
    push_field_style();
    draw_choices(panel, session, rest);
    pop_field_style();
    ImGui::PopFont();
    const float pad = px(size::kPad);
    const Box last{
        {rest.low.x + pad,  rest.low.y + px(57)},
        {rest.high.x - pad, rest.high.y        }
    };
    if (session.worker) {
        draw_progress(session, commands, last);
        return;
    }
    const bool ready = !panel.kernel.empty() && !session.program.empty();
    const ButtonStyle style{
        colour::kBright,
        ready ? colour::with_alpha(colour::kAccent, 120) : colour::kRaised,
        last.width(),
        ready};
    if (button(last.low, "run/start", "Run in a worker", style)) {
        const KernelChoice* choice = choice_of(session, panel.kernel);
        KernelOptions request;
        request.kernel = choice != nullptr && !choice->path.empty() ? choice->path : panel.kernel;
        if (session.request.kernel == request.kernel) request = session.request;
        request.faults.clear();
        if (!panel.fault.empty()) request.faults = {panel.fault};
        request.preset = panel.preset, request.on = panel.on;
        request.shape = panel.shape.data();
        commands.run = request;
    }
}

}  // namespace wl::app

// A flow of small labelled fields; an error stands below the field that it speaks of.
#include "app/panels/run.h"

#include "app/draw/described/left_to_do.h"
#include "app/draw/widgets.h"
#include "app/session/compare/against.h"
#include "app/session/edit/rerun.h"
#include "instrumentation/manifest/inputs.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace wl::app {

namespace {

constexpr float kWideBar = 1200, kHighBar = 680;  // pixels at scale 1: a window below both has one row
const KernelChoice* choice_of(const Session& session, const std::string& kernel) {
    const auto at = std::find_if(session.kernels.begin(), session.kernels.end(), [&](const KernelChoice& k) {
        return k.name == kernel || (!k.path.empty() && k.path == kernel);
    });
    return at != session.kernels.end() ? &*at : nullptr;
}

template <size_t N>
void put_text(std::array<char, N>& field, const std::string& text) {
    field.fill('\0');
    text.copy(field.data(), N - 1);
}

// The choice follows a file that was opened; what ran from here stands here already.
void follow(RunPanel& panel, const Session& session) {
    // The bar speaks of A: what ran as B was asked for here, and is named where A and B are compared.
    if (panel.against != session.against.number && has_other(session.against) &&
        session.against.made == Made::after)
        take_request(panel, session, problem_to_change(session));
    panel.against = session.against.number;
    if (panel.capture == session.captures && !panel.kernel.empty()) return;
    panel.capture = session.captures;
    const std::string& kernel = session.capture.launch.kernel;
    if (kernel.empty()) {
        KernelOptions request = session.request;
        if (request.kernel.empty() && !session.kernels.empty()) request.kernel = session.kernels[0].name;
        take_request(panel, session, request);
    } else if (!session.path.empty() || panel.kernel != kernel) {
        take_request(panel, session, problem_to_change(session));
    }
}

// Hands out places; what does not fit goes into the next row.
struct Flow {
    Box box;
    ImVec2 at;
    float row = 0;
    bool entered = false;  // Enter was pressed in a field
    ImVec2 place(float width) {
        if (at.x > box.low.x && at.x + width > box.high.x) at = {box.low.x, at.y + row};
        const ImVec2 here = at;
        at.x += width + px(10);
        return here;
    }
};

struct Field {
    const char* name;   // "kernel"; its control is run/kernel
    const char* label;  // before it; empty: none
    float width = 100;  // pixels at scale 1
};

// Where the field's own box begins; its frame is red where the last run's message speaks of it.
ImVec2 begin_field(Flow& flow, const Field& field, const std::string& wrong) {
    const float label = field.label[0] == '\0' ? 0 : measure(Face::small_words, field.label).x + px(6);
    const ImVec2 at = flow.place(label + px(field.width));
    if (label > 0)
        put({at.x, middle(at.y, px(kControlHeight), Face::small_words)},
            {Face::small_words, colour::kDim},
            field.label);
    const ImVec2 own(at.x + label, at.y);
    if (wrong == field.name)
        ImGui::GetWindowDrawList()->AddRect(
            {own.x - px(1), own.y - px(1)},
            {own.x + px(field.width + 1), own.y + px(kControlHeight + 1)},
            colour::kBad,
            px(3),
            0,
            px(1.5F)
        );
    ImGui::SetCursorScreenPos(own);
    ImGui::SetNextItemWidth(px(field.width));
    return own;
}

void choose(
    Flow& flow,
    const Field& field,
    const std::vector<std::string>& from,
    std::string& chosen,
    const char* none,
    const std::string& wrong
) {
    begin_field(flow, field, wrong);
    const std::string id = "##" + std::string(field.name), control = std::string("run/") + field.name;
    const bool open =
        ImGui::BeginCombo(id.c_str(), chosen.empty() ? none : chosen.c_str(), ImGuiComboFlags_HeightLarge);
    register_last_item(control);
    if (!open) return;
    const auto entry = [&](const std::string& value, const std::string& label) {
        if (ImGui::Selectable(label.c_str(), chosen == value)) chosen = value;
        register_last_item(control + "/" + (value.empty() ? "none" : value));
    };
    if (none[0] != '\0') entry("", none);
    for (const std::string& value : from) entry(value, value);
    ImGui::EndCombo();
}

template <size_t N>
void type(
    Flow& flow,
    const Field& field,
    std::array<char, N>& text,
    const std::string& hint,
    const std::string& wrong
) {
    begin_field(flow, field, wrong);
    ImGui::PushFont(ui().fonts.mono, size::kSmallNumbers);
    const std::string id = "##" + std::string(field.name);
    const float room = px(field.width) - 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::InputTextWithHint(
        id.c_str(),
        shortened(Face::small_numbers, hint, room).c_str(),
        text.data(),
        text.size(),
        ImGuiInputTextFlags_AutoSelectAll
    );
    flow.entered |=
        ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::GetIO().KeyCtrl;
    ImGui::PopFont();
    register_last_item(std::string("run/") + field.name);
}

void draw_parameters(RunPanel& panel, const KernelChoice& choice, Flow& flow, const std::string& wrong) {
    for (const auto& [name, value] : choice.params) {
        const std::string id = "set/" + name;
        const float digits = static_cast<float>(std::clamp(value.size(), size_t{3}, size_t{8}));
        type(flow, {id.c_str(), name.c_str(), 18 + 8 * digits}, panel.set[name], value, wrong);
    }
}

const KernelChoice* draw_kernel(
    RunPanel& panel, const Session& session, Flow& flow, const std::string& wrong
) {
    std::vector<std::string> names;
    for (const KernelChoice& kernel : session.kernels) names.push_back(kernel.name);
    const std::string before = panel.kernel;
    choose(flow, {"kernel", "", 150}, names, panel.kernel, "", wrong);
    if (panel.kernel != before) {
        panel.fault.clear(), panel.preset.clear();
        panel.set.clear();
    }
    const KernelChoice* choice = choice_of(session, panel.kernel);
    const std::vector<std::string> faults =
        choice != nullptr ? choice->faults : session.capture.launch.faults;
    if (!faults.empty() || wrong == "fault")
        choose(flow, {"fault", "", 104}, faults, panel.fault, "no fault", wrong);
    if (choice != nullptr && !choice->presets.empty())
        choose(flow, {"preset", "", 104}, choice->presets, panel.preset, "no preset", wrong);
    return choice;
}

void draw_rest(RunPanel& panel, Flow& flow, const std::string& wrong) {
    static const std::vector<std::string> kInputs = manifest::input_kinds();
    type(flow, {"seed", "seed", 44}, panel.seed, "0", wrong);
    choose(flow, {"inputs", "inputs", 104}, kInputs, panel.inputs, "as given", wrong);
    choose(flow, {"on", "on", 64}, {"cpu", "gpu", "both"}, panel.on, "", wrong);
    type(flow, {"host", "host", 112}, panel.host, "this machine", wrong);
    if (ImGui::IsItemHovered())
        tooltip("USER@MACHINE: the run happens there, by ssh, and its capture comes back");
    type(flow, {"block", "record", 76}, panel.block, "x,y,z", wrong);
}

// Of a window without room for a second row: what has values of its own besides kernel, fault and preset.
bool has_more(const RunPanel& panel) {
    return panel.seed[0] != '\0' || panel.block[0] != '\0' || panel.host[0] != '\0' ||
        !panel.inputs.empty() || panel.on != "cpu" ||
        std::ranges::any_of(panel.set, [](const auto& set) { return set.second[0] != '\0'; });
}

void draw_folded(RunPanel& panel, const KernelChoice* choice, Flow& flow) {
    const ImVec2 at = flow.place(button_width("Parameters"));
    const ImU32 ink = has_more(panel) ? colour::kAccent : colour::kText;
    if (button(at, "run/more", "Parameters", {.text = ink})) ImGui::OpenPopup("parameters");
    if (ImGui::IsItemHovered())
        tooltip("parameters, seed, inputs, who executes and where, a block to record");
    ImGui::SetNextWindowPos({at.x, at.y + px(kControlHeight + 4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(12)));
    if (ImGui::BeginPopup("parameters")) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        Flow own{
            {low, {low.x + px(460), low.y}},
            low, flow.row
        };
        if (choice != nullptr) draw_parameters(panel, *choice, own, "");
        draw_rest(panel, own, "");
        flow.entered |= own.entered;
        ImGui::SetCursorScreenPos(low);
        ImGui::Dummy({px(460), own.at.y - low.y + px(kControlHeight)});
        end_popup();
    }
    ImGui::PopStyleVar();
}

void draw_progress(const Session& session, Commands& commands, ImVec2 at, float width) {
    const Progress& progress = session.worker->progress;
    const float cancel = button_width("Cancel");
    const Box bar{
        at, {at.x + width - cancel - px(6), at.y + px(kControlHeight)}
    };
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(bar.low, bar.high, colour::kPanel, px(3));
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
    if (button({at.x + width - cancel, at.y}, "run/cancel", "Cancel", {.text = colour::kBad}))
        commands.cancel = true;
}

void draw_buttons(RunPanel& panel, const Session& session, Commands& commands, Flow& flow) {
    const float run = px(64), as_b = button_width("Run as B"), width = run + as_b + px(6);
    const ImVec2 at = flow.place(width);
    if (session.worker) return draw_progress(session, commands, at, std::max(width, px(150)));
    const bool ready = !panel.kernel.empty() && !session.program.empty();
    const ButtonStyle style{
        colour::kBright, ready ? colour::with_alpha(colour::kAccent, 120) : colour::kRaised, run, ready};
    if (button(at, "run/start", "Run", style) || (flow.entered && ready)) commands.acts.push_back(Act::run);
    const bool loaded = ready && !session.capture.launch.kernel.empty();
    if (button({at.x + run + px(6), at.y}, "run/start-b", "Run as B", {.enabled = loaded}))
        commands.acts.push_back(Act::run_b);
}

// The chosen kernel is the text that is shown.
bool is_without_manifest(const RunPanel& panel, const Session& session) {
    return is_undescribed(session) && panel.kernel == session.capture.launch.kernel;
}

// The fields of a run; in a low window most of them behind a button.
void draw_fields(RunPanel& panel, const KernelChoice* choice, Flow& flow, const std::string& wrong) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const bool small = screen.x < px(kWideBar) && screen.y < px(kHighBar);
    if ((small || panel.folds) && wrong.empty()) return draw_folded(panel, choice, flow);
    if (choice != nullptr) draw_parameters(panel, *choice, flow, wrong);
    draw_rest(panel, flow, wrong);
}

}  // namespace

KernelOptions request_of(const RunPanel& panel, const Session& session) {
    const KernelChoice* choice = choice_of(session, panel.kernel);
    KernelOptions request;
    request.kernel = choice != nullptr && !choice->path.empty() ? choice->path
        : is_without_manifest(panel, session)                   ? session.path
                                                                : panel.kernel;
    if (!panel.fault.empty()) request.faults = {panel.fault};
    request.preset = panel.preset, request.on = panel.on, request.inputs = panel.inputs;
    request.seed = std::strtoull(panel.seed.data(), nullptr, 10);
    for (const auto& [name, value] : panel.set)
        if (value[0] != '\0') request.set.push_back(name + "=" + value.data());
    if (panel.block[0] != '\0') request.record = {panel.block.data()};
    request.host = panel.host.data();
    if (!request.host.empty()) request.remote_program = panel.remote_program;
    return request;
}

void take_request(RunPanel& panel, const Session& session, const KernelOptions& request) {
    const KernelChoice* choice = choice_of(session, request.kernel);
    panel.kernel = choice != nullptr ? choice->name : request.kernel;
    panel.fault = request.faults.empty() ? "" : request.faults.front();
    panel.preset = request.preset, panel.on = request.on, panel.inputs = request.inputs;
    put_text(panel.seed, request.seed == 0 ? "" : std::to_string(request.seed));
    put_text(panel.block, request.record.empty() ? "" : request.record.back());
    put_text(panel.host, request.host);
    if (!request.remote_program.empty()) panel.remote_program = request.remote_program;
    panel.set.clear();
    for (const std::string& setting : request.set) {
        const size_t equals = setting.find('=');
        const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
        const auto given = [&](const auto& param) { return param.first == name && param.second == value; };
        const bool own =
            choice == nullptr || std::none_of(choice->params.begin(), choice->params.end(), given);
        if (own) put_text(panel.set[name], value);
    }
}

void draw(RunPanel& panel, const Session& session, Commands& commands) {
    follow(panel, session);
    const Box box = window_box();
    const float pad = px(size::kPad), row = px(kControlHeight + 7);
    const std::string wrong = session.message.bad ? field_of(session.message.text) : "";
    Flow flow{
        {{box.low.x + pad, box.low.y}, {box.high.x - pad, box.high.y}},
        {box.low.x + pad,              box.low.y + px(5)             },
        row
    };
    ImGui::PushFont(ui().fonts.words, size::kSmallWords);
    push_field_style();
    ImGui::PushStyleColor(ImGuiCol_FrameBg, colour::kRaised);
    const KernelChoice* choice = draw_kernel(panel, session, flow, wrong);
    if (is_without_manifest(panel, session) && !session.worker) {
        draw_undescribed(
            session,
            {
                flow.at, {box.high.x - pad, flow.at.y + px(kControlHeight)}
        },
            commands
        );
    } else {
        draw_fields(panel, choice, flow, wrong);
        draw_buttons(panel, session, commands, flow);
    }
    ImGui::PopStyleColor();
    pop_field_style();
    ImGui::PopFont();
    float bottom = flow.at.y + row;
    panel.fields = bottom - box.low.y - px(1);
    if (!wrong.empty()) {
        const auto& controls = ui().controls;
        const auto field = std::find_if(controls.rbegin(), controls.rend(), [&](const Control& c) {
            return c.name == "run/" + wrong;
        });
        const float x =
            field != controls.rend() ? std::min(field->low.x, box.high.x - px(420)) : box.low.x + pad;
        put_clipped(
            {x, bottom}, box.high.x - pad - x, {Face::small_words, colour::kBad}, session.message.text
        );
        bottom += px(20);
    }
    const auto below = [&] {
        return Box{
            {box.low.x + pad,  bottom},
            {box.high.x - pad, bottom}
        };
    };
    if (panel.banners) bottom += draw_named(session, below(), commands);
    if (panel.banners) bottom += draw_left_to_do(session, below(), commands);
    panel.height = bottom - box.low.y - px(1);
}

}  // namespace wl::app

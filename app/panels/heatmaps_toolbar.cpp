// Metric, scale, range, zoom and link: groups that flow into the next row where the window is narrow.
#include "app/panels/heatmaps.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wl::app {

namespace {

constexpr std::array<std::string_view, 4> kMetricLabels = {"Difference", "Relative", "Ratio", "ULP"};
constexpr std::array<std::string_view, 2> kScaleLabels = {"Linear", "Log"};
constexpr std::array<std::string_view, 3> kZoomLabels = {"Fit", "1:1", "Cell"};
constexpr std::array<std::string_view, 4> kArrangeLabels = {"Side", "Flip", "Split", "Blend"};
constexpr std::array<std::string_view, 3> kOverlayLabels = {"Plain", "Clipped", "Signs"};
constexpr std::array<std::string_view, kValueRamps> kValueNames = {"Viridis", "Cividis", "Magma", "Grey"};
constexpr std::array<std::string_view, kErrorRamps> kErrorNames = {"Blue orange", "Purple green"};
constexpr float kField = 68;
constexpr float kLowPanel = 360;  // pixels at scale 1: below it, the toolbar would take what heatmaps need

float label(ImVec2 at, std::string_view text) {
    return put({at.x, middle(at.y, px(kControlHeight), Face::small_words)},
               {Face::small_words, colour::kFaint},
               text) +
        px(8);
}

void draw_range(HeatmapsPanel& panel, const TileView& tile, ImVec2 at) {
    float x = at.x;
    bool edited = number_field({x, at.y}, px(kField), "heat/range/lo", panel.lo);
    x += px(kField + 4);
    edited |= number_field({x, at.y}, px(kField), "heat/range/hi", panel.hi);
    x += px(kField + 4);
    if (edited) panel.autofit = false;
    const ButtonStyle style{
        panel.autofit ? colour::kFaint : colour::kText,
        panel.autofit ? colour::kBar : colour::kRaised,
        0,
        true};
    if (button({x, at.y}, "heat/autofit", "Auto", style)) {
        panel.autofit = true;
        fit_ranges(panel, tile);
    }
}

// What stands against what, and how.
void draw_arrangement(HeatmapsPanel& panel, const Session& session, Commands& commands, Groups& flow) {
    if (!has_reference(session.current) && !has_other(session.against)) return;
    panel.arrange = static_cast<Arrange>(segmented(
        flow.place(segmented_width(kArrangeLabels)),
        {"heat/arrange", kArrangeLabels, static_cast<int>(panel.arrange)}
    ));
    if (panel.arrange == Arrange::blend) {
        const ImVec2 at = flow.place(px(110));
        const Box bar{
            at, {at.x + px(110), at.y + px(kControlHeight)}
        };
        press(bar, "heat/blend");
        if (ImGui::IsItemActive())
            panel.blend = std::clamp((ImGui::GetIO().MousePos.x - bar.low.x) / bar.width(), 0.0F, 1.0F);
        const float y = (bar.low.y + bar.high.y) / 2;
        hairline({bar.low.x, y}, {bar.high.x, y}, colour::kStrongLine);
        dot({bar.low.x + bar.width() * panel.blend, y}, px(5), colour::kAccent);
    }
    if (!has_other(session.against)) return;
    bool against_b = session.against.shown;
    if (toggle(flow.place(toggle_width("Against B")), "heat/versus", "Against B", against_b))
        commands.acts.push_back(Act::versus);
}

// Colours, overlays and profiles: behind one button, so that the heatmaps keep the space. In a low panel what
// else is seldom needed stands there too.
void draw_look(HeatmapsPanel& panel, const TileView& tile, bool low_panel) {
    HeatTools& tools = panel.tools;
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float row = px(kControlHeight + 8), left = low.x + px(90);
    const auto line = [&](int number, std::string_view name) {
        const float y = low.y + row * static_cast<float>(number);
        put({low.x, middle(y, px(kControlHeight), Face::small_words)}, {Face::small_words, colour::kDim}, name
        );
        return ImVec2(left, y);
    };
    tools.value_colours = segmented(line(0, "Values"), {"heat/colours", kValueNames, tools.value_colours});
    tools.error_colours =
        segmented(line(1, "Differences"), {"heat/errors", kErrorNames, tools.error_colours});
    tools.overlay = static_cast<Overlay>(
        segmented(line(2, "Overlay"), {"heat/overlay", kOverlayLabels, static_cast<int>(tools.overlay)})
    );
    toggle(line(3, "Profiles"), "heat/profiles", "of row and column under the mouse", tools.profiles);
    if (low_panel) {
        panel.log = segmented(line(4, "Scale"), {"heat/scale", kScaleLabels, panel.log ? 1 : 0}) == 1;
        draw_range(panel, tile, line(5, "Range"));
        toggle(line(6, "Views"), "heat/link", "pan and zoom as one", panel.linked);
    }
    ImGui::SetCursorScreenPos(low);
    ImGui::Dummy({left - low.x + segmented_width(kValueNames), (low_panel ? 7.0F : 4.0F) * row});
}

void draw_tools(HeatmapsPanel& panel, const TileView& tile, bool low_panel, Groups& flow) {
    const HeatTools& tools = panel.tools;
    const ImVec2 at = flow.place(button_width("Look"));
    const bool hidden = low_panel && (panel.log || !panel.autofit || !panel.linked);
    const bool changed = tools.overlay != Overlay::none || tools.profiles || hidden;
    if (button(at, "heat/look", "Look", {.text = changed ? colour::kAccent : colour::kText}))
        ImGui::OpenPopup("look");
    if (ImGui::IsItemHovered()) tooltip("colours, what is clipped, signs, profiles");
    ImGui::SetNextWindowPos({at.x, at.y + px(kControlHeight + 4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(12)));
    if (ImGui::BeginPopup("look")) {
        draw_look(panel, tile, low_panel);
        end_popup();
    }
    ImGui::PopStyleVar();
}

void draw_wide_tools(HeatmapsPanel& panel, const TileView& tile, Groups& flow) {
    panel.log = segmented(
                    flow.place(segmented_width(kScaleLabels)), {"heat/scale", kScaleLabels, panel.log ? 1 : 0}
                ) == 1;
    const ImVec2 at =
        flow.place(measure(Face::small_words, "Range").x + px(16 + 2 * kField) + button_width("Auto"));
    draw_range(panel, tile, {label(at, "Range"), at.y});
}

}  // namespace

float draw_toolbar(HeatmapsPanel& panel, const Session& session, Commands& commands, Box box) {
    const TileView& tile = session.current;
    const float pad = px(size::kPad);
    Groups flow{
        {{box.low.x + pad, box.low.y}, {box.high.x - pad, box.high.y}},
        {box.low.x + pad,              box.low.y + px(7)             }
    };
    const int metric = segmented(
        flow.place(segmented_width(kMetricLabels)),
        {"heat/metric", kMetricLabels, static_cast<int>(panel.metric)}
    );
    if (metric != static_cast<int>(panel.metric)) choose_metric(panel, tile, metric);
    const bool low_panel = box.height() < px(kLowPanel);
    if (!low_panel) draw_wide_tools(panel, tile, flow);
    const int zoom = panel.zoom == Zoom::free ? -1 : static_cast<int>(panel.zoom);
    const int chosen = segmented(flow.place(segmented_width(kZoomLabels)), {"heat/zoom", kZoomLabels, zoom});
    if (chosen != zoom) {
        panel.zoom = static_cast<Zoom>(chosen);
        panel.centred = {};
    }
    if (!low_panel) toggle(flow.place(toggle_width("Link views")), "heat/link", "Link views", panel.linked);
    draw_tools(panel, tile, low_panel, flow);
    draw_arrangement(panel, session, commands, flow);
    const float height = flow.at.y + px(kControlHeight + 7) - box.low.y;
    hairline({box.low.x, box.low.y + height - 1}, {box.high.x, box.low.y + height - 1});
    return height;
}

}  // namespace wl::app

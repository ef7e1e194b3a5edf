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

// Hands out places for groups from left to right, then in the next row.
struct Flow {
    Box box;
    ImVec2 at;
    ImVec2 place(float width) {
        if (at.x > box.low.x && at.x + width > box.high.x) at = {box.low.x, at.y + px(kControlHeight + 6)};
        const ImVec2 here = at;
        at.x += width + px(14);
        return here;
    }
};

float label(ImVec2 at, std::string_view text) {
    return put({at.x, middle(at.y, px(kControlHeight), Face::small_words)},
               {Face::small_words, colour::kFaint},
               text) +
        px(8);
}

void draw_range(HeatmapsPanel& panel, const TileView& tile, ImVec2 at) {
    float x = label(at, "Range");
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
void draw_arrangement(HeatmapsPanel& panel, const Session& session, Commands& commands, Flow& flow) {
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

// Colours, overlays and profiles.
void draw_tools(HeatTools& tools, Flow& flow) {
    tools.overlay = static_cast<Overlay>(segmented(
        flow.place(segmented_width(kOverlayLabels)),
        {"heat/overlay", kOverlayLabels, static_cast<int>(tools.overlay)}
    ));
    if (ImGui::IsItemHovered())
        tooltip("stripes over what lies beyond the palette; or the sign alone; with counts");
    const std::string_view values = kValueNames[static_cast<size_t>(tools.value_colours)];
    if (button(
            flow.place(button_width("Viridis")), "heat/colours", values, {.width = button_width("Viridis")}
        ))
        tools.value_colours = (tools.value_colours + 1) % kValueRamps;
    if (ImGui::IsItemHovered())
        tooltip("colours of values; Viridis and Cividis read alike with every colour vision");
    const std::string_view errors = kErrorNames[static_cast<size_t>(tools.error_colours)];
    if (button(
            flow.place(button_width("Purple green")),
            "heat/error-colours",
            errors,
            {.width = button_width("Purple green")}
        ))
        tools.error_colours = (tools.error_colours + 1) % kErrorRamps;
    if (ImGui::IsItemHovered())
        tooltip("colours of differences; both pairs read alike with every colour vision");
    toggle(flow.place(toggle_width("Profiles")), "heat/profiles", "Profiles", tools.profiles);
    if (ImGui::IsItemHovered())
        tooltip("the row and the column under the mouse as curves; Shift and a drag choose a rectangle");
}

}  // namespace

float draw_toolbar(HeatmapsPanel& panel, const Session& session, Commands& commands, Box box) {
    const TileView& tile = session.current;
    const float pad = px(size::kPad);
    Flow flow{
        {{box.low.x + pad, box.low.y}, {box.high.x - pad, box.high.y}},
        {box.low.x + pad,              box.low.y + px(7)             }
    };
    const int metric = segmented(
        flow.place(segmented_width(kMetricLabels)),
        {"heat/metric", kMetricLabels, static_cast<int>(panel.metric)}
    );
    if (metric != static_cast<int>(panel.metric)) choose_metric(panel, tile, metric);
    panel.log = segmented(
                    flow.place(segmented_width(kScaleLabels)), {"heat/scale", kScaleLabels, panel.log ? 1 : 0}
                ) == 1;
    const float range_width =
        measure(Face::small_words, "Range").x + px(16 + 2 * kField) + button_width("Auto");
    draw_range(panel, tile, flow.place(range_width));
    const int zoom = panel.zoom == Zoom::free ? -1 : static_cast<int>(panel.zoom);
    const int chosen = segmented(flow.place(segmented_width(kZoomLabels)), {"heat/zoom", kZoomLabels, zoom});
    if (chosen != zoom) {
        panel.zoom = static_cast<Zoom>(chosen);
        panel.centred = {};
    }
    toggle(flow.place(toggle_width("Link views")), "heat/link", "Link views", panel.linked);
    draw_tools(panel.tools, flow);
    draw_arrangement(panel, session, commands, flow);
    const float height = flow.at.y + px(kControlHeight + 7) - box.low.y;
    hairline({box.low.x, box.low.y + height - 1}, {box.high.x, box.low.y + height - 1});
    return height;
}

}  // namespace wl::app

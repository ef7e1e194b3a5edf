// Dear ImGui and ImPlot dressed in the design's colours.
#include "app/draw/look.h"

#include "app/draw/embedded.h"

#include <imgui.h>
#include <implot.h>

namespace wl::app {

namespace {

ImFont* add_font(std::string_view data) {
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
        const_cast<char*>(data.data()), static_cast<int>(data.size()), size::kWords, &config
    );
}

ImVec4 rgba(ImU32 c) { return ImGui::ColorConvertU32ToFloat4(c); }

void apply_metrics(ImGuiStyle& style) {
    style.WindowPadding = ImVec2(0, 0);
    style.FramePadding = ImVec2(8, 3);
    style.ItemSpacing = ImVec2(8, 4);
    style.ItemInnerSpacing = ImVec2(6, 4);
    style.CellPadding = ImVec2(6, 2);
    style.ScrollbarSize = 10;
    style.GrabMinSize = 8;
    style.WindowRounding = 0;
    style.ChildRounding = 0;
    style.FrameRounding = 3;
    style.PopupRounding = 4;
    style.ScrollbarRounding = 5;
    style.TabRounding = 0;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.FrameBorderSize = 0;
    style.PopupBorderSize = 1;
    style.TabBorderSize = 0;
    style.TabBarBorderSize = 1;
    style.TabBarOverlineSize = 2;
    style.DockingSeparatorSize = 1;
    style.WindowMenuButtonPosition = ImGuiDir_None;
    style.AntiAliasedLinesUseTex = true;
}

void apply_colours(ImGuiStyle& style) {
    const auto set = [&](ImGuiCol slot, ImU32 c) { style.Colors[slot] = rgba(c); };
    is_light() ? ImGui::StyleColorsLight(&style) : ImGui::StyleColorsDark(&style);
    // Transparent over the clear colour: filling window backgrounds is the largest cost of software
    // rendering.
    for (const ImGuiCol slot :
         {ImGuiCol_WindowBg, ImGuiCol_ChildBg, ImGuiCol_DockingEmptyBg, ImGuiCol_TableRowBg})
        set(slot, 0);
    set(ImGuiCol_PopupBg, colour::kPopup);
    set(ImGuiCol_Text, colour::kText);
    set(ImGuiCol_TextDisabled, colour::kFaint);
    set(ImGuiCol_Border, colour::kStrongLine);
    set(ImGuiCol_Separator, colour::kLine);
    set(ImGuiCol_SeparatorHovered, colour::kAccent);
    set(ImGuiCol_SeparatorActive, colour::kAccent);
    set(ImGuiCol_FrameBg, colour::kBar);
    set(ImGuiCol_FrameBgHovered, colour::kRaised);
    set(ImGuiCol_FrameBgActive, colour::kRaised);
    set(ImGuiCol_Button, colour::kRaised);
    set(ImGuiCol_ButtonHovered, colour::kStrongLine);
    set(ImGuiCol_ButtonActive, colour::kStrongLine);
    set(ImGuiCol_Header, colour::kRaised);
    set(ImGuiCol_HeaderHovered, colour::kRaised);
    set(ImGuiCol_HeaderActive, colour::kStrongLine);
    set(ImGuiCol_CheckMark, colour::kAccent);
    set(ImGuiCol_TitleBg, colour::kBar);
    set(ImGuiCol_TitleBgActive, colour::kBar);
    set(ImGuiCol_TitleBgCollapsed, colour::kBar);
    set(ImGuiCol_MenuBarBg, colour::kBar);
    set(ImGuiCol_ScrollbarBg, 0);
    set(ImGuiCol_ScrollbarGrab, colour::kStrongLine);
    set(ImGuiCol_ScrollbarGrabHovered, colour::kFaint);
    set(ImGuiCol_ScrollbarGrabActive, colour::kDim);
    for (const ImGuiCol slot : {ImGuiCol_Tab, ImGuiCol_TabDimmed}) set(slot, 0);
    for (const ImGuiCol slot : {ImGuiCol_TabSelected, ImGuiCol_TabDimmedSelected, ImGuiCol_TabHovered})
        set(slot, colour::kRaised);
    set(ImGuiCol_TabSelectedOverline, colour::kAccent);
    set(ImGuiCol_TabDimmedSelectedOverline, colour::kAccent);
    set(ImGuiCol_DockingPreview, colour::with_alpha(colour::kAccent, 90));
    set(ImGuiCol_TextSelectedBg, colour::with_alpha(colour::kAccent, 90));
    set(ImGuiCol_NavCursor, colour::kAccent);
}

void apply_plot_style() {
    ImPlotStyle& plot = ImPlot::GetStyle();
    plot.PlotBorderSize = 0;
    plot.PlotPadding = ImVec2(0, 4);
    plot.LabelPadding = ImVec2(4, 4);
    plot.MajorGridSize = ImVec2(1, 1);
    plot.Colors[ImPlotCol_FrameBg] = ImVec4(0, 0, 0, 0);
    plot.Colors[ImPlotCol_PlotBg] = rgba(colour::kBar);
    plot.Colors[ImPlotCol_AxisGrid] = rgba(colour::kLine);
    plot.Colors[ImPlotCol_AxisText] = rgba(colour::kFaint);
    plot.Colors[ImPlotCol_AxisBg] = ImVec4(0, 0, 0, 0);
}

}  // namespace

Fonts load_fonts() {
    Fonts fonts;
    fonts.words = add_font(inter_regular());
    fonts.strong = add_font(inter_semibold());
    fonts.mono = add_font(jetbrains_mono());
    return fonts;
}

void apply_style(float scale) {
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    apply_metrics(style);
    apply_colours(style);
    style.ScaleAllSizes(scale);
    style.DockingSeparatorSize = 1;
    style.FontSizeBase = size::kWords;
    style.FontScaleDpi = scale;
    apply_plot_style();
}

}  // namespace wl::app

// Cards in as many columns as there is room for, the recent files beside them.
#include "app/panels/home.h"

#include "app/draw/code.h"
#include "app/draw/widgets.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/lines.h"
#include "instrumentation/base/text.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace wl::app {

namespace {

constexpr float kCardHeight = 178, kCardLeast = 400, kMap = 74, kSide = 280;  // pixels at scale 1

Minimap make_minimap(const std::string& path) {
    Minimap map;
    std::string text;
    try {
        text = read_text_file(path);
    } catch (const Error&) { return map; }
    bool in_comment = false;
    for (const std::string_view line : lines_of(text)) {
        for (const Token& token : highlight(line, in_comment)) {
            const std::string_view piece =
                line.substr(static_cast<size_t>(token.begin), static_cast<size_t>(token.end - token.begin));
            if (piece.find_first_not_of(' ') == std::string_view::npos) continue;
            map.bars.push_back({map.lines, token.begin, token.end, token.kind});
        }
        ++map.lines;
    }
    return map;
}

const Minimap& minimap_of(HomePanel& panel, const KernelChoice& kernel) {
    const auto source = std::find_if(kernel.files.begin(), kernel.files.end(), [](const std::string& file) {
        return file.ends_with(".cu") || file.ends_with(".ptx");
    });
    const std::string path = source != kernel.files.end() ? *source : "";
    const auto found = panel.minimaps.find(path);
    return found != panel.minimaps.end() ? found->second
                                         : panel.minimaps.emplace(path, make_minimap(path)).first->second;
}

void draw_minimap(const Minimap& map, Box box) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(box.low, box.high, colour::kBar, px(4));
    if (map.lines == 0) return;
    constexpr float kColumns = 100;
    const float pad = px(5), height = (box.height() - 2 * pad) / static_cast<float>(std::max(map.lines, 60));
    const float column = (box.width() - 2 * pad) / kColumns;
    for (const Minimap::Bar& bar : map.bars) {
        if (static_cast<float>(bar.begin) >= kColumns) continue;
        const float y = box.low.y + pad + height * static_cast<float>(bar.line);
        const float right = std::min(static_cast<float>(bar.end), kColumns);
        list->AddRectFilled(
            {box.low.x + pad + column * static_cast<float>(bar.begin), y},
            {box.low.x + pad + column * right, y + std::max(1.0F, height * 0.7F)},
            colour::with_alpha(
                colour_of(bar.kind), bar.kind == TokenKind::comment || bar.kind == TokenKind::plain ? 80 : 190
            )
        );
    }
}

KernelOptions plain_run(const KernelChoice& kernel) {
    KernelOptions options;
    options.kernel = kernel.path.empty() ? kernel.name : kernel.path;
    return options;
}

// Its faults as chips, each a run with it; what does not fit is left to the run bar.
void draw_faults(const KernelChoice& kernel, Box box, Commands& commands) {
    float x = box.low.x;
    const auto chip_of = [&](const std::string& label, const std::string& name, ImU32 ink) {
        const float width = chip_width(label);
        if (x + width > box.high.x) return false;
        const Box at{
            {x,         box.low.y                     },
            {x + width, box.low.y + px(kControlHeight)}
        };
        const bool pressed = press(at, name);
        if (ImGui::IsItemHovered())
            ImGui::GetWindowDrawList()->AddRect(at.low, at.high, colour::with_alpha(ink, 160), px(3));
        chip(at.low, label, ink);
        x += width + px(6);
        return pressed;
    };
    const std::string prefix = "home/" + kernel.name + "/";
    if (chip_of("Run", prefix + "run", colour::kAccent)) commands.run = plain_run(kernel);
    for (size_t i = 0; i < kernel.faults.size(); ++i) {
        const std::string& fault = kernel.faults[i];
        if (chip_of(fault, prefix + fault, colour::kBad)) {
            commands.run = plain_run(kernel);
            commands.run->faults = {fault};
        }
        if (ImGui::IsItemHovered() && i < kernel.about.size())
            tooltip("with the fault " + fault + ": " + kernel.about[i].second);
    }
}

void draw_card(HomePanel& panel, const KernelChoice& kernel, Box box, Commands& commands) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(box.low, box.high, colour::kRaised, px(6));
    const float pad = px(12);
    draw_minimap(
        minimap_of(panel, kernel),
        {
            {box.low.x + pad,            box.low.y + pad },
            {box.low.x + pad + px(kMap), box.high.y - pad}
    }
    );
    const float left = box.low.x + 2 * pad + px(kMap), right = box.high.x - pad;
    put_clipped({left, box.low.y + pad - px(2)}, right - left, {Face::strong, colour::kBright}, kernel.name);
    put_clipped(
        {left, box.low.y + pad + px(18)}, right - left, {Face::small_words, colour::kAccent}, kernel.title
    );
    const float top = box.low.y + pad + px(40), foot = box.high.y - pad - px(kControlHeight);
    const float lines = std::floor((foot - px(6) - top) / line_height(Face::small_words));
    ImGui::PushClipRect({left, top}, {right, top + lines * line_height(Face::small_words)}, true);
    put_wrapped({left, top}, right - left, {Face::small_words, colour::kDim}, kernel.story);
    ImGui::PopClipRect();
    draw_faults(
        kernel,
        {
            {left,  foot      },
            {right, box.high.y}
    },
        commands
    );
    const Box story{
        {left,  top         },
        {right, foot - px(6)}
    };
    if (press(story, "home/" + kernel.name)) commands.run = plain_run(kernel);
    if (ImGui::IsItemHovered() && !kernel.story.empty()) {
        list->AddRect(box.low, box.high, colour::kFaint, px(6));
        ImGui::SetNextWindowSize({px(420), 0});
        if (ImGui::BeginTooltip()) {
            ImGui::PushTextWrapPos(px(400));
            ImGui::TextUnformatted(kernel.story.c_str());
            ImGui::PopTextWrapPos();
            ImGui::EndTooltip();
        }
    }
}

void draw_cards(HomePanel& panel, const Session& session, Box box, Commands& commands) {
    const float gap = px(12);
    const int columns = std::max(1, static_cast<int>((box.width() + gap) / (px(kCardLeast) + gap)));
    const float width =
        std::floor((box.width() - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
    int i = 0;
    float bottom = box.low.y;
    for (const KernelChoice& kernel : session.kernels) {
        const int row = i / columns, column = i % columns;
        const ImVec2 low(
            box.low.x + static_cast<float>(column) * (width + gap),
            box.low.y + static_cast<float>(row) * (px(kCardHeight) + gap)
        );
        const Box card{
            low, {low.x + width, low.y + px(kCardHeight)}
        };
        bottom = card.high.y + gap;
        ++i;
        if (ImGui::IsRectVisible(card.low, card.high)) draw_card(panel, kernel, card, commands);
    }
    ImGui::SetCursorScreenPos({box.low.x, bottom});
    ImGui::Dummy({1, 1});
}

void draw_recent(const Session& session, Box box, Commands& commands) {
    const float pad = px(size::kPad);
    float y = box.low.y + px(4);
    const ButtonStyle style{colour::kBright, colour::with_alpha(colour::kAccent, 120), box.width() - 2 * pad};
    if (button({box.low.x + pad, y}, "home/open", "Open…", style)) commands.acts.push_back(Act::open);
    y += px(kControlHeight + 6);
    const float wide = box.width() - 2 * pad;
    if (button({box.low.x + pad, y}, "home/learn", "Learn: the lessons", {.width = wide}))
        commands.panel = "Learn";
    y += px(kControlHeight + 10);
    y = put_wrapped(
            {box.low.x + pad, y},
            box.width() - 2 * pad,
            {Face::small_words, colour::kFaint},
            "or drop a .wlcap, .cu, .toml, .ptx or .npy on the window. Ctrl+P finds anything, F1 shows the "
            "keys."
        ) +
        px(14);
    put({box.low.x + pad, y}, {Face::small_strong, colour::kDim}, "Recent");
    y += px(22);
    if (session.settings.recent.empty())
        put({box.low.x + pad, y}, {Face::small_words, colour::kFaint}, "nothing was opened yet");
    for (size_t i = 0; i < session.settings.recent.size(); ++i) {
        const std::string& path = session.settings.recent[i];
        const Box row{
            {box.low.x + pad - px(6),  y         },
            {box.high.x - pad + px(6), y + px(36)}
        };
        if (row.high.y > box.high.y) return;
        if (press(row, "home/recent/" + std::to_string(i))) commands.open = path;
        if (ImGui::IsItemHovered())
            ImGui::GetWindowDrawList()->AddRectFilled(row.low, row.high, colour::kRaised, px(4));
        const std::filesystem::path file(path);
        const float width = row.width() - px(12);
        put_clipped(
            {row.low.x + px(6), y + px(2)},
            width,
            {Face::small_words, colour::kText},
            file.filename().string()
        );
        put_clipped(
            {row.low.x + px(6), y + px(18)},
            width,
            {Face::small_words, colour::kFaint},
            file.parent_path().string()
        );
        y += px(38);
    }
}

}  // namespace

void draw(HomePanel& panel, const Session& session, Commands& commands) {
    Box box = window_box();
    const float margin = std::max(0.0F, (box.width() - px(1720)) / 2);
    box.low.x += margin, box.high.x -= margin;
    const bool two = box.width() > px(kCardLeast + kSide + 40);
    const Box rest = draw_header(
        box,
        {.title = "Home",
         .subtitle = "the lineage of a kernel: a click runs it, a red word runs it with that fault",
         .mark = colour::kAccent}
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    const float side = two ? rest.high.x - px(kSide) : rest.high.x;
    if (two) {
        draw_recent(
            session,
            {
                {side, rest.low.y + px(8)},
                rest.high
        },
            commands
        );
    }
    ImGui::SetCursorScreenPos({rest.low.x, rest.low.y + 1});
    if (ImGui::BeginChild("cards", {side - rest.low.x, rest.height() - 1})) {
        Box inner = window_box();
        inner.low = {inner.low.x + px(size::kPad), inner.low.y + px(10)};
        inner.high.x -= px(size::kPad);
        draw_cards(panel, session, inner, commands);
    }
    ImGui::EndChild();
}

}  // namespace wl::app

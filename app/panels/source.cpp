// Only visible lines are drawn; markers are looked up per line among the few findings.
#include "app/panels/source.h"

#include "app/draw/widgets.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace wl::app {

namespace {

ImU32 colour_of(TokenKind kind) {
    switch (kind) {
        case TokenKind::keyword: return colour::hex(0xb48be0);
        case TokenKind::type: return colour::hex(0x6fb7d8);
        case TokenKind::number: return colour::hex(0xd8b06a);
        case TokenKind::string: return colour::hex(0x93b98a);
        case TokenKind::comment: return colour::kFaint;
        case TokenKind::directive: return colour::hex(0x8f9bb3);
        case TokenKind::mark: return colour::kSelection;
        case TokenKind::plain: return colour::kText;
    }
    return colour::kText;
}

const capture::Site* site_of(const Session& session, int site) {
    const bool known = site >= 0 && site < static_cast<int>(session.capture.sites.size());
    return known ? &session.capture.sites[static_cast<size_t>(site)] : nullptr;
}

void take_source(SourcePanel& panel, const Session& session, int source) {
    if (panel.source == source && panel.capture == session.captures) return;
    panel.source = source;
    panel.capture = session.captures;
    panel.tokens.clear();
    if (source < 0 || source >= static_cast<int>(session.capture.sources.size())) return;
    bool in_comment = false;
    for (const std::string_view line : lines_of(session.capture.sources[static_cast<size_t>(source)].text)) {
        panel.tokens.push_back(highlight(line, in_comment));
    }
}

// Follows the selection; returns the current line when it has just moved, else 0.
int follow(SourcePanel& panel, const Session& session, const Selection& selection) {
    const capture::Site* site = site_of(session, selection.site);
    const bool moved = panel.followed != selection.site || panel.capture != session.captures;
    const int chosen = site != nullptr && site->source >= 0 && (moved || panel.source < 0)
        ? site->source
        : std::max(0, panel.source);
    take_source(panel, session, chosen);
    panel.followed = selection.site;
    return moved && site != nullptr ? site->line : 0;
}

// Line at which the selected element was last written; 0: unknown, or in another file.
int writer_line(const SourcePanel& panel, const Session& session, const Selection& selection) {
    const analysis::TileData& data = session.current.data;
    const Element at = selection.element;
    if (data.owner.data.empty() || !exists(at) || at.row >= data.rows || at.col >= data.cols) return 0;
    const capture::Owner& owner = data.owner(at.row, at.col);
    const capture::Site* site =
        owner.warp == capture::Owner::kNobody ? nullptr : site_of(session, static_cast<int>(owner.site));
    return site != nullptr && site->source == panel.source ? site->line : 0;
}

struct LineLook {
    int line = 0;  // 1-based
    bool current = false, writer = false, call = false;
    const capture::Finding* finding = nullptr;
};

const capture::Finding* finding_at(const Session& session, const std::string& path, int line) {
    for (const capture::Finding& finding : session.capture.findings) {
        for (const capture::Where* where : {&finding.where, &finding.other}) {
            if (where->line == line && (where->file == path || file_name(where->file) == file_name(path)))
                return &finding;
        }
    }
    return nullptr;
}

bool is_call_of(const Session& session, const Selection& selection, int source, int line) {
    const capture::Site* site = site_of(session, selection.site);
    for (int depth = 0; site != nullptr && depth < 16; ++depth) {
        site = site_of(session, site->inlined_at);
        if (site != nullptr && site->source == source && site->line == line) return true;
    }
    return false;
}

void draw_gutter(const LineLook& look, Box box, float number_right) {
    const float y = (box.low.y + box.high.y) / 2;
    const ImU32 ink = look.current ? colour::kBright : colour::kFaint;
    put_right(
        {number_right, middle(box.low.y, box.height(), Face::small_numbers)},
        {Face::small_numbers, ink},
        std::to_string(look.line)
    );
    if (look.finding != nullptr) dot({box.low.x + px(11), y}, px(4), colour::kBad);
    if (!look.writer) return;
    const float x = number_right + px(7), r = px(4);
    ImGui::GetWindowDrawList()->AddTriangleFilled({x, y - r}, {x + r * 1.3F, y}, {x, y + r}, colour::kGot);
}

void draw_background(const LineLook& look, Box box) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (look.finding != nullptr) list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kBad, 26));
    if (look.call) list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 16));
    if (!look.current) return;
    list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 40));
    list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, colour::kSelection);
}

void draw_text(std::string_view text, const std::vector<Token>& tokens, ImVec2 at, float height) {
    const float advance = measure(Face::small_numbers, "0").x, y = middle(at.y, height, Face::small_numbers);
    for (const Token& token : tokens) {
        const auto begin = static_cast<size_t>(token.begin),
                   length = static_cast<size_t>(token.end - token.begin);
        const std::string_view piece = text.substr(begin, length);
        if (piece.find_first_not_of(' ') == std::string_view::npos) continue;
        put({at.x + advance * static_cast<float>(token.begin), y},
            {Face::small_numbers, colour_of(token.kind)},
            piece);
    }
}

LineLook look_of(const SourcePanel& panel, const Session& session, const Selection& selection, int line) {
    const capture::Site* site = site_of(session, selection.site);
    const std::string& path = session.capture.sources[static_cast<size_t>(panel.source)].path;
    LineLook look;
    look.line = line;
    look.current = site != nullptr && site->source == panel.source && site->line == line;
    look.writer = writer_line(panel, session, selection) == line;
    look.call = is_call_of(session, selection, panel.source, line);
    look.finding = finding_at(session, path, line);
    return look;
}

void bring_into_sight(int line, float height) {
    const float seen = ImGui::GetWindowHeight(), top = ImGui::GetScrollY();
    const float wanted = height * (static_cast<float>(line) - 0.5F);
    const bool visible = wanted > top + height && wanted < top + seen - height;
    if (line > 0 && !visible) ImGui::SetScrollY(std::max(0.0F, wanted - seen * 0.4F));
}

// The text scrolls sideways under a gutter that stays.
void draw_lines(const SourcePanel& panel, const Session& session, Selection& selection, int scroll_to) {
    const capture::Source& source = session.capture.sources[static_cast<size_t>(panel.source)];
    const std::vector<std::string_view> lines = lines_of(source.text);
    const float height = px(18), width = ImGui::GetContentRegionAvail().x, sideways = ImGui::GetScrollX();
    bring_into_sight(scroll_to, height);
    size_t longest = 0;
    for (const std::string_view line : lines) longest = std::max(longest, line.size());
    const float gutter = px(68),
                text_width = measure(Face::small_numbers, "0").x * static_cast<float>(longest) + px(12);
    ImGuiListClipper clipper;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    clipper.Begin(static_cast<int>(lines.size()), height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const ImVec2 low(ImGui::GetCursorScreenPos().x + sideways, ImGui::GetCursorScreenPos().y);
            const Box box{
                low, {low.x + width, low.y + height}
            };
            if (press(box, "source/" + std::to_string(i + 1)))
                select_site(selection, site_at_line(session.capture, source.path, i + 1));
            ImGui::SetCursorScreenPos({low.x - sideways, low.y});
            ImGui::Dummy({gutter + text_width, height});
            const LineLook look = look_of(panel, session, selection, i + 1);
            draw_background(look, box);
            ImGui::PushClipRect({low.x + gutter - px(6), low.y}, box.high, true);
            draw_text(
                lines[static_cast<size_t>(i)],
                panel.tokens[static_cast<size_t>(i)],
                {low.x + gutter - sideways, low.y},
                height
            );
            ImGui::PopClipRect();
            draw_gutter(look, box, low.x + px(50));
        }
    }
    ImGui::PopStyleVar();
}

}  // namespace

void draw(SourcePanel& panel, const Session& session, Selection& selection) {
    const Box box = window_box();
    if (session.capture.sources.empty()) {
        draw_header(box, {.title = "Source", .subtitle = "none in this capture"});
        return;
    }
    const int scroll_to = follow(panel, session, selection);
    const capture::Site* site = site_of(session, selection.site);
    const std::string path = session.capture.sources[static_cast<size_t>(panel.source)].path;
    const std::string note = site != nullptr ? site->text : "";
    const Box rest = draw_header(
        box,
        {.title = "Source",
         .subtitle = path,
         .note = note,
         .mark = colour::kSelection,
         .note_colour = colour::kDim}
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    ImGui::SetCursorScreenPos({rest.low.x, rest.low.y + 1});
    if (ImGui::BeginChild(
            "lines", {rest.width(), rest.height() - 1}, 0, ImGuiWindowFlags_HorizontalScrollbar
        ))
        draw_lines(panel, session, selection, scroll_to);
    ImGui::EndChild();
}

}  // namespace wl::app

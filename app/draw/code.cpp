// A colour a token; complaints stand behind their line.
#include "app/draw/code.h"

#include "instrumentation/base/lines.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace wl::app {

namespace {

const Complaint* complaint_at(const Broken& broken, int line) {
    const auto at = std::find_if(broken.complaints.begin(), broken.complaints.end(), [&](const Complaint& c) {
        return c.line == line && c.file == broken.file;
    });
    return at != broken.complaints.end() ? &*at : nullptr;
}

void draw_complaint(const Complaint& complaint, Box row, float behind) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(row.low, row.high, colour::with_alpha(colour::kBad, 40));
    list->AddRectFilled(row.low, {row.low.x + px(3), row.high.y}, colour::kBad);
    const float room = row.high.x - px(size::kPad) - behind;
    const float width = std::min(room, measure(Face::small_words, complaint.text).x + px(4));
    if (width < px(40)) return;
    put_clipped(
        {behind, middle(row.low.y, row.height(), Face::small_words)},
        width,
        {Face::small_words, colour::kBad},
        complaint.text
    );
}

}  // namespace

ImU32 colour_of(TokenKind kind) {
    switch (kind) {
        case TokenKind::keyword: return colour::kKeyword;
        case TokenKind::type: return colour::kType;
        case TokenKind::number: return colour::kNumber;
        case TokenKind::string: return colour::kString;
        case TokenKind::comment: return colour::kFaint;
        case TokenKind::directive: return colour::kDirective;
        case TokenKind::mark: return colour::kSelection;
        case TokenKind::plain: return colour::kText;
    }
    return colour::kText;
}

void put_code(std::string_view text, const std::vector<Token>& tokens, ImVec2 at, float height) {
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

void draw_broken(const Broken& broken, Box box, bool appears) {
    const size_t count = broken.complaints.size();
    const std::string note = std::to_string(count) + (count == 1 ? " error" : " errors");
    const Box rest = draw_header(
        box,
        {.title = "Source",
         .subtitle = broken.file + ", does not compile",
         .note = note,
         .mark = colour::kBad,
         .note_colour = colour::kBad}
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    ImGui::SetCursorScreenPos({rest.low.x, rest.low.y + 1});
    if (ImGui::BeginChild("broken", {rest.width(), rest.height() - 1})) {
        const float height = px(18), advance = measure(Face::small_numbers, "0").x;
        const float seen = ImGui::GetWindowHeight();
        const int first = broken.complaints.front().line;
        if (appears)
            ImGui::SetScrollY(std::max(0.0F, height * (static_cast<float>(first) - 0.5F) - seen * 0.4F));
        bool in_comment = false;
        int line = 0;
        for (const std::string_view text : lines_of(broken.text)) {
            const std::vector<Token> tokens = highlight(text, in_comment);
            const ImVec2 low = ImGui::GetCursorScreenPos();
            const Box row{
                low, {low.x + rest.width(), low.y + height}
            };
            ImGui::Dummy({1, height - ImGui::GetStyle().ItemSpacing.y});
            ++line;
            if (!ImGui::IsRectVisible(row.low, row.high)) continue;
            const Complaint* complaint = complaint_at(broken, line);
            const float left = low.x + px(68);
            if (complaint != nullptr) {
                draw_complaint(*complaint, row, left + advance * static_cast<float>(text.size() + 3));
                register_control("source/broken/" + std::to_string(line), row.low, row.high);
            }
            put_right(
                {low.x + px(50), middle(low.y, height, Face::small_numbers)},
                {Face::small_numbers, complaint != nullptr ? colour::kBad : colour::kFaint},
                std::to_string(line)
            );
            put_code(text, tokens, {left, low.y}, height);
        }
    }
    ImGui::EndChild();
}

}  // namespace wl::app

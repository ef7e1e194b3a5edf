// A paragraph becomes runs of one face, these become words, and words become lines.
#include "app/draw/pages/prose.h"

#include "app/draw/highlight.h"
#include "app/draw/widgets.h"
#include "instrumentation/base/lines.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wl::app {

namespace {

constexpr float kMeasure = 640, kLine = 21, kGap = 9;  // pixels at scale 1: widest line, its height, between

enum class Stress : uint8_t { plain, strong, code };
Face face_of(Stress stress) {
    return stress == Stress::plain ? Face::words : stress == Stress::strong ? Face::strong : Face::numbers;
}

// What stays together on a line.
struct Word {
    std::string text;
    Stress stress = Stress::plain;
    bool space = false;  // before it
};

// Up to the next mark, or to the end.
std::vector<Word> words_of(std::string_view text) {
    std::vector<Word> words;
    Stress stress = Stress::plain;
    bool space = false;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) words.push_back({word, stress, space}), space = false;
        word.clear();
    };
    for (size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '`') {
            end_word();
            stress = stress == Stress::code ? Stress::plain : Stress::code;
        } else if (stress != Stress::code && text.substr(k).starts_with("**")) {
            end_word();
            stress = stress == Stress::strong ? Stress::plain : Stress::strong, ++k;
        } else if (text[k] == ' ') {
            end_word();
            space = true;
        } else {
            word += text[k];
        }
    }
    end_word();
    return words;
}

float text_width() { return std::min(px(kMeasure), ImGui::GetContentRegionAvail().x - px(8)); }

void put_word(const Word& word, ImVec2 at, float width, ImU32 ink) {
    const Face face = face_of(word.stress);
    const float top = middle(at.y, px(kLine), face);
    if (word.stress == Stress::code)
        ImGui::GetWindowDrawList()->AddRectFilled(
            {at.x - px(2), at.y + px(2)}, {at.x + width + px(2), at.y + px(kLine - 2)}, colour::kRaised, px(3)
        );
    put({at.x, top}, {face, word.stress == Stress::strong ? colour::kBright : ink}, word.text);
}

// Words that no space parts break together.
void put_words(const std::vector<Word>& words, float inset, ImU32 ink) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float left = low.x + inset, right = low.x + text_width();
    const float space = measure(Face::words, " ").x;
    const auto width_of = [](const Word& w) { return measure(face_of(w.stress), w.text).x; };
    ImVec2 at(left, low.y);
    for (size_t first = 0; first < words.size();) {
        size_t end = first + 1;
        float width = width_of(words[first]);
        for (; end < words.size() && !words[end].space; ++end) width += width_of(words[end]);
        if (words[first].space && at.x > left) at.x += space;
        if (at.x + width > right && at.x > left) at = {left, at.y + px(kLine)};
        for (; first < end; ++first) {
            put_word(words[first], at, width_of(words[first]), ink);
            at.x += width_of(words[first]);
        }
    }
    ImGui::SetCursorScreenPos(low);
    ImGui::Dummy({right - low.x, at.y + px(kLine) - low.y + px(kGap)});
}

// A line of the strong face, with as much above it.
void put_head(std::string_view text, float above, ImU32 ink) {
    ImGui::Dummy({1, above});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float below = put_wrapped(at, text_width(), {Face::strong, ink}, text);
    ImGui::Dummy({text_width(), below - at.y + px(4)});
}

}  // namespace

void put_title(std::string_view text) {
    put_head(text, px(2), colour::kAccent);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    hairline(at, {at.x + text_width(), at.y});
    ImGui::Dummy({1, px(6)});
}

void put_heading(std::string_view text) { put_head(text, px(10), colour::kBright); }

void put_paragraph(std::string_view text, ImU32 colour) { put_words(words_of(text), 0, colour); }

void put_item(std::string_view text) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    dot({at.x + px(6), at.y + px(kLine) / 2}, px(2), colour::kDim);
    put_words(words_of(text), px(18), colour::kText);
}

void put_listing(Listing listing, std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    if (text.empty()) return;
    const std::vector<std::string_view> lines = lines_of(text);
    const float height = line_height(Face::small_numbers), pad = px(8), inset = px(10);
    float width = text_width() - 2 * inset;
    for (const std::string_view line : lines) width = std::max(width, measure(Face::small_numbers, line).x);
    const ImVec2 low = ImGui::GetCursorScreenPos(),
                 high(low.x + width + 2 * inset, low.y + height * static_cast<float>(lines.size()) + 2 * pad);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(low, high, listing == Listing::output ? colour::kBar : colour::kRaised, px(4));
    if (listing == Listing::output)
        list->AddRectFilled(low, {low.x + px(3), high.y}, colour::with_alpha(colour::kAccent, 120));
    const ImU32 ink = listing == Listing::command ? colour::kAccent : colour::kText;
    float y = low.y + pad;
    for (const std::string_view line : lines) {
        put({low.x + inset, y}, {Face::small_numbers, ink}, line);
        y += height;
    }
    // A command and what it printed are one box.
    ImGui::Dummy({high.x - low.x, high.y - low.y + (listing == Listing::command ? 0 : px(kGap))});
}

}  // namespace wl::app

// The controls of the design; each registers its name for the script driver.
#pragma once

#include "app/draw/ui.h"

#include <span>
#include <string>
#include <string_view>

namespace wl::app {

// A panel's header line: a mark in its colour, title, dim subtitle, and a note at the right edge. Returns the
// space below it: `low` .. `high` of the window's content.
struct Header {
    std::string_view title = {}, subtitle = {}, note = {};
    ImU32 mark = 0;  // 0: none
    ImU32 note_colour = colour::kFaint;
};
struct Box {
    ImVec2 low, high;
    float width() const { return high.x - low.x; }
    float height() const { return high.y - low.y; }
};
Box window_box();                                // the current window's content region, in screen pixels
Box draw_header(Box box, const Header& header);  // what remains

// All take the top left corner and return whether they were used. `name` is both the label's prefix and the
// driver's name.
struct Segments {
    std::string_view name;                     // "heat/metric"
    std::span<const std::string_view> labels;  // each registers as name/label in lower case
    int chosen = 0;
};
int segmented(ImVec2 at, const Segments& segments);  // index now chosen
float segmented_width(std::span<const std::string_view> labels);
bool toggle(ImVec2 at, std::string_view name, std::string_view label, bool& on);
float toggle_width(std::string_view label);
struct ButtonStyle {
    ImU32 text = colour::kText, fill = colour::kRaised;
    float width = 0;  // 0: as wide as its label needs
    bool enabled = true;
};
bool button(ImVec2 at, std::string_view name, std::string_view label, const ButtonStyle& style = {});
float button_width(std::string_view label);
float chip(ImVec2 at, std::string_view text, ImU32 colour);  // returns its width
float chip_width(std::string_view text);
// Around ImGui's own fields: as high as the other controls.
void push_field_style();
void pop_field_style();
bool number_field(ImVec2 at, float width, std::string_view name, float& value);
constexpr float kControlHeight = 22;  // pixels at scale 1

// Hands out places for groups of controls from left to right, then in the next row.
struct Groups {
    Box box;
    ImVec2 at;
    float gap = 14;  // pixels at scale 1
    ImVec2 place(float width);
};
Groups groups_in(Box box);                            // in the rows of a toolbar at the top of that box
float toolbar_height(const Groups& groups, Box box);  // of the rows that were begun

// A panel that has nothing to show says why. Returns the y below.
float say(Box box, ImU32 ink, std::string_view text);
// The same of a worker that ended; true: "Ask again" was pressed, which registers as NAME/ask-again.
bool say_and_ask(Box box, std::string_view text, std::string_view name);

void tooltip(const std::string& text);  // at the mouse

// In place of ImGui::EndPopup: Escape closes it.
void end_popup();

// The tooltip of the control of that name, if the table of actions has one.
void explain_last_item(std::string_view control);

// A window as wide as the screen that nobody moves; ImGui::End after it.
bool begin_bar(const char* name, float top, float height);

// An invisible button over a box; registers itself, and says what it does.
bool press(Box box, const std::string& name);

}  // namespace wl::app

// What every panel draws with: fonts, scale, the heat renderer, and the register of controls by name. Belongs
// to one Dear ImGui context (io.UserData points to it).
#pragma once

#include "app/draw/heat.h"
#include "app/draw/look.h"

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace wl::app {

// A control of the current frame: the script driver clicks it by name.
struct Control {
    std::string name;  // "heat/metric/ratio", "findings/0"
    ImVec2 low, high;
};

// A text of the current frame, where it stands and what of that can be seen.
struct Written {
    std::string text;
    ImVec2 low, high, clip_low, clip_high;
    bool scrolls = false;         // in a clip of its own, inside which it may be moved
    const void* layer = nullptr;  // what is drawn together, in order
};

struct Ui {
    Fonts fonts;
    float scale = 1;     // of everything: base * zoom
    float base = 1;      // the display's, or --scale
    float zoom = 1;      // the user's
    bool light = false;  // the theme; apply_style after a change
    HeatRenderer heat;
    std::vector<Control> controls;  // filled while a frame is drawn
    bool watched = false;           // texts are kept too
    std::vector<Written> written;   // filled while a watched frame is drawn
    float due = -1;                 // seconds until the next frame is drawn though nothing happens; -1: none
};
Ui& ui();
inline float px(float at_scale_1) { return at_scale_1 * ui().scale; }

// A tooltip that waits, a caret: something changes by itself.
void draw_again_in(float seconds);

void register_control(std::string name, ImVec2 low, ImVec2 high);
void register_last_item(std::string name);

// ---- text
enum class Face : uint8_t {
    words,
    small_words,
    strong,
    small_strong,
    numbers,
    small_numbers,
    tiny_numbers,
    big_numbers
};
struct TextStyle {
    Face face = Face::words;
    ImU32 colour = colour::kText;
};
ImFont* font_of(Face face);
float font_size(Face face);  // pixels
ImVec2 measure(Face face, std::string_view text);
float put(ImVec2 at, TextStyle style, std::string_view text);  // returns the x after the text
void put_right(ImVec2 right, TextStyle style, std::string_view text);
void put_centred(ImVec2 centre, TextStyle style, std::string_view text);
std::string shortened(Face face, std::string_view text, float width);  // with an ellipsis, where it is cut
float put_clipped(ImVec2 at, float width, TextStyle style, std::string_view text);  // shortened
float line_height(Face face);
void covers(ImVec2 low, ImVec2 high);  // something was drawn there over the texts below it
float put_wrapped(
    ImVec2 at, float width, TextStyle style, std::string_view text
);  // returns the y below the text
float wrapped_height(float width, Face face, std::string_view text);
// y at which text of that face stands in the middle of a row
inline float middle(float top, float height, Face face) { return top + (height - line_height(face)) / 2; }

// ---- marks
void hairline(ImVec2 from, ImVec2 to, ImU32 colour = colour::kLine);
void dot(ImVec2 centre, float radius, ImU32 colour);
void swatch(ImVec2 low, float side, ImU32 colour);
void diamond(ImVec2 centre, float radius, ImU32 colour);

}  // namespace wl::app

// A rail from the element down to the inputs: tiles are squares, lines are dots, what is wrong is red;
// addresses and guards branch off it in colours of their own.
#include "app/draw/provenance_rows.h"

#include "app/draw/numbers.h"
#include "app/session/session.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

using Kind = ProvenanceLink::Kind;
using State = ProvenanceElement::State;

void put_number(const LinkRow& row, float right, ImU32 ink, const std::string& text) {
    if (text.empty()) return;
    put_right({right, row.top()}, {Face::small_numbers, ink}, text);
}

std::string where_of(const ProvenanceLink& link) {
    const ProvenanceElement& e = link.element;
    std::string text = e.iteration < 0 ? "" : "iteration " + std::to_string(e.iteration);
    if (e.warp >= 0) text += ", warp " + std::to_string(e.warp);
    if (link.elements > 1)
        text += ", " + std::to_string(link.elements) + " elements" +
            (link.wrong > 0 ? ", " + std::to_string(link.wrong) + " wrong" : "");
    return text;
}

// "v2c_3.cu:34 in 104": the line, and those of the calls.
template <typename Line>
std::string place_of(const Line& at) {
    std::string text = at.file.empty() ? "no line" : file_name(at.file) + ":" + std::to_string(at.line);
    for (const int call : at.inlined_at) text += " in " + std::to_string(call);
    return text;
}

void draw_line(const LinkRow& row, const ProvenanceLink& link) {
    const ImU32 place = link.suspect ? colour::kBad : colour::kAccent;
    const float after =
        put_clipped({row.at.text, row.top()}, row.room(), {Face::small_numbers, place}, place_of(link));
    const float code = std::max(after + px(10), row.at.text + std::min(px(150), row.room() / 2));
    const float left = row.at.text + row.room() - code;
    if (left > px(20))
        put_clipped(
            {code, row.top()},
            left,
            {Face::small_numbers, link.suspect ? colour::kBright : colour::kText},
            link.text
        );
    put_number(row, row.at.value, colour::kText, link.value);
    if (!row.at.wide) return;
    put_number(
        row, row.at.lane, colour::kDim, "w" + std::to_string(link.warp) + ".l" + std::to_string(link.lane)
    );
    put_number(row, row.at.times, colour::kFaint, "x" + count_text(static_cast<int64_t>(link.times)));
}

void draw_node(const LinkRow& row, const ProvenanceLink& link) {
    const ImVec2 centre(row.at.rail, (row.box.low.y + row.box.high.y) / 2);
    const ImU32 rail = link.suspect || link.first_wrong ? colour::kBad : colour::kStrongLine;
    hairline({centre.x, row.box.low.y}, {centre.x, row.box.high.y}, rail);
    if (link.kind == Kind::line && link.misled) {
        ImGui::GetWindowDrawList()->AddCircleFilled(centre, px(7), colour::kBad, 20);
        put_centred(centre, {Face::small_strong, colour::kBar}, "!");
        return;
    }
    if (link.kind == Kind::line) {
        dot(centre, px(3), link.suspect ? colour::kBad : colour::kFaint);
        return;
    }
    const float r = link.first_wrong ? px(6) : px(4);
    swatch({centre.x - r, centre.y - r}, 2 * r, ink_of(link.element.state));
}

std::string tip_of(const ProvenanceLink& link) {
    if (link.kind == Kind::line)
        return link.text + "\n" + link.instructions + "\n" + count_text(static_cast<int64_t>(link.times)) +
            " lane executions; the last by lane " + std::to_string(link.lane) + " of warp " +
            std::to_string(link.warp) +
            (link.misled ? "\nwhat does not belong came in here, by a wrong address or guard" : "") +
            (link.deciders.empty() ? "" : "\na click shows the addresses and guards that decided it");
    const ProvenanceElement& e = link.element;
    if (std::isnan(e.reference)) return name_of(e) + " = " + number(e.got, 9) + ", not compared";
    return name_of(e) + " = " + number(e.got, 9) + "\nreference " + number(e.reference, 9) + ", bound " +
        number(e.bound, 3);
}

}  // namespace

LinkColumns link_columns(Box box) {
    LinkColumns c;
    c.wide = box.width() > px(760);
    c.rail = box.low.x + px(size::kPad + 5);
    c.text = c.rail + px(16);
    c.times = box.high.x - px(size::kPad);
    c.lane = c.times - px(58);
    c.off = c.lane - px(64);
    c.reference = c.wide ? c.off - px(70) : c.times;
    c.value = c.reference - px(78);
    return c;
}

ImU32 ink_of(State state) {
    return state == State::wrong ? colour::kBad : state == State::right ? colour::kGood : colour::kDim;
}

std::string name_of(const ProvenanceElement& e) {
    return e.tile + "[" + std::to_string(e.at.row) + ", " + std::to_string(e.at.col) + "]";
}

void draw_element(const LinkRow& row, const ProvenanceElement& e, const std::string& rest, Face face) {
    const ImU32 ink = ink_of(e.state);
    const float top = middle(row.box.low.y, row.box.height(), face);
    const float after = put_clipped({row.at.text, top}, row.room(), {face, ink}, name_of(e));
    const float left = row.room() - (after - row.at.text) - px(10);
    if (left > px(20))
        put_clipped({after + px(10), row.top()}, left, {Face::small_words, colour::kDim}, rest);
    put_number(row, row.at.value, colour::kGot, number(e.got));
    if (std::isnan(e.reference)) return;
    put_number(row, row.at.reference, colour::kReference, number(e.reference));
    const ImU32 off = e.state == State::wrong ? colour::kDifference : colour::kFaint;
    if (row.at.wide) put_number(row, row.at.off, off, number(e.got - e.reference, 3));
}

bool draw_link(const LinkRow& row, const ProvenanceLink& link, int index, bool chosen) {
    const bool pressed = press(row.box, "provenance/" + std::to_string(index));
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (link.first_wrong || link.suspect)
        list->AddRectFilled(
            row.box.low, row.box.high, colour::with_alpha(colour::kBad, link.first_wrong ? 44 : 16)
        );
    if (chosen || hovered)
        list->AddRectFilled(
            row.box.low, row.box.high, colour::with_alpha(colour::kRaised, chosen ? 190 : 110)
        );
    if (chosen) list->AddRectFilled(row.box.low, {row.box.low.x + px(3), row.box.high.y}, colour::kSelection);
    draw_node(row, link);
    if (link.kind == Kind::line)
        draw_line(row, link);
    else
        draw_element(row, link.element, where_of(link), Face::small_numbers);
    if (hovered) tooltip(tip_of(link));
    return pressed;
}

bool draw_decider(const LinkRow& row, const ProvenanceDecider& decider, const std::string& name) {
    const bool pressed = press(row.box, name);
    const bool hovered = ImGui::IsItemHovered(), address = decider.kind == ProvenanceDecider::Kind::address;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(row.box.low, row.box.high, colour::with_alpha(colour::kRaised, hovered ? 160 : 80));
    const ImU32 ink = address ? kAddressColour : kGuardColour;
    const float y = (row.box.low.y + row.box.high.y) / 2, end = row.at.text + px(2);
    hairline({row.at.rail, row.box.low.y}, {row.at.rail, row.box.high.y}, colour::kStrongLine);
    hairline({row.at.rail, y}, {end, y}, ink);
    list->AddCircle({end + px(3), y}, px(3), ink, 12, px(1.3F));
    const float left = row.at.text + px(14), place = left + px(56), words = row.top();
    put({left, middle(row.box.low.y, row.box.height(), Face::small_words)},
        {Face::small_words, ink},
        address ? "address" : "guard");
    const float room = row.at.text + row.room() - place;
    put_clipped({place, words}, px(128), {Face::small_numbers, colour::kDim}, place_of(decider));
    const float code = place + px(138);
    const std::string out_of = decider.out_of.empty() ? "" : "   out of " + decider.out_of;
    if (place + room - code > px(20))
        put_clipped(
            {code, words}, place + room - code, {Face::small_numbers, colour::kText}, decider.text + out_of
        );
    put_number(row, row.at.value, ink, decider.value);
    if (hovered) tooltip(decider.text + (address ? "\naddress" : "\nguard") + out_of);
    return pressed;
}

}  // namespace wl::app

// Rows of the Provenance panel: links of the chain on their rail, and what decided them.
#pragma once

#include "app/draw/widgets.h"
#include "app/worker/provenance_report.h"

#include <string>

namespace wl::app {

constexpr float kLinkHeight = 24, kDeciderHeight = 20;  // pixels at scale 1
constexpr colour::Ink kAddressColour = colour::kTeal, kGuardColour = colour::kViolet;

// Right edges of the numbers; text fills what is left. Narrow panels do without the last three.
struct LinkColumns {
    float rail = 0, text = 0, value = 0, reference = 0, off = 0, lane = 0, times = 0;
    bool wide = true;
};

LinkColumns link_columns(Box box);

struct LinkRow {
    LinkColumns at;
    Box box;
    float top() const { return middle(box.low.y, box.height(), Face::small_numbers); }
    float room() const { return at.value - px(78) - at.text; }
};

ImU32 ink_of(ProvenanceElement::State state);
std::string name_of(const ProvenanceElement& e);  // "l[0, 0]"

// `rest` follows the element's name.
void draw_element(const LinkRow& row, const ProvenanceElement& e, const std::string& rest, Face face);
// Registers as provenance/INDEX. True: it was clicked.
bool draw_link(const LinkRow& row, const ProvenanceLink& link, int index, bool chosen);
// One of what decided a line, under it. True: it was clicked.
bool draw_decider(const LinkRow& row, const ProvenanceDecider& decider, const std::string& name);

}  // namespace wl::app

// The parts of the inspector, from top to bottom.
#pragma once

#include "app/session/selection.h"
#include "app/session/session.h"

#include <limits>

namespace wl::app {

// Where the next section begins.
struct ElementColumn {
    float left = 0, right = 0, y = 0;
    float width() const { return right - left; }
};

// One element and its judgement.
struct ElementFacts {
    Element at;
    double got = 0, reference = std::numeric_limits<double>::quiet_NaN();
    float bound = 0;
    bool compared = false, wrong = false;
};

// How a floating-point format spends its bits, sign first; integers have none.
struct BitFields {
    int sign = 0, exponent = 0, mantissa = 0;
};
BitFields bit_fields(DType dtype);

void draw_rule(ElementColumn& column);
void draw_bits(ElementColumn& column, const TileView& tile, const ElementFacts& facts);
void draw_history(
    ElementColumn& column, const Session& session, Selection& selection, const ElementFacts& facts
);
void draw_neighbours(
    ElementColumn& column, const Session& session, Selection& selection, const ElementFacts& facts
);

}  // namespace wl::app

// The inspector: one element's value, error, bits, writer, history and neighbours.
#pragma once

#include "app/selection.h"
#include "app/session.h"

namespace wl::app {

struct ElementPanel {};
void draw(ElementPanel& panel, const Session& session, Selection& selection);

// How a floating-point format spends its bits, sign first; integers have none.
struct BitFields {
    int sign = 0, exponent = 0, mantissa = 0;
};
BitFields bit_fields(DType dtype);

}  // namespace wl::app

// The inspector: one element's value, error, bits, writer, history and neighbours.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

namespace wl::app {

struct ElementPanel {};
void draw(ElementPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app

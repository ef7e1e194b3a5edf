// The session as panels and shells use it: what it holds, what is asked of it, and the work before each
// frame.
#pragma once

#include "app/session/compare/against.h"
#include "app/session/compare/other.h"
#include "app/session/edit/describe.h"
#include "app/session/edit/known.h"
#include "app/session/fragment_view.h"
#include "app/session/lane_question.h"
#include "app/session/lessons.h"
#include "app/session/load.h"
#include "app/session/lookup.h"
#include "app/session/run.h"
#include "app/session/selection.h"
#include "app/session/state.h"
#include "app/session/written/written_view.h"

namespace wl::app {

// A worker may have something to say at any time: look often.
bool is_waiting(const Session& session);
// Of that which is waited for, without drawing a frame. False: nothing but perhaps how far it is.
bool has_news(const Session& session);

// Called before a frame is drawn: the selected tile is loaded and the worker looked after. True: something
// changed.
bool prepare(Session& session, Selection& selection);

}  // namespace wl::app

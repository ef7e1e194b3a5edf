// A finding's patch tried: a copy of the kernel's files with it runs, and becomes B.
#pragma once

#include "app/session/state.h"

#include <string>

namespace wl::app {

// Why a finding's fix cannot be tried; empty: it can.
std::string fix_refusal(const Session& session, int finding);
// An Error becomes the message. Nothing of the user's own files changes.
void try_fix(Session& session, int finding);

}  // namespace wl::app

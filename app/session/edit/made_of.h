// The kernel that a capture was made of: whether it may be opened without asking, and which file is meant
// where the user allows it. A capture may come from anybody: what it names is data.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::app {

// A shipped kernel of the capture's content, or one that the user named once and that is as it was; empty:
// there is none, and nothing else that the capture names may be opened.
std::string allowed_kernel(const capture::Capture& capture);

// The text of its manifest, which a capture holds among its sources; empty: it has none.
std::string carried_manifest(const capture::Capture& capture);

// What the capture says that it was made of, for people.
std::string named_text(const capture::Capture& capture);

// Whether it is of a kernel at all: not a text or an array that was opened.
bool is_of_kernel(const capture::Capture& capture, const std::string& path);

// The file that is meant, once the user allowed it: beside the capture at `path`, or where it lay, seen from
// this folder. Throws Error where there is none.
std::string named_kernel(const capture::Capture& capture, const std::string& path);

}  // namespace wl::app

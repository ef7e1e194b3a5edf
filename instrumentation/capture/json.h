// Findings and summaries as the JSON that scripts rely on (docs/cli.md).
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>
#include <string_view>

namespace wl::capture {

// One object of "findings". What is unknown is left out. Bytes that are no UTF-8 become U+FFFD.
std::string finding_json(const Capture& capture, const Finding& finding);

// The whole object, without a trailing newline. `verb`: the command that made it.
std::string summary_json(const Capture& capture, std::string_view verb);

}  // namespace wl::capture

// The table of opcode forms as a page for people: docs/ptx.md.
#pragma once

#include <string>

namespace wl::ptx {

std::string forms_markdown();

}  // namespace wl::ptx

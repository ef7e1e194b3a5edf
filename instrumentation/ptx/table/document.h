// The table of opcode forms as a page for people: docs/ptx.md.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

#include <functional>
#include <string>

namespace wl::ptx {

// `proof` says how a row's execution is known to be right, or why it is not executed: one cell.
std::string forms_markdown(const std::function<std::string(const Form&)>& proof);

}  // namespace wl::ptx

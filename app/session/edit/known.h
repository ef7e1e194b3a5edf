// What the window knows of the loaded capture's kernel: how it is run, and which files it is made of.
#pragma once

#include "app/session/state.h"

#include <string>
#include <vector>

namespace wl::app {

// The files that stand beside that source then.
std::string manifest_beside(const std::string& source);
std::string reference_beside(const std::string& source);

// What the window knows of a kernel: a shipped name, a .toml, or a .cu with its manifest beside it. Throws
// Error for what is none.
KernelChoice describe_kernel(const std::string& kernel);

// What workers said of the loaded capture; they end.
void forget_answers(Session& session);

// The kernel of the capture becomes one that can be run, where it may be opened (made_of.h).
void know_kernel(Session& session);
// The user has seen what the capture names, and allows it. An Error becomes the message.
void trust_named(Session& session);

// The loaded capture's kernel among those that can be run; nullptr: it is none of them.
const KernelChoice* choice_of(const Session& session);

// What is shown is a kernel's text, and nothing says how it runs.
bool is_undescribed(const Session& session);

// What the loaded capture was made of, as far as it lies on this machine.
std::vector<std::string> files_of(const Session& session);
void watch_files(Session& session);

}  // namespace wl::app

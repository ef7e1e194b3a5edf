// What the window asks the command line about the loaded capture's problem, in worker processes of their own.
#pragma once

#include "app/session.h"

#include <string>
#include <vector>

namespace wl::app {

// The words that name the problem: kernel, faults, parameters, inputs, seeds, architecture.
std::vector<std::string> problem_words(const Session& session);

void ask_banks(Session& session);   // an Error becomes BanksAnswer::problem
bool hear_banks(Session& session);  // true: something changed

// `question`: options of `warplens at`. While one is being answered the latest of the others waits.
void ask_lanes(Session& session, const std::string& question);
bool hear_lanes(Session& session);  // true: something changed

}  // namespace wl::app

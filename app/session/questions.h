// What the window asks the command line about the loaded capture's problem, in worker processes of their own.
#pragma once

#include "app/session/state.h"

#include <memory>
#include <string>
#include <vector>

namespace wl::app {

// The loaded capture's kernel with all that decided its results.
KernelOptions problem_of(const Session& session);

// `warplens VERB` with that problem and more options, its answer on stdout. Null: `problem` says why not.
std::unique_ptr<Worker> start_question(
    const Session& session,
    const std::string& verb,
    const std::vector<std::string>& more,
    std::string& problem
);

void ask_banks(Session& session);   // an Error becomes BanksAnswer::problem
bool hear_banks(Session& session);  // true: something changed

// `question`: options of `warplens at`, or of `warplens why`. While one is being answered the latest of the
// others waits.
void ask_lanes(Session& session, const std::string& question);
bool hear_lanes(Session& session, Selection& selection);  // true: something changed; the selection follows
void ask_fragments(Session& session, const std::string& question);
bool hear_fragments(Session& session);  // true: something changed
void ask_shared(Session& session, const std::string& question);
bool hear_shared(Session& session);  // true: something changed
void ask_writes(Session& session, const std::string& question);
bool hear_writes(Session& session);  // true: something changed
void ask_provenance(Session& session, const std::string& question);
bool hear_provenance(Session& session);  // true: something changed

}  // namespace wl::app

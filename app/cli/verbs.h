// One function a verb; each returns the exit status and prints results on stdout, messages on stderr.
#pragma once

#include "app/cli/options.h"

namespace wl::app {

struct OpenRequest;
OpenRequest open_request(const Command& command);  // what verb_open opens

int verb_kernels(const Command& command);
int verb_devices(const Command& command);
int verb_run(const Command& command);
int verb_diagnose(const Command& command);
int verb_tiles(const Command& command);
int verb_show(const Command& command);
int verb_open(const Command& command);
int verb_check(const Command& command);
int verb_banks(const Command& command);
int verb_bench(const Command& command);
int verb_hazards(const Command& command);
int verb_estimate(const Command& command);
int verb_at(const Command& command);
int verb_accept(const Command& command);
int verb_writers(const Command& command);
int verb_why(const Command& command);
int verb_fragments(const Command& command);
int verb_layout(const Command& command);
int verb_learn(const Command& command);
int verb_record(const Command& command);
int verb_sweep(const Command& command);
int verb_compare(const Command& command);
int verb_nvcc(const Command& command);
int verb_help(const Command& command);
int verb_completion(const Command& command);
int verb_manual(const Command& command);

}  // namespace wl::app

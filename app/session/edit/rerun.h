// The loaded kernel once more: after an edit, with another block recorded, or with other options beside it.
#pragma once

#include "app/session/state.h"

#include <string>
#include <vector>

namespace wl::app {

// What made the loaded capture, for a run that follows its files: the words that were asked for; of a capture
// that was opened its launch, without parameters that the manifest gives the same value by itself.
KernelOptions problem_to_change(const Session& session);

// The same with its blocks recorded again. Empty kernel: nothing is loaded.
KernelOptions options_again(const Session& session);

// Runs it; what comes takes the place of what is shown, which becomes B under that name.
void run_again(Session& session, const std::string& name_of_b);
// Runs it with this block recorded, too; nothing becomes B.
void run_recording(Session& session, int64_t block);
// The same of the block that wrote the selected element of an output, which `why` finds first.
void record_behind(Session& session, const Selection& selection);
void take_found_block(Session& session, Selection& selection);  // when provenance has come
// What comes is B.
void run_as_b(Session& session, const KernelOptions& options);

// Saved files run the kernel again; while a worker runs, the next run waits for it. True: something changed.
bool look_after_files(Session& session);

// What a worker brought, by Session::purpose.
void take_run(Session& session, Selection& selection, const std::string& path, bool remove);

// The verdict of a run whose causes are still looked for: shown at once.
void take_verdict(Session& session, Selection& selection);

// A copy of the kernel with that finding's patch becomes B.
void run_fix(Session& session, const KernelOptions& options, int finding);
void swap_sides(Session& session, Selection& selection);

}  // namespace wl::app

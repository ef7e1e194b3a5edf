// The run that a capture was made of, found again: its kernel with the same numbers, inputs and schedule.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/capture/capture.h"

namespace wl::app {

// The options that bind the capture's kernel as it was bound, all else as in `given`, whose kernel is the
// capture's path: a kernel that may be opened (app/session/edit/made_of.h), else the capture itself, which is
// repeated from what it carries. Throws Error when it does not carry that, or what --trust allows is not
// there.
KernelOptions options_of(const capture::Capture& capture, const KernelOptions& given);

// Throws Error when the kernel is another one than that of the capture: its sources or its launch. `fresh`:
// filled by diagnosis::prepare.
struct SameRun {
    const capture::Capture& recorded;
    const capture::Capture& fresh;
    Dim3 grid, block;
    std::string path;  // of the capture
};
void require_same(const SameRun& runs);

// The block that is meant when none is named: the one recorded first.
int64_t recorded_block(const capture::Capture& capture);

}  // namespace wl::app

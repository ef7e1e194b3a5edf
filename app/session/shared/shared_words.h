// An access in words, and what would become of it.
#pragma once

#include "app/session/shared_view.h"
#include "app/worker/shared_report.h"
#include "instrumentation/capture/capture.h"

#include <string>
#include <vector>

namespace wl::app {

// "ld.shared.v4.f32 at v2c_4.cu:141, warp 0: 4 phases, 16 wavefronts where 4 would do, degree 4".
std::string access_words(const capture::LineRequest& request);

struct SharedWhatIf {
    const SharedMatrix& matrix;
    const layouts::Change& change;
    const layouts::Changed& request;  // the chosen one
};
struct SharedAdvice {
    std::string text;
    bool helps = false;
};
// With the line of the source that would have to change, where it is found.
SharedAdvice shared_advice(
    const SharedReport& report, const SharedWhatIf& what, const std::vector<capture::Source>& sources
);

}  // namespace wl::app

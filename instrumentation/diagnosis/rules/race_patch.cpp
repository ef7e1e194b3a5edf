#include "instrumentation/diagnosis/rules/race_patch.h"

#include "instrumentation/diagnosis/rules/line_patch.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/barrier_place.h"

#include <cstdlib>
#include <fmt/format.h>

namespace wl::diagnosis {

void place_barrier(const Symptoms& s, capture::Finding& f) {
    constexpr int kApart = 4;  // lines
    const bool in_source = f.where.file == f.other.file && std::abs(f.where.line - f.other.line) >= kApart;
    if (s.experiment.options.search_seconds <= 0 || !in_source || !s.experiment.reference) return;
    const char* barrier = f.rule == "race_warp" ? "__syncwarp();" : "__syncthreads();";
    const auto place = barrier_place(s, f, barrier);
    if (!place) return;
    f.explanation += fmt::format(
        " The first place that mends it is at {}: with `{}` put in there {}.",
        quoted(s.capture, place->where),
        barrier,
        place->proof
    );
    if (!place->patch.empty() && s.experiment.options.on_patch) s.experiment.options.on_patch(place->patch);
    f.evidence.emplace_back("barrier_line", static_cast<double>(place->where.line));
}

void offer_mending(const Symptoms& s, const Mending& mending) {
    if (mending.insertions.empty() || !s.experiment.options.on_patch) return;
    const Insertion& first = mending.insertions.front();
    const ptx::Module& m = s.experiment.module;
    const int32_t location = m.functions[first.function].code[first.at].location;
    const char* statement = first.what == Insertion::What::block_barrier ? "__syncthreads();"
        : first.what == Insertion::What::syncwarp                        ? "__syncwarp();"
                                                                         : "__threadfence();";
    const std::string patch = patch_before(s.capture, where_in(m, user_location(m, location)), statement);
    if (!patch.empty()) s.experiment.options.on_patch(patch);
}

}  // namespace wl::diagnosis

#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"

namespace wl::diagnosis::rewrite {

void add_elsewhere(Writer& w) {
    add_layouts(w), add_planes(w), add_clones(w), add_swaps(w), add_cases(w), add_subterms(w);
    add_differences(w), add_neutral(w), add_edges(w);
}

}  // namespace wl::diagnosis::rewrite

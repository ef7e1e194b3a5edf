#include "instrumentation/diagnosis/rewrite/missing/missing.h"

namespace wl::diagnosis::rewrite {

void add_missing(Writer& w) {
    for (const Body& body : w.s.bodies) {
        const Facts f = facts_of(w.s, body);
        for (const auto add :
             {add_sums, add_lanes, add_taken, add_offsets, add_calls, add_series, add_beside, add_rest})
            add(w, f);
    }
}

}  // namespace wl::diagnosis::rewrite

#include "instrumentation/diagnosis/rewrite/missing/missing.h"

namespace wl::diagnosis::rewrite {

void add_missing(Writer& w) {
    for (const Body& body : w.s.bodies) {
        const Facts f = facts_of(w.s, body);
        add_series(w, f), add_rest(w, f);
    }
}

}  // namespace wl::diagnosis::rewrite

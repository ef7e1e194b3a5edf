#include "instrumentation/capture/calls.h"

#include "instrumentation/base/demangle.h"

#include <algorithm>

namespace wl::capture {
namespace {

// -1: it names none.
int site_of(const Capture& c, const Finding& f, bool other) {
    const std::string name = other ? "other_site" : "site";
    const auto found =
        std::find_if(f.evidence.begin(), f.evidence.end(), [&](const auto& e) { return e.first == name; });
    if (found == f.evidence.end() || found->second < 0 ||
        found->second >= static_cast<double>(c.sites.size()))
        return -1;
    return static_cast<int>(found->second);
}

std::string file_of(const Capture& c, const Site& s) {
    return s.source < 0 ? "" : c.sources[static_cast<size_t>(s.source)].path;
}

}  // namespace

std::vector<InlinedCall> inlined_calls(const Capture& c, const Finding& finding, bool other) {
    const Where& place = other ? finding.other : finding.where;
    if (place.launch != 0 && place.launch != c.launch.number) return {};  // its instructions are not here
    std::vector<InlinedCall> calls;
    bool inside = false;
    for (int at = site_of(c, finding, other); at >= 0;) {
        const Site& site = c.sites[static_cast<size_t>(at)];
        // A place in a header of the toolkit is named by the user's line that called it.
        inside = inside || (site.line == place.line && file_of(c, site) == place.file);
        at = site.inlined_at;
        if (at < 0 || !inside) continue;
        const Site& call = c.sites[static_cast<size_t>(at)];
        calls.push_back({demangle(site.function), file_of(c, call), call.line});
    }
    return calls;
}

}  // namespace wl::capture

// device_fault: a launch that a GPU ended, or that does not end there. The driver does not say where.
#include "instrumentation/diagnosis/rules/rules.h"

#include <fmt/format.h>

namespace wl::diagnosis {

Ruled device_rule(const Symptoms& s) {
    Ruled out;
    for (const execution::Incident& i : s.incidents) {
        if (i.kind != execution::Incident::Kind::device_fault) continue;
        capture::Finding f;
        f.rule = "device_fault";
        f.title = i.detail;
        f.explanation = fmt::format(
            "On {}, {}. Nothing that the launch would have written can be read. The place is unknown: the "
            "driver does "
            "not tell it; where the emulator finds a fault in the same launch, that says it.",
            s.capture.launch.executor,
            i.detail
        );
        f.proof = i.detail;
        out.findings.push_back(std::move(f));
        out.claim = {
            {"never_written", "values_differ"},
            {               },
            "the launch did not come to its end"
        };
    }
    return out;
}

}  // namespace wl::diagnosis

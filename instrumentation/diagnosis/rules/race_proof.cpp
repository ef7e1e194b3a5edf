// Mendings of races, run as any other change that is to be proven.
#include "instrumentation/diagnosis/rules/race_proof.h"

#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/search/launches.h"

#include <optional>

namespace wl::diagnosis {

std::string left_wrong(const Symptoms& s, const Ordering& ordering, capture::Ran& ran) {
    if (!ordering.program || (s.first_bad >= 0 && !mended(ordering.trial))) return {};
    if (s.first_bad >= 0 && s.experiment.reference) {
        const Verdict v = prove(s, {.program = ordering.program});
        // A block alone may lack what others hand it: then the trial of the mendings is all there is.
        if (v.mends) ran = v.ran;
        if (v.mends && !v.proven) return v.text;
    }
    const std::optional<Behind> behind = behind_all(s, *ordering.program);
    if (behind) ran.launches = behind->launches;
    return behind ? behind->wrong : std::string();
}

}  // namespace wl::diagnosis

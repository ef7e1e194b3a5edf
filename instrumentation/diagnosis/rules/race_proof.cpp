// Mendings of races, run as any other change that is to be proven.
#include "instrumentation/diagnosis/rules/race_proof.h"

#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/reference.h"
#include "instrumentation/diagnosis/search/launches.h"

#include <optional>

namespace wl::diagnosis {

namespace {

// Of a launch after the first wrong one no value is judged: then the sequence's end is.
std::string wrong_at_end(const Symptoms& s, const ptx::Module& mended_program, capture::Ran& ran) {
    Experiment whole = s.experiment;
    whole.reference = make_reference(whole.problem).reference, whole.unsettled = nullptr;
    Prover prover{whole};
    const std::optional<Behind> behind = behind_all(prover, mended_program);
    if (behind) ran.launches = behind->launches;
    return behind ? behind->wrong : std::string();
}

}  // namespace

std::string left_wrong(const Symptoms& s, const Ordering& ordering, capture::Ran& ran) {
    const manifest::Problem& p = s.experiment.problem;
    const bool unjudged = !s.experiment.reference && manifest::is_sequence(p) &&
        p.kernel.reference.kind != manifest::ReferenceRule::Kind::none;
    if (unjudged && !ordering.mendings.empty() && !ordering.program)
        return "other races are left, and values were wrong before this launch";
    if (unjudged && ordering.program) return wrong_at_end(s, *ordering.program, ran);
    if (!ordering.program || (s.first_bad >= 0 && !mended(ordering.trial))) return {};
    if (s.first_bad >= 0 && s.experiment.reference) {
        const Verdict v = prove(s, {.program = ordering.program});
        // A block alone may lack what others hand it: then the trial of the mendings is all there is.
        if (v.mends) ran = v.ran;
        if (v.mends && !v.proven) return v.text;
    }
    const std::optional<Behind> behind = behind_all(s.prover, *ordering.program);
    if (behind) ran.launches = behind->launches;
    return behind ? behind->wrong : std::string();
}

}  // namespace wl::diagnosis

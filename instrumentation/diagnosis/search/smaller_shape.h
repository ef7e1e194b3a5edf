// The symptom at a smaller shape: where a block takes many instructions, a change is tried at a fraction of
// them, and proven at the shape that was diagnosed.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/search/trial_setup.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

struct SmallerShape {
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<Prover> prover;
    capture::Capture capture;
    std::vector<execution::Incident> incidents;
    std::optional<Symptoms> symptoms;  // of the members above, which do not move
    std::string name;                  // "S = 64"
};

// Parameters whose values do not follow from others, as they are.
using Value = std::pair<std::string, int64_t>;
bool is_plain_number(const std::string& text);  // a whole one
std::vector<Value> free_values(const manifest::Problem& p);

// Parameters that the manifest gives as plain numbers are divided, one after the other, as long as the same
// outputs or tiles are wrong, or the same kinds of faults are found, and a trial takes markedly less. Null:
// trials are quick as it is, or no smaller shape shows the symptom in the time: one half of it for looking,
// one for its symptoms.
std::unique_ptr<SmallerShape> smaller_shape(const Symptoms& s, SearchWork work);

}  // namespace wl::diagnosis

// The rule table: symptoms in, findings out; the first finding is the root cause as far as it was proven.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/rules/symptoms.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wl::diagnosis {

// What a rule says: nothing, or one finding a cause.
struct Ruled {
    std::vector<capture::Finding> findings;
    bool explains = false;  // the first finding accounts for the first bad tile
    // The first finding accounts for everything: of a proven one every tile came inside its bound and no
    // fault was left. No other rule is asked, and what the rules before it found are consequences.
    bool mends = false;
    // What is proven is of what kind the cause is; the change of the source that mends it is looked for
    // still.
    bool kind_alone = false;
    Claim claim = {};        // no rules: none
    std::string tried = {};  // in vain: a sentence for whoever has to look on
};

// Rules run in the table's order.
struct Rule {
    const char* name;
    Ruled (*apply)(const Symptoms&);
    // Asked always; when no rule before it explains the first bad tile; when none before it proves a cause,
    // or sees a race that no value shows; when both hold; or where somebody asks for it, whatever is known.
    enum class When : uint8_t { always, unexplained, unproven, neither, asked };
    When when = When::always;
    bool needs_time = false;  // left out once the time of --search is up
};
std::span<const Rule> rules();

Ruled owner_rule(const Symptoms& s);                    // race_shared: one element, two owners
Ruled race_rule(const Symptoms& s);                     // race_shared, race_warp, race_global
Ruled fault_rule(const Symptoms& s);                    // addresses, barriers, copies, loops, masks
const char* fault_name(emulator::Incident::Kind kind);  // the rule that fault_rule gives; null: none
Ruled device_rule(const Symptoms& s);                   // device_fault, observing_changed
// Tries stricter waits for the copies among the findings of fault_rule: the others go with the first.
void prove_copies(const Symptoms& s, std::vector<capture::Finding>& findings);
Ruled uninitialised_rule(const Symptoms& s);    // values that nobody set, where they matter
Ruled never_written_rule(const Symptoms& s);    // coverage, with the NaN's birth
Ruled unwritten_rule(const Symptoms& s);        // never_written, of outputs
Ruled constant_factor_rule(const Symptoms& s);  // got = factor * reference
Ruled operand_rule(const Symptoms& s);          // transposed_operand, permuted_operand, wrong_operand
Ruled partial_rule(const Symptoms& s);          // partial_reduction: terms of a product left out
Ruled stride_rule(const Symptoms& s);           // wrong_leading_dimension
Ruled index_rule(const Symptoms& s);            // wrong_index, wrong_leading_dimension: an operand's elements
Ruled idea_rule(const Symptoms& s);             // tried_change: by Options::ideas
Ruled precision_rule(const Symptoms& s);        // precision, overflow: FP64 mends it
Ruled inputs_rule(const Symptoms& s);           // foreign_input, missing_input
Ruled search_rule(const Symptoms& s);           // a change that mends, by Options::search_seconds

// All rules, ordered: a proven cause first, its consequences after it, what remains unexplained as
// values_differ.
std::vector<capture::Finding> diagnose(
    const Experiment& experiment,
    const capture::Capture& capture,
    const std::vector<emulator::Incident>& incidents
);

}  // namespace wl::diagnosis

#include "tests/conformance/proof.h"

#include "instrumentation/ptx/table/document.h"
#include "tests/conformance/bounds.h"
#include "tests/conformance/emulate.h"

namespace wl::conformance {
namespace {

using Notes = std::map<std::string, std::string>;

// A row without an answer: whether the emulator takes its cases, if it has any.
std::string unproved(const ptx::Form& form, const Notes& no_golden) {
    const auto reason = no_golden.find(key_of(form));
    const std::string why = reason == no_golden.end() ? "" : ": " + reason->second;
    const std::vector<Case> cases = cases_of(form);
    if (cases.empty()) return "not compared" + why;
    for (const Case& c : cases)
        if (const std::string refusal = refusal_of(c); !refusal.empty()) return refusal;
    return "executed, not compared" + why;
}

// What conformance_test holds to be true, in a few words.
std::string proof_of(const Grade& g, const Notes& not_yet, const Notes& no_golden) {
    if (is_refused(*g.form)) return "not executed";
    if (const auto shortfall = not_yet.find(key_of(*g.form)); shortfall != not_yet.end())
        return shortfall->second;
    if (g.cases == 0) return unproved(*g.form, no_golden);
    return has_bound(*g.form) ? "within the bound, as an H200" : "equal to an H200";
}

}  // namespace

bool is_refused(const ptx::Form& form) { return form.not_modelled.ends_with(": not executed"); }

std::string document(const std::string& golden) {
    const Notes not_yet = read_notes(golden + "/not_yet.txt"),
                no_golden = read_notes(golden + "/no_golden.txt");
    std::map<const ptx::Form*, std::string> proofs;
    for (const ptx::Family& family : ptx::families())
        for (const Grade& g :
             grade(family, read_golden(golden + "/" + slug(family.title) + ".golden"), false))
            proofs[g.form] = proof_of(g, not_yet, no_golden);
    return ptx::forms_markdown([&](const ptx::Form& form) { return proofs.at(&form); });
}

}  // namespace wl::conformance

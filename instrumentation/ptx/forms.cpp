// Joins the families in the order of the ISA.
#include "instrumentation/ptx/forms.h"

#include <vector>

namespace wl::ptx {
namespace {

std::vector<Family> join() {
    std::vector<Family> all;
    const auto append = [&](const auto& families) {
        all.insert(all.end(), families.begin(), families.end());
    };
    append(kIntegerFamilies);
    append(kFloatFamilies);
    append(kMoveFamilies);
    append(kMemoryFamilies);
    append(kTextureFamilies);
    append(kControlFamilies);
    append(kSyncFamilies);
    append(kMatrixFamilies);
    append(kVideoFamilies);
    return all;
}

}  // namespace

std::span<const Family> families() {
    static const std::vector<Family> all = join();
    return all;
}

std::string_view name_of(Op op) {
    if (op == Op::invalid) return "invalid";
    if (op == Op::unsupported) return "unsupported";
    if (op == Op::mark) return "mark";
    for (const Family& family : families())
        for (const Form& form : family.forms)
            if (form.op == op) return form.name;
    return {};
}

}  // namespace wl::ptx

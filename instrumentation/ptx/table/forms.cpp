// Joins the families in the order of the ISA.
#include "instrumentation/ptx/table/forms.h"

#include <vector>

namespace wl::ptx {
namespace {

std::vector<Family> join() {
    const std::array<std::span<const Family>, 9> groups = {
        kIntegerFamilies,
        kFloatFamilies,
        kMoveFamilies,
        kMemoryFamilies,
        kTextureFamilies,
        kControlFamilies,
        kSyncFamilies,
        kMatrixFamilies,
        kVideoFamilies};
    std::vector<Family> all;
    for (std::span<const Family> group : groups)
        for (const Family& family : group) all.push_back(family);
    return all;
}

}  // namespace

std::span<const Family> families() {
    static const std::vector<Family> kAll = join();
    return kAll;
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

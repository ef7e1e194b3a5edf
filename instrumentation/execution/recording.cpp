// Shared arrays as tiles, and which barriers take them.
#include "instrumentation/execution/recording.h"

#include "instrumentation/execution/reach.h"
#include "instrumentation/ptx/shared_arrays.h"

#include <algorithm>
#include <set>

namespace wl::execution {
namespace {

constexpr uint64_t kBankRow = 128;  // bytes: 32 banks of 4

// So that no element is left over: the longest row of at most 128 bytes that divides the array.
void shape(Array& a, uint64_t bytes) {
    if (bytes % size_of(a.mark.dtype) != 0) a.mark.dtype = DType::u8;
    const uint64_t elements = bytes / size_of(a.mark.dtype);
    uint64_t cols = std::max<uint64_t>(1, std::min(elements, kBankRow / size_of(a.mark.dtype)));
    while (elements % cols != 0) --cols;
    a.rows = static_cast<int>(elements / cols), a.cols = static_cast<int>(cols);
}

// The sites of the function's instructions.
void set_sites(Array& a, const ptx::Module& module, const Listing& listing) {
    if (a.function < 0) return;
    uint32_t first = 0;
    for (const int f : listing.functions) {
        const ptx::Function& function = module.functions[static_cast<size_t>(f)];
        if (function.is_declaration) continue;
        const uint32_t end = first + static_cast<uint32_t>(function.code.size());
        if (f == a.function) a.first_site = first, a.end_site = end;
        first = end;
    }
}

// Where what a reduction gives comes first.
size_t first_operand(const ptx::Instruction& in) { return in.types.empty() ? 0 : 1; }

}  // namespace

std::vector<Array> arrays_of(const ptx::Module& module, const Listing& listing, uint32_t dynamic_shared) {
    const std::set<int> reached = reachable_variables(module, listing.functions);
    std::vector<Array> out;
    bool dynamic = false;
    for (const ptx::SharedArray& found : ptx::shared_arrays(module)) {
        const bool ours = found.function < 0
            ? reached.contains(found.variable)
            : std::find(listing.functions.begin(), listing.functions.end(), found.function) !=
                listing.functions.end();
        const uint64_t bytes = found.bytes != 0 ? found.bytes : dynamic_shared;
        if (!ours || bytes == 0 || (found.bytes == 0 && dynamic)) continue;
        dynamic = dynamic || found.bytes == 0;
        Array a;
        a.mark.kind = ptx::Mark::Kind::tile, a.mark.name = "shared." + found.name, a.mark.dtype = found.dtype;
        a.symbol = found.symbol, a.function = found.function, a.variable = found.variable;
        shape(a, bytes);
        set_sites(a, module, listing);
        out.push_back(std::move(a));
    }
    return out;
}

const ptx::Mark& mark_of(const Listing& listing, const std::vector<Array>& arrays, int mark) {
    const auto k = static_cast<size_t>(mark);
    return k < listing.marks.size() ? listing.marks[k] : arrays.at(k - listing.marks.size()).mark;
}

bool waits_for_block(const ptx::Instruction& in) {
    if (in.op != ptx::Op::bar || in.mnemonic.find(".arrive") != std::string::npos) return false;
    const size_t beside = in.types.empty() ? 1 : 3;  // the number; the result, the number and the predicate
    return in.operands.size() == beside;
}

const ptx::Operand& barrier_of(const ptx::Instruction& in) { return in.operands.at(first_operand(in)); }

}  // namespace wl::execution

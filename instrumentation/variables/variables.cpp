// Walks the DWARF of a debug build with libdw: scopes, variables, location lists.
#include "instrumentation/variables/variables.h"

#include "instrumentation/base/error.h"
#include "instrumentation/variables/reader.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>

namespace wl::variables {
namespace {

constexpr uint64_t kAddressClass = 0x33;  // DW_AT_address_class: the space, in cuda-gdb's numbers

struct Scope {
    int function = -1;
    std::string inlined;
    int32_t begin = 0, end = 0;
    int depth = 0;
};

// The ULEB number of DW_OP_regx is the register's name, first character highest: 0x256631 is "%f1"
// (measured on NVRTC's output; no document states it).
std::string register_name(uint64_t packed) {
    std::string name;
    for (int shift = 56; shift >= 0; shift -= 8)
        if (const char c = static_cast<char>(packed >> shift); c != 0) name += c;
    return name;
}

ptx::Space space_of(uint64_t address_class, ptx::Space declared) {
    switch (address_class) {
        case 4: return ptx::Space::constant;
        case 5: return ptx::Space::global;
        case 6: return ptx::Space::local;
        case 7: return ptx::Space::param;
        case 8: return ptx::Space::shared;
        default: return declared;
    }
}

// The pieces that a location expression names; nothing when it needs more than names and offsets.
std::vector<Place> places_of(
    const Reader& r, const Scope& scope, Dwarf_Die* die, const Dwarf_Op* ops, size_t count
) {
    std::vector<Place> places;
    for (size_t k = 0; k < count; ++k) {
        const Dwarf_Op& op = ops[k];
        if (op.atom == DW_OP_regx && scope.function >= 0) {
            const auto& names = r.registers[static_cast<size_t>(scope.function)];
            const auto found = names.find(register_name(op.number));
            if (found == names.end()) return {};
            places.emplace_back().reg = found->second;
        } else if (op.atom == DW_OP_addr) {
            const auto data = data_address(r.image, op.number);
            if (!data) return {};
            Place& place = places.emplace_back();
            place.symbol = data->symbol;
            place.space = space_of(number(die, kAddressClass).value_or(0), data->space);
            place.offset = data->offset;
        } else if (op.atom == DW_OP_plus_uconst && !places.empty()) {
            places.back().offset += op.number;
        } else if (op.atom == DW_OP_piece && !places.empty()) {
            places.back().bytes = op.number;
        } else {
            return {};
        }
    }
    return places;
}

int32_t instruction_of(uint64_t address, int function, int32_t otherwise) {
    const auto code = code_address(address);
    return code && code->function == function ? code->instruction : otherwise;
}

std::vector<Range> ranges_of(const Reader& r, const Scope& scope, Dwarf_Die* die) {
    std::vector<Range> ranges;
    Dwarf_Attribute location;
    if (dwarf_attr_integrate(die, DW_AT_location, &location) == nullptr) return ranges;
    const unsigned form = dwarf_whatform(&location);
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (form == DW_FORM_block1 || form == DW_FORM_block2 || form == DW_FORM_block4 || form == DW_FORM_block ||
        form == DW_FORM_exprloc) {
        if (dwarf_getlocation(&location, &ops, &count) == 0)
            if (auto places = places_of(r, scope, die, ops, count); !places.empty())
                ranges.push_back({scope.begin, scope.end, std::move(places)});
        return ranges;
    }
    Dwarf_Addr base = 0, begin = 0, end = 0;
    ptrdiff_t at = 0;
    while ((at = dwarf_getlocations(&location, at, &base, &begin, &end, &ops, &count)) > 0) {
        auto places = places_of(r, scope, die, ops, count);
        if (places.empty()) continue;
        const int32_t from = instruction_of(begin, scope.function, scope.begin);
        ranges.push_back({from, instruction_of(end, scope.function, scope.end), std::move(places)});
    }
    return ranges;
}

void read_variable(Reader& r, const Scope& scope, Dwarf_Die* die) {
    Variable v;
    Dwarf_Attribute name;
    if (dwarf_attr_integrate(die, DW_AT_name, &name) == nullptr) return;
    const char* text = dwarf_formstring(&name);
    if (text == nullptr || *text == '\0') return;
    v.name = text;
    v.type = type_of(r, die, 0);
    v.line = static_cast<int>(number(die, DW_AT_decl_line).value_or(0));
    v.function = scope.function;
    v.inlined = scope.inlined;
    v.begin = scope.begin;
    v.end = scope.end;
    v.is_parameter = dwarf_tag(die) == DW_TAG_formal_parameter;
    v.ranges = ranges_of(r, scope, die);
    // Without a place, and in no code, it is a declaration.
    if (!v.ranges.empty() || v.function >= 0) r.out.all.push_back(std::move(v));
}

// The scope of a subprogram, block or inlined function inside another.
Scope inner_scope(Scope scope, Dwarf_Die* die) {
    Dwarf_Addr low = 0, high = 0;
    if (dwarf_lowpc(die, &low) == 0 && dwarf_highpc(die, &high) == 0) {
        if (const auto code = code_address(low)) {
            scope.function = code->function;
            scope.begin = code->instruction;
            scope.end = instruction_of(high, scope.function, scope.begin);
        }
    }
    if (dwarf_tag(die) == DW_TAG_subprogram) scope.inlined.clear();
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
        Dwarf_Attribute name;
        const char* text =
            dwarf_attr_integrate(die, DW_AT_name, &name) != nullptr ? dwarf_formstring(&name) : nullptr;
        scope.inlined = text != nullptr ? text : "";
    }
    ++scope.depth;
    return scope;
}

void read_scope(Reader& r, const Scope& scope, Dwarf_Die* die) {
    if (scope.depth > kDeepest)
        throw Error("The debug sections of the PTX are malformed: scopes without end.");
    Dwarf_Die child;
    for (int status = dwarf_child(die, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
        switch (dwarf_tag(&child)) {
            case DW_TAG_variable:
            case DW_TAG_formal_parameter: read_variable(r, scope, &child); break;
            case DW_TAG_subprogram:
            case DW_TAG_inlined_subroutine:
            case DW_TAG_lexical_block:
            case DW_TAG_namespace: read_scope(r, inner_scope(scope, &child), &child); break;
            default: break;
        }
    }
}

std::vector<std::map<std::string, int32_t>> register_names(const ptx::Module& module) {
    std::vector<std::map<std::string, int32_t>> names(module.functions.size());
    for (size_t f = 0; f < module.functions.size(); ++f) {
        const auto& registers = module.functions[f].registers;
        for (size_t k = 0; k < registers.size(); ++k)
            names[f].emplace(registers[k].name, static_cast<int32_t>(k));
    }
    return names;
}

}  // namespace

Variables read(const ptx::Module& module) {
    Image image = debug_image(module);
    if (image.elf.empty()) return {};
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(
        elf_memory(reinterpret_cast<char*>(image.elf.data()), image.elf.size()), elf_end
    );
    const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(
        elf ? dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr) : nullptr, dwarf_end
    );
    if (!dwarf)
        throw Error(fmt::format("The debug sections of the PTX are malformed: {}.", dwarf_errmsg(-1)));
    Reader reader{module, image};
    reader.registers = register_names(module);
    Dwarf_Off offset = 0, next = 0;
    size_t header = 0;
    while (dwarf_nextcu(dwarf.get(), offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf.get(), offset + header, &unit) != nullptr) read_scope(reader, {}, &unit);
        offset = next;
    }
    return std::move(reader.out);
}

std::vector<const Variable*> visible(const Variables& variables, int function, int32_t instruction) {
    std::vector<const Variable*> found;
    for (const Variable& v : variables.all) {
        const bool here = v.function == function && v.begin <= instruction && instruction < v.end;
        if (here || v.function < 0) found.push_back(&v);
    }
    const auto extent = [](const Variable* v) { return v->function < 0 ? INT32_MAX : v->end - v->begin; };
    std::stable_sort(found.begin(), found.end(), [&](const Variable* a, const Variable* b) {
        return extent(a) < extent(b);
    });
    return found;
}

const Range* place_at(const Variable& variable, int32_t instruction) {
    for (const Range& range : variable.ranges)
        if (variable.function < 0 || (range.begin <= instruction && instruction < range.end)) return &range;
    return nullptr;
}

}  // namespace wl::variables

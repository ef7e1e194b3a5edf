// Walks the DWARF of a debug build with libdw: types, scopes, location lists.
#include "instrumentation/variables/variables.h"

#include "instrumentation/base/error.h"
#include "instrumentation/variables/sections.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>

namespace wl::variables {
namespace {

constexpr int kDeepest = 256;  // of nested scopes and types: beyond it the sections are taken as malformed
constexpr uint64_t kAddressClass = 0x33;  // DW_AT_address_class: the space, in cuda-gdb's numbers

struct Reader {
    const ptx::Module& module;
    const Image& image;
    Variables out{};
    std::map<Dwarf_Off, int> types{};
    std::vector<std::map<std::string, int32_t>> registers{};  // by function
};

struct Scope {
    int function = -1;
    std::string inlined;
    int32_t begin = 0, end = 0;
    int depth = 0;
};

std::string name_of(Dwarf_Die* die) {
    const char* name = dwarf_diename(die);
    return name != nullptr ? name : "";
}

std::optional<uint64_t> number(Dwarf_Die* die, unsigned attribute) {
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    if (dwarf_attr_integrate(die, attribute, &found) == nullptr) return std::nullopt;
    if (dwarf_formudata(&found, &value) == 0) return value;
    Dwarf_Op* op = nullptr;  // a member's offset in DWARF 2: DW_OP_plus_uconst
    size_t count = 0;
    if (dwarf_getlocation(&found, &op, &count) == 0 && count == 1 && op[0].atom == DW_OP_plus_uconst)
        return op[0].number;
    return std::nullopt;
}

std::optional<Dwarf_Die> type_die(Dwarf_Die* die) {
    Dwarf_Attribute found;
    Dwarf_Die type;
    if (dwarf_attr_integrate(die, DW_AT_type, &found) == nullptr) return std::nullopt;
    if (dwarf_formref_die(&found, &type) == nullptr) return std::nullopt;
    return type;
}

Type::Kind kind_of_base(Dwarf_Die* die) {
    switch (number(die, DW_AT_encoding).value_or(0)) {
        case DW_ATE_boolean: return Type::Kind::boolean;
        case DW_ATE_float: return Type::Kind::real;
        case DW_ATE_signed: return Type::Kind::integer;
        case DW_ATE_signed_char:
        case DW_ATE_unsigned_char: return Type::Kind::character;
        case DW_ATE_unsigned: return Type::Kind::natural;
        default: return Type::Kind::other;
    }
}

int read_type(Reader& r, Dwarf_Die die, int depth);

int type_of(Reader& r, Dwarf_Die* die, int depth) {
    std::optional<Dwarf_Die> type = type_die(die);
    return type ? read_type(r, *type, depth + 1) : -1;
}

std::string type_name(const Reader& r, int type) {
    return type < 0 ? "void" : r.out.types[static_cast<size_t>(type)].name;
}

// One Type for each dimension, the outermost first: float[4][8] is an array of arrays.
void read_array(Reader& r, Dwarf_Die* die, int at, int depth) {
    std::vector<uint64_t> extents;
    Dwarf_Die child;
    for (int status = dwarf_child(die, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
        const auto count = number(&child, DW_AT_count), upper = number(&child, DW_AT_upper_bound);
        extents.push_back(count ? *count : upper ? *upper + 1 : 0);
    }
    int of = type_of(r, die, depth);
    const std::string element = type_name(r, of);
    std::string suffix;
    for (size_t k = extents.size(); k-- > 0;) {
        suffix = fmt::format("[{}]{}", extents[k], suffix);
        Type array;
        array.kind = Type::Kind::array;
        array.name = element + suffix;
        array.of = of;
        array.count = extents[k];
        array.bytes = of < 0 ? 0 : extents[k] * r.out.types[static_cast<size_t>(of)].bytes;
        if (k == 0) {
            r.out.types[static_cast<size_t>(at)] = array;
        } else {
            of = static_cast<int>(r.out.types.size());
            r.out.types.push_back(array);
        }
    }
}

void read_structure(Reader& r, Dwarf_Die* die, int at, int depth) {
    std::vector<Member> members;
    Dwarf_Die child;
    for (int status = dwarf_child(die, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        const auto offset = number(&child, DW_AT_data_member_location);
        if (!offset && dwarf_tag(die) != DW_TAG_union_type) continue;  // a static member
        members.push_back({name_of(&child), offset.value_or(0), type_of(r, &child, depth)});
    }
    r.out.types[static_cast<size_t>(at)].members = std::move(members);
}

// typedef, const, volatile and enumerations take the layout of what they stand for.
void read_alias(Reader& r, Dwarf_Die* die, int at, int depth) {
    const int of = type_of(r, die, depth);
    if (of < 0) return;
    Type type = r.out.types[static_cast<size_t>(of)];
    if (const std::string name = name_of(die); !name.empty()) type.name = name;
    r.out.types[static_cast<size_t>(at)] = std::move(type);
}

int read_type(Reader& r, Dwarf_Die die, int depth) {
    if (depth > kDeepest) throw Error("The debug sections of the PTX are malformed: a type contains itself.");
    const auto [known, is_new] =
        r.types.try_emplace(dwarf_dieoffset(&die), static_cast<int>(r.out.types.size()));
    const int at = known->second;
    if (!is_new) return at;
    Type& type = r.out.types.emplace_back();
    type.name = name_of(&die);
    type.bytes = number(&die, DW_AT_byte_size).value_or(0);
    switch (dwarf_tag(&die)) {
        case DW_TAG_base_type: type.kind = kind_of_base(&die); break;
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type: {
            type.kind = Type::Kind::pointer;
            type.bytes = 8;
            const int of = type_of(r, &die, depth);
            r.out.types[static_cast<size_t>(at)].of = of;
            r.out.types[static_cast<size_t>(at)].name = type_name(r, of) + "*";
            break;
        }
        case DW_TAG_array_type: read_array(r, &die, at, depth); break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            type.kind = Type::Kind::structure;
            read_structure(r, &die, at, depth);
            break;
        case DW_TAG_enumeration_type: type.kind = Type::Kind::integer; break;
        default: read_alias(r, &die, at, depth);
    }
    return at;
}

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
    if (!v.ranges.empty()) r.out.all.push_back(std::move(v));
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

// Types out of DWARF: structures with bases and bit-fields, enumerations, arrays, pointers and references.
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/variables/reader.h"

#include <dwarf.h>
#include <fmt/format.h>
#include <string_view>

namespace wl::variables {

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

namespace {

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
        case DW_ATE_signed_char: return Type::Kind::character;
        case DW_ATE_unsigned_char:
        case DW_ATE_unsigned: return Type::Kind::natural;
        default: return Type::Kind::other;
    }
}

int read_type(Reader& r, Dwarf_Die die, int depth);

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

// A bit-field lies in a unit of its type, or of DW_AT_byte_size. DWARF 2 counts from the unit's highest bit
// (section 5.6.6), DWARF 4 from the structure's first byte.
void place_bits(const Reader& r, Dwarf_Die* die, Member& member) {
    const auto bits = number(die, DW_AT_bit_size);
    if (!bits) return;
    member.bits = static_cast<uint32_t>(*bits);
    const uint64_t own = member.type < 0 ? 4 : r.out.types[static_cast<size_t>(member.type)].bytes;
    const uint64_t unit = 8 * number(die, DW_AT_byte_size).value_or(own);
    if (const auto from_start = number(die, DW_AT_data_bit_offset)) {
        member.offset = *from_start / 8;
        member.first_bit = static_cast<uint32_t>(*from_start % 8);
    } else if (const auto from_top = number(die, DW_AT_bit_offset); from_top && *from_top + *bits <= unit) {
        member.first_bit = static_cast<uint32_t>(unit - *from_top - *bits);
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
        Member member{name_of(&child), offset.value_or(0), type_of(r, &child, depth)};
        // NVRTC writes a base class as a member of this name.
        constexpr std::string_view kBase = "__b_";
        member.inherited = tag == DW_TAG_inheritance || member.name.starts_with(kBase);
        if (member.inherited) member.name = type_name(r, member.type);
        place_bits(r, &child, member);
        members.push_back(std::move(member));
    }
    r.out.types[static_cast<size_t>(at)].members = std::move(members);
}

void read_enumeration(Dwarf_Die* die, Type& type) {
    Dwarf_Die child;
    for (int status = dwarf_child(die, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
        Dwarf_Attribute found;
        Dwarf_Sword value = 0;
        if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
        if (dwarf_attr(&child, DW_AT_const_value, &found) == nullptr) continue;
        if (dwarf_formsdata(&found, &value) != 0) continue;
        const std::string name = demangle(name_of(&child));  // NVRTC mangles those of scoped enumerations
        const size_t scope = name.rfind("::");
        type.enumerators.push_back({scope == std::string::npos ? name : name.substr(scope + 2), value});
    }
}

// typedef, const and volatile take the layout of what they stand for.
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
            const bool pointer = dwarf_tag(&die) == DW_TAG_pointer_type;
            type.kind = pointer ? Type::Kind::pointer : Type::Kind::reference;
            type.bytes = 8;
            const int of = type_of(r, &die, depth);
            r.out.types[static_cast<size_t>(at)].of = of;
            r.out.types[static_cast<size_t>(at)].name = type_name(r, of) + (pointer ? "*" : "&");
            break;
        }
        case DW_TAG_array_type: read_array(r, &die, at, depth); break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            type.kind = Type::Kind::structure;
            read_structure(r, &die, at, depth);
            break;
        case DW_TAG_enumeration_type:
            type.kind = Type::Kind::enumeration;
            read_enumeration(&die, type);
            break;
        default: read_alias(r, &die, at, depth);
    }
    return at;
}

}  // namespace

int type_of(Reader& r, Dwarf_Die* die, int depth) {
    std::optional<Dwarf_Die> type = type_die(die);
    return type ? read_type(r, *type, depth + 1) : -1;
}

}  // namespace wl::variables

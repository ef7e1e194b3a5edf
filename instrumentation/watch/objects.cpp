// Reading C objects as the compiler laid them out (x86-64 and CUDA agree: little endian, natural alignment).
#include "instrumentation/watch/objects.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/watch/parts.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::watch {
namespace {

using variables::Type;

constexpr uint64_t kMostBytes = 1 << 16;  // of one object that is read as a whole
constexpr uint64_t kShownElements = 16;

const Type* type_at(int type, const Environment& environment) {
    const bool known =
        environment.types != nullptr && type >= 0 && static_cast<size_t>(type) < environment.types->size();
    return known ? &(*environment.types)[static_cast<size_t>(type)] : nullptr;
}

// Classes of the CUDA headers that are one number.
std::optional<DType> number_class(const Type& type) {
    if (type.name == "__half" || type.name == "half") return DType::f16;
    if (type.name == "__nv_bfloat16" || type.name == "nv_bfloat16") return DType::bf16;
    if (type.name == "__nv_fp8_e4m3") return DType::e4m3;
    if (type.name == "__nv_fp8_e5m2") return DType::e5m2;
    return std::nullopt;
}

bool is_scalar(const Type& type) {
    return number_class(type) ||
        (type.kind != Type::Kind::structure && type.kind != Type::Kind::array && type.bytes >= 1 &&
         type.bytes <= 8);
}

bool is_signed(const Type& type) {
    if (type.kind == Type::Kind::enumeration)
        return std::any_of(type.enumerators.begin(), type.enumerators.end(), [](const auto& e) {
            return e.value < 0;
        });
    return type.kind == Type::Kind::integer || type.kind == Type::Kind::character;
}

int64_t signed_value(const std::byte* at, uint64_t bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, bytes);
    const auto unused = static_cast<int>(64 - 8 * bytes);
    return static_cast<int64_t>(bits << unused) >> unused;
}

int64_t unsigned_value(const std::byte* at, uint64_t bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, bytes);
    return static_cast<int64_t>(bits);
}

bool bytes_of(
    const Value& value, int lane, uint64_t count, const Environment& environment, std::vector<std::byte>& out
) {
    out.resize(count);
    if ((value.lanes >> lane & 1) == 0) return false;
    if (value.kind == Value::Kind::place)
        return environment.read &&
            environment.read(value.space, value.address[static_cast<size_t>(lane)], lane, out);
    const size_t each = value.bytes.size() / kLanes;
    if (each < count) return false;
    std::memcpy(out.data(), value.bytes.data() + static_cast<size_t>(lane) * each, count);
    return true;
}

void set_scalar(Value& to, int lane, const Type& type, const std::byte* at) {
    const auto k = static_cast<size_t>(lane);
    if (const auto number = number_class(type)) {
        to.number[k] = to_double(*number, at);
    } else if (type.kind == Type::Kind::real) {
        to.number[k] = to_double(type.bytes == 4 ? DType::f32 : DType::f64, at);
    } else {
        to.whole[k] = is_signed(type) ? signed_value(at, type.bytes) : unsigned_value(at, type.bytes);
        to.is_natural = type.kind == Type::Kind::natural && type.bytes == 8;
    }
    to.lanes |= 1u << lane;
}

// Bytes that hold a member from its offset on.
uint64_t bytes_of_member(const variables::Member& m, const Type& of) {
    return m.bits == 0 ? of.bytes : (m.first_bit + m.bits + 7) / 8;
}

int64_t bit_field(const std::byte* at, const variables::Member& m, const Type& of) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, std::min<uint64_t>(8, bytes_of_member(m, of)));
    const auto unused = static_cast<int>(64 - std::min<uint32_t>(m.bits, 64));
    const uint64_t high = bits >> m.first_bit << unused;
    return is_signed(of) ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

std::string text_of_whole(const Type& type, int64_t value) {
    if (type.kind == Type::Kind::boolean) return value != 0 ? "true" : "false";
    if (type.kind == Type::Kind::pointer || type.kind == Type::Kind::reference)
        return fmt::format("0x{:x}", static_cast<uint64_t>(value));
    for (const variables::Enumerator& e : type.enumerators)
        if (e.value == value) return fmt::format("{} ({})", e.name, value);
    if (type.kind == Type::Kind::natural) return fmt::format("{}", static_cast<uint64_t>(value));
    return fmt::format("{}", value);
}

std::string text_of_bytes(const Type& type, const std::byte* at, const Environment& environment, int depth);

std::string text_of_parts(const Type& type, const std::byte* at, const Environment& environment, int depth) {
    if (depth > 8) return "...";
    std::vector<std::string> parts;
    if (type.kind == Type::Kind::array) {
        const Type* of = type_at(type.of, environment);
        for (uint64_t k = 0; of != nullptr && k < type.count && k < kShownElements; ++k)
            parts.push_back(text_of_bytes(*of, at + k * of->bytes, environment, depth + 1));
        if (type.count > kShownElements) parts.emplace_back("...");
        return "[" + join(parts, ", ") + "]";
    }
    for (const variables::Member& m : type.members) {
        const Type* of = type_at(m.type, environment);
        if (of == nullptr || bytes_of_member(m, *of) + m.offset > type.bytes) continue;
        const std::string text = m.bits == 0 ? text_of_bytes(*of, at + m.offset, environment, depth + 1)
                                             : text_of_whole(*of, bit_field(at + m.offset, m, *of));
        parts.push_back(fmt::format("{}{}{}", m.name, m.name.empty() ? "" : " ", text));
    }
    return "{" + join(parts, ", ") + "}";
}

std::string text_of_bytes(const Type& type, const std::byte* at, const Environment& environment, int depth) {
    if (!is_scalar(type)) return text_of_parts(type, at, environment, depth);
    Value value;
    set_scalar(value, 0, type, at);
    const bool real = number_class(type) || type.kind == Type::Kind::real;
    return real ? fmt::format("{:g}", value.number[0]) : text_of_whole(type, value.whole[0]);
}

// What lies at the addresses that an integer holds in each lane.
Value place_at(const Value& address, int type) {
    Value out;
    out.kind = Value::Kind::place;
    out.type = type;
    out.space = ptx::Space::generic;
    out.lanes = address.lanes;
    for (size_t lane = 0; lane < kLanes; ++lane)
        out.address[lane] = static_cast<uint64_t>(address.whole[lane]);
    return out;
}

}  // namespace

const Type* type_of(const Value& value, const Environment& environment) {
    return type_at(value.type, environment);
}

Value part(
    const Value& object, int type, const std::array<int64_t, kLanes>& offset, const Environment& environment
) {
    Value out;
    out.kind = object.kind;
    out.type = type;
    out.space = object.space;
    out.lanes = object.lanes;
    if (object.kind == Value::Kind::place) {
        for (size_t lane = 0; lane < kLanes; ++lane)
            out.address[lane] = object.address[lane] + static_cast<uint64_t>(offset[lane]);
        return out;
    }
    const Type* t = type_at(type, environment);
    const size_t from = object.bytes.size() / kLanes, each = t != nullptr ? t->bytes : 0;
    out.bytes.resize(each * kLanes);
    for (size_t lane = 0; lane < kLanes; ++lane) {
        const auto at = static_cast<uint64_t>(offset[lane]);
        if (at > from || each > from - at)
            out.lanes &= ~(1u << lane);
        else
            std::memcpy(out.bytes.data() + lane * each, object.bytes.data() + lane * from + at, each);
    }
    return out;
}

Value pointed_at(const Value& value, const Environment& environment) {
    const Type* type = type_of(value, environment);
    if (type != nullptr && type->kind == Type::Kind::array) return part(value, type->of, {}, environment);
    const Value pointer = scalar(value, environment);
    if (type == nullptr || type->kind != Type::Kind::pointer || pointer.kind != Value::Kind::integer ||
        type->of < 0)
        throw Error("this is neither a pointer nor an array");
    return place_at(pointer, type->of);
}

Value element(const Value& object, const Value& index, const Environment& environment) {
    const Value at = scalar(index, environment);
    if (at.kind != Value::Kind::integer) throw Error("an index must be an integer");
    const Type* type = type_of(object, environment);
    const bool array = type != nullptr && type->kind == Type::Kind::array;
    const uint64_t count = array ? type->count : 0;
    Value first = pointed_at(object, environment);
    const Type* of = type_of(first, environment);
    if (of == nullptr || of->bytes == 0) throw Error("the size of its elements is not known");
    std::array<int64_t, kLanes> offset{};
    uint32_t lanes = at.lanes;
    for (size_t lane = 0; lane < kLanes; ++lane) {
        offset[lane] = static_cast<int64_t>(static_cast<uint64_t>(at.whole[lane]) * of->bytes);
        // An extent of 0 is that of dynamic shared memory: the block's window bounds it.
        if (count != 0 && static_cast<uint64_t>(at.whole[lane]) >= count) lanes &= ~(1u << lane);
    }
    Value out =
        array ? part(object, type->of, offset, environment) : part(first, first.type, offset, environment);
    out.lanes &= lanes;
    return out;
}

Value referred(const Value& value, const Environment& environment) {
    const Type* type = type_of(value, environment);
    if (type == nullptr || type->kind != Type::Kind::reference || type->of < 0) return value;
    return place_at(scalar(value, environment), type->of);
}

namespace {

Value bits_of(const Value& object, const variables::Member& m, const Environment& environment) {
    const Type* of = type_at(m.type, environment);
    const uint64_t size = of != nullptr ? m.offset + bytes_of_member(m, *of) : 0;
    Value out;
    std::vector<std::byte> bytes;
    for (int lane = 0; lane < kLanes; ++lane)
        if (of != nullptr && bytes_of(object, lane, size, environment, bytes)) {
            out.whole[static_cast<size_t>(lane)] = bit_field(bytes.data() + m.offset, m, *of);
            out.lanes |= 1u << lane;
        }
    return out;
}

}  // namespace

std::optional<Value> member_if_any(
    const Value& object, const std::string& name, const Environment& environment
) {
    const Type* type = type_of(object, environment);
    if (type == nullptr || type->kind != Type::Kind::structure) return std::nullopt;
    for (const variables::Member& m : type->members) {
        std::array<int64_t, kLanes> offset{};
        offset.fill(static_cast<int64_t>(m.offset));
        if (m.name == name && m.bits != 0) return bits_of(object, m, environment);
        if (m.name == name) return referred(part(object, m.type, offset, environment), environment);
        if (!m.inherited && !m.name.empty()) continue;
        if (auto found = member_if_any(part(object, m.type, offset, environment), name, environment))
            return found;
    }
    return std::nullopt;
}

Value member(const Value& object, const std::string& name, const Environment& environment) {
    const Type* type = type_of(object, environment);
    if (type != nullptr && type->kind == Type::Kind::pointer)
        return member(pointed_at(object, environment), name, environment);
    if (type == nullptr || type->kind != Type::Kind::structure) throw Error("this has no members");
    if (auto found = member_if_any(object, name, environment)) return *found;
    std::vector<std::string> names;
    for (const variables::Member& m : type->members) names.push_back(m.name);
    throw Error(fmt::format("{} has no member {}, only {}", type->name, name, join(names, ", ")));
}

Value scalar(const Value& value, const Environment& environment) {
    if (value.kind == Value::Kind::integer || value.kind == Value::Kind::real) return value;
    const Type* type = type_of(value, environment);
    if (type == nullptr || !is_scalar(*type)) return value;
    Value out;
    const bool real = number_class(*type) || type->kind == Type::Kind::real;
    out.kind = real ? Value::Kind::real : Value::Kind::integer;
    // What is printed by its type: 0x40, green (2), true.
    const bool typed = type->kind == Type::Kind::pointer || type->kind == Type::Kind::enumeration ||
        type->kind == Type::Kind::boolean;
    out.type = typed ? value.type : -1;
    std::vector<std::byte> bytes;
    for (int lane = 0; lane < kLanes; ++lane)
        if (bytes_of(value, lane, type->bytes, environment, bytes))
            set_scalar(out, lane, *type, bytes.data());
    return out;
}

namespace {

void add_members(
    const std::string& of, const Type& type, const Environment& environment, std::vector<std::string>& out
) {
    for (const variables::Member& m : type.members) {
        const Type* base = type_at(m.type, environment);
        const bool flat = (m.inherited || m.name.empty()) && base != nullptr;  // its members go by their own
        if (flat && base->kind == Type::Kind::structure)
            add_members(of, *base, environment, out);
        else if (!m.name.empty())
            out.push_back(of + "." + m.name);
    }
}

}  // namespace

std::vector<std::string> parts_of(
    const std::string& expression, const Value& object, const Environment& environment
) {
    const bool whole = object.kind == Value::Kind::place || object.kind == Value::Kind::bytes;
    const Type* type = type_of(object, environment);
    std::vector<std::string> out;
    if (!whole || type == nullptr || is_scalar(*type)) return out;
    const bool simple = expression.find_first_of(" +-*/&()<>=?!") == std::string::npos;
    const std::string of = simple ? expression : "(" + expression + ")";
    if (type->kind == Type::Kind::structure) add_members(of, *type, environment, out);
    if (type->kind == Type::Kind::array)
        for (uint64_t k = 0; k < std::min(type->count, kMostParts); ++k)
            out.push_back(fmt::format("{}[{}]", of, k));
    if (out.size() > kMostParts) out.resize(kMostParts);
    return out;
}

std::string text_of(const Value& value, int lane, const Environment& environment) {
    if ((value.lanes >> lane & 1) == 0) return "-";
    const auto k = static_cast<size_t>(lane);
    const Type* type = type_of(value, environment);
    if (value.kind == Value::Kind::integer && type != nullptr) return text_of_whole(*type, value.whole[k]);
    if (value.kind == Value::Kind::integer && value.is_natural)
        return fmt::format("{}", static_cast<uint64_t>(value.whole[k]));
    if (value.kind == Value::Kind::integer) return fmt::format("{}", value.whole[k]);
    if (value.kind == Value::Kind::real) return fmt::format("{:g}", value.number[k]);
    std::vector<std::byte> bytes;
    if (type == nullptr || type->bytes > kMostBytes ||
        !bytes_of(value, lane, type->bytes, environment, bytes))
        return "-";
    return text_of_bytes(*type, bytes.data(), environment, 0);
}

}  // namespace wl::watch

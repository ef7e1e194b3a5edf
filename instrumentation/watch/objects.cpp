// Reading C objects as the compiler laid them out (x86-64 and CUDA agree: little endian, natural alignment).
#include "instrumentation/watch/objects.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

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
        const bool is_signed = type.kind == Type::Kind::integer || type.kind == Type::Kind::character;
        to.whole[k] = is_signed ? signed_value(at, type.bytes) : unsigned_value(at, type.bytes);
    }
    to.lanes |= 1u << lane;
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
        if (of == nullptr || m.offset + of->bytes > type.bytes) continue;
        parts.push_back(fmt::format(
            "{}{}{}",
            m.name,
            m.name.empty() ? "" : " ",
            text_of_bytes(*of, at + m.offset, environment, depth + 1)
        ));
    }
    return "{" + join(parts, ", ") + "}";
}

std::string text_of_bytes(const Type& type, const std::byte* at, const Environment& environment, int depth) {
    if (!is_scalar(type)) return text_of_parts(type, at, environment, depth);
    Value value;
    set_scalar(value, 0, type, at);
    const bool real = number_class(type) || type.kind == Type::Kind::real;
    if (type.kind == Type::Kind::pointer) return fmt::format("0x{:x}", value.whole[0]);
    return real ? fmt::format("{:g}", value.number[0]) : fmt::format("{}", value.whole[0]);
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
    Value out;
    out.kind = Value::Kind::place;
    out.type = type->of;
    out.space = ptx::Space::generic;
    out.lanes = pointer.lanes;
    for (size_t lane = 0; lane < kLanes; ++lane)
        out.address[lane] = static_cast<uint64_t>(pointer.whole[lane]);
    return out;
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

Value member(const Value& object, const std::string& name, const Environment& environment) {
    const Type* type = type_of(object, environment);
    if (type != nullptr && type->kind == Type::Kind::pointer)
        return member(pointed_at(object, environment), name, environment);
    if (type == nullptr || type->kind != Type::Kind::structure) throw Error("this has no members");
    std::vector<std::string> names;
    for (const variables::Member& m : type->members) {
        std::array<int64_t, kLanes> offset{};
        offset.fill(static_cast<int64_t>(m.offset));
        if (m.name == name) return part(object, m.type, offset, environment);
        names.push_back(m.name);
    }
    throw Error(fmt::format("{} has no member {}, only {}", type->name, name, join(names, ", ")));
}

Value scalar(const Value& value, const Environment& environment) {
    if (value.kind == Value::Kind::integer || value.kind == Value::Kind::real) return value;
    const Type* type = type_of(value, environment);
    if (type == nullptr || !is_scalar(*type)) return value;
    Value out;
    const bool real = number_class(*type) || type->kind == Type::Kind::real;
    out.kind = real ? Value::Kind::real : Value::Kind::integer;
    out.type = type->kind == Type::Kind::pointer ? value.type : -1;
    std::vector<std::byte> bytes;
    for (int lane = 0; lane < kLanes; ++lane)
        if (bytes_of(value, lane, type->bytes, environment, bytes))
            set_scalar(out, lane, *type, bytes.data());
    return out;
}

std::string text_of(const Value& value, int lane, const Environment& environment) {
    if ((value.lanes >> lane & 1) == 0) return "-";
    const auto k = static_cast<size_t>(lane);
    const Type* type = type_of(value, environment);
    const bool pointer = type != nullptr && type->kind == Type::Kind::pointer;
    if (value.kind == Value::Kind::integer)
        return pointer ? fmt::format("0x{:x}", value.whole[k]) : fmt::format("{}", value.whole[k]);
    if (value.kind == Value::Kind::real) return fmt::format("{:g}", value.number[k]);
    std::vector<std::byte> bytes;
    if (type == nullptr || type->bytes > kMostBytes ||
        !bytes_of(value, lane, type->bytes, environment, bytes))
        return "-";
    return text_of_bytes(*type, bytes.data(), environment, 0);
}

}  // namespace wl::watch

// What names mean at an instant.
#include "instrumentation/travel/names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::travel {
namespace {

using variables::Place;
using variables::Variable;
using watch::kLanes;
using watch::Value;

struct Surroundings {
    const ptx::Function* function = nullptr;
    int module_function = -1;
    emulator::Activation activation;
};

Surroundings surroundings(const Route& route) {
    Surroundings a;
    a.activation = emulator::activations(*route.traveller).front();
    a.module_function = route.functions[static_cast<size_t>(a.activation.function)];
    a.function = &route.module->functions[static_cast<size_t>(a.module_function)];
    return a;
}

uint64_t bytes_of(const Route& route, int type) {
    return type < 0 ? 0 : route.variables.types[static_cast<size_t>(type)].bytes;
}

Value in_memory(const Route& route, const Surroundings& a, const Variable& v, const Place& place) {
    Value value;
    value.kind = Value::Kind::place;
    value.type = v.type;
    const auto at = emulator::address_of(*route.traveller, 0, place.symbol);
    if (!at) return value;
    value.space = at->first;
    value.lanes = a.activation.lanes;
    for (size_t lane = 0; lane < kLanes; ++lane) value.address[lane] = at->second[lane] + place.offset;
    return value;
}

// Pieces in registers, one behind the other.
Value in_registers(
    const Route& route, const Surroundings& a, const Variable& v, const std::vector<Place>& places
) {
    Value value;
    value.kind = Value::Kind::bytes;
    value.type = v.type;
    const uint64_t bytes = bytes_of(route, v.type);
    value.bytes.resize(bytes * kLanes);
    uint64_t at = 0;
    for (const Place& place : places) {
        if (place.reg < 0) return {};  // half in memory: nothing that compilers here make
        const emulator::LaneBits bits = emulator::register_bits(*route.traveller, 0, *a.function, place.reg);
        const uint64_t size = std::min<uint64_t>(place.bytes != 0 ? place.bytes : bytes, 8);
        for (size_t lane = 0; lane < kLanes && at + size <= bytes; ++lane)
            std::memcpy(value.bytes.data() + lane * bytes + at, &bits[lane], size);
        at += size;
    }
    if (at >= bytes && bytes != 0) value.lanes = a.activation.lanes;
    return value;
}

const Variable* variable_named(const Route& route, const Surroundings& a, const std::string& name) {
    for (const Variable* v : variables::visible(route.variables, a.module_function, a.activation.instruction))
        if (v->name == name) return v;
    return nullptr;
}

Value value_of(const Route& route, const Surroundings& a, const Variable& v) {
    const variables::Range* range = variables::place_at(v, a.activation.instruction);
    if (range == nullptr) {
        Value nowhere;
        nowhere.kind = Value::Kind::place;
        nowhere.type = v.type;
        return nowhere;
    }
    if (range->places.front().reg < 0) return in_memory(route, a, v, range->places.front());
    return in_registers(route, a, v, range->places);
}

int32_t register_named(const ptx::Function& function, const std::string& name) {
    for (size_t k = 0; k < function.registers.size(); ++k)
        if (function.registers[k].name == name) return static_cast<int32_t>(k);
    return -1;
}

Value register_value(const Route& route, const Surroundings& a, int32_t reg) {
    const ptx::Type type = a.function->registers[static_cast<size_t>(reg)].type;
    const emulator::LaneBits bits = emulator::register_bits(*route.traveller, 0, *a.function, reg);
    Value value;
    value.lanes = a.activation.lanes;
    value.kind = type == ptx::Type::f32 || type == ptx::Type::f64 ? Value::Kind::real : Value::Kind::integer;
    for (size_t lane = 0; lane < kLanes; ++lane) {
        float single = 0;
        std::memcpy(&single, &bits[lane], sizeof(single));
        double number = 0;
        std::memcpy(&number, &bits[lane], sizeof(number));
        value.number[lane] = type == ptx::Type::f32 ? static_cast<double>(single) : number;
        value.whole[lane] = static_cast<int64_t>(bits[lane]);
        value.is_natural = type == ptx::Type::u64;
        if (type == ptx::Type::s32) value.whole[lane] = static_cast<int32_t>(bits[lane]);
        if (type == ptx::Type::s16) value.whole[lane] = static_cast<int16_t>(bits[lane]);
    }
    return value;
}

uint32_t component(Dim3 d, char axis) { return axis == 'x' ? d.x : axis == 'y' ? d.y : d.z; }

constexpr const char* kBuiltins[][2] = {
    {"threadIdx", "tid"   },
    {"blockIdx",  "ctaid" },
    {"blockDim",  "ntid"  },
    {"gridDim",   "nctaid"},
};

std::optional<Value> builtin(const Route& route, const std::string& name) {
    const emulator::Replayer& t = *route.traveller;
    Value value;
    value.lanes = emulator::existing_lanes(t);
    const size_t dot = name.find('.');
    const std::string base = name.substr(0, dot);
    const char axis = dot != std::string::npos && dot + 2 == name.size() ? name.back() : '\0';
    for (size_t lane = 0; lane < kLanes; ++lane) {
        const Dim3 of[] = {
            emulator::thread_of(t, static_cast<int>(lane)),
            emulator::block_of(t),
            emulator::launch_of(t).block,
            emulator::launch_of(t).grid};
        bool known = false;
        for (size_t k = 0; k < std::size(kBuiltins); ++k) {
            if (axis < 'x' || axis > 'z' || (base != kBuiltins[k][0] && base != kBuiltins[k][1])) continue;
            value.whole[lane] = component(of[k], axis);
            known = true;
        }
        if (name == "lane") value.whole[lane] = static_cast<int64_t>(lane);
        if (name == "warp") value.whole[lane] = emulator::here(t).warp;
        if (!known && name != "lane" && name != "warp") return std::nullopt;
    }
    return value;
}

std::vector<std::string> names_here(const Route& route, const Surroundings& a) {
    std::vector<std::string> names = {"lane", "warp"};
    for (const auto& pair : kBuiltins)
        for (const char axis : {'x', 'y', 'z'})
            for (const char* base : pair) names.push_back(fmt::format("{}.{}", base, axis));
    for (const Variable* v : variables::visible(route.variables, a.module_function, a.activation.instruction))
        names.push_back(v->name);
    for (const ptx::Register& r : a.function->registers) names.push_back(r.name);
    return names;
}

std::string line_that_makes(const Route& route, const ptx::Function& function, int32_t reg) {
    for (const ptx::Instruction& in : function.code) {
        if (in.operands.empty() || in.operands.front().kind != ptx::Operand::Kind::reg) continue;
        if (in.operands.front().index != reg || in.location < 0) continue;
        return ", made at " + ptx::describe(*route.module, in.location);
    }
    return "";
}

// Why a name means nothing here.
std::string hint_about(const Route& route, const Surroundings& a, const std::string& name) {
    for (const Variable& v : route.variables.all)
        if (v.function == a.module_function && v.name == name)
            return fmt::format(", but at line {} in another scope", v.line);
    const auto& options = route.module->target_options;
    if (std::find(options.begin(), options.end(), "debug") != options.end()) return "";
    return ": an optimised build names registers (%f1), shared arrays and threadIdx.x, a debug build "
           "variables";
}

}  // namespace

watch::Environment environment_here(const Route& route) {
    const Surroundings a = surroundings(route);
    watch::Environment environment;
    environment.types = &route.variables.types;
    environment.lanes = emulator::existing_lanes(*route.traveller);
    environment.hint = [&route, a](const std::string& name) { return hint_about(route, a, name); };
    environment.names = [&route, a] { return names_here(route, a); };
    environment.find = [&route, a](const std::string& name) -> std::optional<Value> {
        if (const Variable* v = variable_named(route, a, name)) return value_of(route, a, *v);
        if (const int32_t reg = register_named(*a.function, name); reg >= 0)
            return register_value(route, a, reg);
        return builtin(route, name);
    };
    environment.generic = [](ptx::Space space, uint64_t address) {
        return space == ptx::Space::shared ? emulator::kSharedBase | address
            : space == ptx::Space::local   ? emulator::kLocalBase | address
                                           : address;
    };
    environment.read = [&route](ptx::Space space, uint64_t address, int lane, std::vector<std::byte>& out) {
        return emulator::read_memory(*route.traveller, {space, lane, address}, out);
    };
    return environment;
}

namespace {

Life life_of(const Variable& v, const Surroundings& a) {
    if (v.ranges.empty()) return Life::optimised_out;
    return variables::place_at(v, a.activation.instruction) == nullptr ? Life::not_live : Life::lives;
}

}  // namespace

Life life_of(const Route& route, const std::string& name) {
    const Surroundings a = surroundings(route);
    const Variable* v = variable_named(route, a, name);
    return v == nullptr ? Life::no_variable : life_of(*v, a);
}

std::string_view text_of(Life life) {
    return life == Life::not_live     ? "not live here"
        : life == Life::optimised_out ? "optimised out: it is kept nowhere"
                                      : "";
}

std::string origin_of(const Route& route, const std::string& name) {
    const Surroundings a = surroundings(route);
    if (const Variable* v = variable_named(route, a, name)) {
        const Life life = life_of(*v, a);
        if (life != Life::lives) return fmt::format("source variable, {}", text_of(life));
        const variables::Range* range = variables::place_at(*v, a.activation.instruction);
        const Place& place = range->places.front();
        const auto shared = place.reg < 0 ? route.shared.find(place.symbol) : route.shared.end();
        if (shared != route.shared.end())
            return fmt::format("shared variable {} of the PTX, {}", place.symbol, shared->second);
        if (place.reg < 0) return fmt::format("source variable in {}", place.symbol);
        return fmt::format(
            "source variable in {}", a.function->registers[static_cast<size_t>(place.reg)].name
        );
    }
    if (const int32_t reg = register_named(*a.function, name); reg >= 0)
        return "PTX register" + line_that_makes(route, *a.function, reg);
    return "";
}

}  // namespace wl::travel

// A recorded launch as a problem: nothing is made up, so that nothing but who executes it differs.
#include "app/cli/record/replay.h"

#include "app/cli/init/pointers.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/ptx/module.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace wl::app {
namespace {

using launches::Memory;
using launches::RecordedLaunch;

// What arithmetic of two executors may differ by: approximate functions, and atomic sums in another order. Of
// an element's size and of the largest's; not derived, and said to be a tolerance.
double allowed_difference(DType t) {
    constexpr double kOfNarrow = 4;  // units of f16, bf16 and the like: roundings of the result itself
    if (t == DType::f64) return 0x1p-40;
    return t == DType::f32 ? 0x1p-16 : kOfNarrow * unit_roundoff(t);
}

// "scale(float const*, int)" -> "float const*", "int"
std::vector<std::string> types_in(const std::string& signature) {
    std::vector<std::string> out;
    const size_t open = signature.find('(');
    if (open == std::string::npos) return out;
    int depth = 0;
    std::string type;
    for (const char c : signature.substr(open + 1)) {
        const bool ends = depth == 0 && (c == ',' || c == ')');
        if (ends) out.push_back(type), type.clear();
        if (ends && c == ')') break;
        depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
        if (!ends && (c != ' ' || !type.empty())) type += c;
    }
    return out;
}

// "c10::Half const*" -> f16
std::optional<DType> element_of(std::string type) {
    const auto drop = [&](std::string_view word) {
        if (type.ends_with(word)) type.resize(type.size() - word.size());
    };
    if (!type.ends_with('*')) return std::nullopt;
    drop("*"), drop(" const");
    if (type.ends_with("::Half")) return DType::f16;
    if (type.ends_with("::BFloat16")) return DType::bf16;
    const std::optional<NamedType> named = type_from_name(type);
    return named ? std::optional(named->dtype) : std::nullopt;
}

// Most of what is not zero has a size that floats are used for.
bool look_like_floats(const std::vector<std::byte>& bytes, DType t) {
    constexpr size_t kMost = 4096;
    constexpr double kSmall = 1e-20, kLarge = 1e20;
    size_t seen = 0, floats = 0;
    for (size_t at = 0; at + size_of(t) <= bytes.size() && seen < kMost; at += size_of(t)) {
        const double value = to_double(t, bytes.data() + at);
        if (value == 0) continue;
        ++seen;
        floats += std::fabs(value) > kSmall && std::fabs(value) < kLarge ? 1 : 0;
    }
    return floats * 2 > seen;
}

DType type_of_bytes(const Memory& m) {
    const std::vector<std::byte>& bytes = launches::left_in(m);
    if (look_like_floats(bytes, DType::f32)) return DType::f32;
    return look_like_floats(bytes, DType::f64) ? DType::f64 : DType::u32;
}

struct Pointing {
    std::string name;  // "arg2"; of a struct "arg0+8"
    std::optional<DType> element;
};

// What is known of an allocation by the parameters that point into it.
struct Known {
    std::vector<Pointing> from;
};

std::vector<Known> pointing(const RecordedLaunch& l, const ptx::Function& entry) {
    std::vector<Known> out(l.memory.size());
    const std::vector<std::string> types = types_in(demangle(l.entry));
    const std::vector<Pointer> pointers = pointer_params(entry);
    uint64_t at = 0;
    for (size_t p = 0; p < entry.params.size(); ++p) {
        const ptx::Variable& param = entry.params[p];
        const uint64_t align = std::max<uint32_t>(param.align, 1);
        at = (at + align - 1) / align * align;
        const uint64_t begin = at, end = at + param.bytes;
        at = end;
        for (uint64_t word = (begin + 7) / 8 * 8; word + 8 <= std::min<uint64_t>(end, l.params.size());
             word += 8) {
            uint64_t address = 0;
            std::memcpy(&address, l.params.data() + word, sizeof address);
            for (size_t m = 0; m < l.memory.size(); ++m) {
                if (l.memory[m].base == 0 || address - l.memory[m].base >= l.memory[m].before.size())
                    continue;
                Pointing one{fmt::format("arg{}", p), std::nullopt};
                if (param.bytes > 8) one.name += fmt::format("+{}", word - begin);
                if (p < types.size()) one.element = element_of(types[p]);
                if (!one.element && param.bytes == 8 && pointers[p].followed)
                    one.element = pointers[p].element;
                out[m].from.push_back(std::move(one));
            }
        }
    }
    return out;
}

// A name of its own for every allocation: "arg0", "arg1_arg2" where several point into it.
std::string name_of(const Memory& m, const Known& known, std::set<std::string>& used) {
    constexpr size_t kMostNamed = 4;
    std::vector<std::string> names;
    for (const Pointing& p : known.from)
        if (names.size() < kMostNamed && std::find(names.begin(), names.end(), p.name) == names.end())
            names.push_back(p.name);
    std::string name = !m.name.empty() ? m.name : join(names, "_");
    if (name.empty()) name = "memory";
    std::string own = name;
    for (int n = 2; !used.insert(own).second; ++n) own = fmt::format("{}_{}", name, n);
    return own;
}

DType type_of(const Memory& m, const Known& known) {
    const auto told = std::find_if(known.from.begin(), known.from.end(), [](const Pointing& p) {
        return p.element.has_value();
    });
    DType out = told != known.from.end() ? *told->element : type_of_bytes(m);
    if (out == DType::f32 && type_of_bytes(m) != DType::f32) out = DType::u32;  // accesses tell sizes alone
    // Elements lie at multiples of their size, wherever the allocation begins.
    return m.base % size_of(out) == 0 && m.before.size() % size_of(out) == 0 ? out : DType::u8;
}

manifest::BoundArgument array_of(const Memory& m, std::string name, DType type) {
    manifest::BoundArgument a;
    a.name = std::move(name), a.array = true, a.filled = true, a.base = m.base;
    a.data = {a.name, type, {static_cast<int64_t>(m.before.size() / size_of(type))}, m.before};
    return a;
}

// The size of the largest element that the launch made: what else lies in the allocation may be anything.
double largest_change(const Tensor& before, const Tensor& left) {
    double out = 0;
    for (int64_t i = 0; i < elements(left.shape); ++i) {
        const double value = std::fabs(at(left, i));
        if (std::isfinite(value) && value > out && value != std::fabs(at(before, i))) out = value;
    }
    return out;
}

// What the launch changed is compared; what it is known to have left alone is an input.
void add_output(manifest::Problem& problem, manifest::BoundArgument& a, const Memory& m) {
    if (m.after != launches::After::changed) return;
    a.output = true;
    Tensor left = a.data;
    left.bytes = m.left;
    manifest::OutputRule rule;
    rule.of = a.name, rule.partial = true;
    if (is_float(a.data.dtype)) {
        rule.rtol = allowed_difference(a.data.dtype);
        rule.tolerance = *rule.rtol * largest_change(a.data, left);
    }
    problem.kernel.outputs[a.name] = rule;
    problem.recorded.push_back(std::move(left));
}

const ptx::Variable* variable_of(const ptx::Module& module, const std::string& name) {
    for (const ptx::Variable& v : module.variables)
        if (v.name == name) return &v;
    return nullptr;
}

std::string story_of(const RecordedLaunch& l) {
    std::string out = fmt::format("recorded on {}: launch {} of {}", l.device, l.of_entry, demangle(l.entry));
    if (!l.command.empty()) out += " by " + join(l.command, " ");
    if (!l.fault.empty()) out += "; it ended there with " + l.fault;
    for (const std::string& note : l.notes) out += "; " + note;
    return out;
}

void require_runnable(const RecordedLaunch& l, const ptx::Function* entry, const std::string& path) {
    if (entry == nullptr)
        throw Error(fmt::format("{}: its PTX has no kernel {}; record it again", path, l.entry));
    uint64_t bytes = 0;
    for (const ptx::Variable& p : entry->params) {
        const uint64_t align = std::max<uint32_t>(p.align, 1);
        bytes = (bytes + align - 1) / align * align + p.bytes;
    }
    constexpr uint64_t kMostPadding = 15;  // a struct of the parameters ends at a multiple of its alignment
    if (bytes > l.params.size() || l.params.size() > bytes + kMostPadding)
        throw Error(fmt::format(
            "{}: {} takes {} bytes of parameters, and {} were recorded; record it again",
            path,
            demangle(l.entry),
            bytes,
            l.params.size()
        ));
}

void add_memory(
    manifest::Problem& p, const RecordedLaunch& l, const ptx::Module& module, const ptx::Function& entry
) {
    const std::vector<Known> known = pointing(l, entry);
    std::set<std::string> used;
    for (const ptx::Variable& v : module.variables) used.insert(v.name);
    for (size_t i = 0; i < l.memory.size(); ++i) {
        const Memory& m = l.memory[i];
        const ptx::Variable* variable = m.is_variable ? variable_of(module, m.name) : nullptr;
        if (m.is_variable && (variable == nullptr || variable->bytes != m.before.size())) continue;
        const DType type = type_of(m, known[i]);
        manifest::BoundArgument a = array_of(
            m, m.is_variable ? m.name : name_of(m, known[i], used), m.before.empty() ? DType::u8 : type
        );
        if (variable != nullptr && variable->space == ptx::Space::constant) {
            p.symbols.push_back(std::move(a));
            continue;
        }
        add_output(p, a, m);
        p.args.push_back(std::move(a));
    }
}

}  // namespace

std::vector<ReplayParameter> replay_parameters(const RecordedLaunch& l) {
    const ptx::Module module = ptx::parse(l.ptx);
    const ptx::Function* entry = ptx::find_entry(module, l.entry);
    std::vector<ReplayParameter> out;
    if (entry == nullptr) return out;
    const std::vector<std::string> types = types_in(demangle(l.entry));
    uint64_t at = 0;
    for (size_t p = 0; p < entry->params.size(); ++p) {
        const ptx::Variable& param = entry->params[p];
        const uint64_t align = std::max<uint32_t>(param.align, 1);
        at = (at + align - 1) / align * align;
        if (at + param.bytes > l.params.size()) break;
        const auto begin = l.params.begin() + static_cast<int64_t>(at);
        out.push_back({
            p < types.size() ? types[p] : "", {begin, begin + static_cast<int64_t>(param.bytes)}
        });
        at += param.bytes;
    }
    return out;
}

manifest::Problem replay_problem(const RecordedLaunch& l, const std::string& path) {
    if (l.ptx.empty())
        throw Unsupported(fmt::format(
            "unsupported: {} holds no PTX, which is what WarpLens runs{}",
            path,
            l.notes.empty() ? "" : ": " + l.notes.back()
        ));
    const ptx::Module module = ptx::parse(l.ptx);
    const ptx::Function* entry = ptx::find_entry(module, l.entry);
    require_runnable(l, entry, path);
    manifest::Problem p;
    p.ptx = l.ptx, p.inputs = "recorded";
    p.kernel.name = p.kernel.path = p.kernel.source = manifest::display_path(path);
    p.kernel.entry = l.entry, p.kernel.title = demangle(l.entry), p.kernel.story = story_of(l);
    manifest::BoundLaunch launch;
    launch.name = launch.entry = l.entry, launch.key = "launch";
    launch.grid = l.grid, launch.block = l.block, launch.shared = l.dynamic_shared, launch.stack = l.stack;
    launch.cooperative = l.cooperative, launch.buffer = l.params;
    p.launches.push_back(std::move(launch));
    p.kernel.launches.emplace_back().key = "launch";
    add_memory(p, l, module, *entry);
    if (!p.recorded.empty()) p.kernel.reference = {manifest::ReferenceRule::Kind::recorded, l.device};
    return p;
}

}  // namespace wl::app

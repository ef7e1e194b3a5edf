// A kernel's expressions become numbers, its arguments data, its launch a launch that CUDA would accept.
#include "instrumentation/base/error.h"
#include "instrumentation/base/fault_macro.h"
#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/shape_text.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/binding.h"
#include "instrumentation/manifest/expression.h"
#include "instrumentation/manifest/fill.h"
#include "instrumentation/manifest/padding.h"
#include "instrumentation/manifest/params.h"
#include "instrumentation/manifest/python.h"
#include "instrumentation/manifest/python_server.h"
#include "instrumentation/manifest/texture.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

[[noreturn]] void unknown_word(
    const Kernel& kernel,
    const std::string& what,
    const std::string& word,
    const std::vector<std::string>& known
) {
    const std::string nearest = nearest_word(word, known);
    throw Error(fmt::format(
        "{} has no {} \"{}\"{}",
        kernel.name,
        what,
        word,
        !nearest.empty()    ? "; did you mean \"" + nearest + "\"?"
            : known.empty() ? "; it has none."
                            : "; it has " + join(known, ", ") + "."
    ));
}

// ---- parameters, defines, faults

struct Setting {
    std::string expression, where;
};

// The expression in force for each parameter: the manifest's, the preset's, the faults', the command line's.
std::map<std::string, Setting> settings_of(const Binding& b) {
    std::map<std::string, Setting> settings;
    std::vector<std::string> names, presets;
    for (const auto& [name, value] : b.kernel.params) {
        settings[name] = {value, b.at("params." + name)};
        names.push_back(name);
    }
    for (const auto& [name, preset] : b.kernel.presets) presets.push_back(name);
    if (!b.options.preset.empty()) {
        const auto preset = b.kernel.presets.find(b.options.preset);
        if (preset == b.kernel.presets.end()) unknown_word(b.kernel, "preset", b.options.preset, presets);
        for (const auto& [name, value] : preset->second)
            settings[name] = {value, b.at(fmt::format("presets.{}.{}", preset->first, name))};
    }
    for (const Fault& fault : b.kernel.faults) {
        const std::vector<std::string>& on = b.options.faults;
        if (std::find(on.begin(), on.end(), fault.name) == on.end()) continue;
        for (const auto& [name, value] : fault.set)
            settings[name] = {value, b.at(fmt::format("fault.{}.set.{}", fault.name, name))};
    }
    for (const auto& [name, value] : b.options.set) {
        if (!settings.contains(name)) unknown_word(b.kernel, "parameter", name, names);
        settings[name] = {value, fmt::format("--set {}={}", name, value)};
    }
    return settings;
}

void bind_params(Binding& b, Problem& problem) {
    const std::map<std::string, Setting> settings = settings_of(b);
    for (const auto& [name, value] : b.kernel.params) {
        const Setting& setting = settings.at(name);
        b.variables[name] = evaluate(setting.expression, b.variables, setting.where);
        problem.params.emplace_back(name, b.variables[name]);
    }
}

void bind_defines(const Binding& b, Problem& problem) {
    for (const auto& [name, value] : b.kernel.define) {
        if (value.starts_with(kVerbatim)) {
            problem.defines.emplace_back(name, value.substr(kVerbatim.size()));
            continue;
        }
        const Number n = evaluate_number(value, b.variables, b.at("define." + name));
        std::string text = number_text(n.value);
        if (!n.whole && text.find_first_of(".e") == text.npos) text += ".0";  // 2.0 stays a double in C++
        problem.defines.emplace_back(name, text);
    }
    std::vector<std::string> known;
    for (const Fault& fault : b.kernel.faults) known.push_back(fault.name);
    for (const std::string& fault : b.options.faults) {
        if (std::find(known.begin(), known.end(), fault) == known.end())
            unknown_word(b.kernel, "fault", fault, known);
        if (std::find(problem.faults.begin(), problem.faults.end(), fault) != problem.faults.end()) continue;
        problem.faults.push_back(fault);
        problem.defines.emplace_back(fault_macro(fault), "1");
    }
}

// ---- arguments

void bind_scalar(const Binding& b, const Argument& argument, const std::string& key, Tensor& data) {
    data.bytes.resize(size_of(data.dtype));
    const std::string where = b.at(key + ".value");
    const double value = evaluate(argument.value, b.variables, where);
    from_double(data.dtype, value, data.bytes.data());
    const double kept = at(data, 0);
    if (is_float(data.dtype) ? !std::isfinite(kept) : kept != value)
        throw Error(fmt::format(
            "{} is {}, which the argument \"{}\" of type {} cannot hold.",
            where,
            number_text(value),
            data.name,
            name_of(data.dtype)
        ));
}

void allocate(Binding& b, const Argument& argument, const std::string& key, Tensor& data) {
    uint64_t bytes = size_of(data.dtype);
    bool overflow = false;
    for (size_t i = 0; i < argument.shape.size(); ++i) {
        const std::string where = b.at(fmt::format("{}.shape[{}]", key, i));
        data.shape.push_back(evaluate_whole(argument.shape[i], b.variables, where, 1));
        overflow |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(data.shape.back()), &bytes);
    }
    overflow |= __builtin_add_overflow(b.bytes, bytes, &b.bytes);
    constexpr uint64_t kSmall = uint64_t{16} << 20;  // not worth asking how much there is
    const uint64_t memory = overflow || b.bytes > kSmall ? memory_limit() : kSmall;
    if (overflow || b.bytes > memory)
        throw Error(fmt::format(
            "{}: with the shape {} the arrays do not fit into this machine's {} of memory.",
            b.at(key + ".shape"),
            shape_text(data.shape),
            memory_text(memory)
        ));
    data.bytes.resize(bytes);
}

// Integers of 16 bits and more are taken for indices and counts, which noise would only send out of bounds.
bool is_data(DType t) { return is_float(t) || size_of(t) == 1; }

void fill_by(const Binding& b, const Fill& fill, const std::string& where, Tensor& data) {
    if (fill.kind == Fill::Kind::file) {
        const auto folder = std::filesystem::path(b.kernel.path).parent_path(), path = folder / fill.file;
        if (!std::filesystem::exists(path))
            throw Error(fmt::format(
                "{}: there is no file {} in {}; a fill's file lies beside the manifest, or has its path from "
                "there.",
                where,
                fill.file,
                folder.empty() ? "this folder" : folder.string()
            ));
        return convert(read_npy(path.string()), data, where);
    }
    std::vector<double> parameters;
    for (const std::string& expression : fill.parameters)
        parameters.push_back(evaluate(expression, b.variables, where));
    if (fill.kind == Fill::Kind::uniform && parameters[0] > parameters[1])
        throw Error(fmt::format(
            "{}: uniform({}, {}) has its lower limit above its upper.", where, parameters[0], parameters[1]
        ));
    fill_tensor(data, fill, parameters, b.options.seed);
}

void fill_array(const Binding& b, const Argument& argument, const std::string& key, Tensor& data) {
    if (const Tensor* array = find_array(b.inputs, data.name); array && !argument.fill.empty())
        return convert(*array, data, "--inputs " + b.inputs.file);
    if (argument.fill.empty()) return poison(data);
    if (!b.inputs.file.empty() && !argument.output) {
        std::vector<std::string> names;
        for (const Tensor& array : b.inputs.arrays) names.push_back(array.name);
        throw Error(fmt::format(
            "--inputs {} has no array for the argument \"{}\"; it holds {}.",
            b.inputs.file,
            data.name,
            join(names, ", ")
        ));
    }
    if (b.inputs.fill && !argument.output && is_data(data.dtype))
        return fill_by(b, *b.inputs.fill, "--inputs", data);
    const std::string where = b.at(key + ".fill");
    fill_by(b, parse_fill(argument.fill, where), where, data);
}

// ---- rules: evaluated once, so that a misspelt name is known before the run

Variables with_position(Variables variables, Dim3 block, int warp, int iteration) {
    variables["block.x"] = block.x;
    variables["block.y"] = block.y;
    variables["block.z"] = block.z;
    variables["warp"] = warp;
    variables["iteration"] = iteration;
    return variables;
}

Variables with_lane(Variables variables, int lane, int element) {
    variables["lane"] = lane;
    variables["element"] = element;
    return variables;
}

// A mark may stand in any launch: its window knows the turns of all.
Variables with_turns(Variables variables, const Problem& problem, size_t launch) {
    for (const BoundLaunch& other : problem.launches)
        for (const auto& [turn, value] : other.turns) variables.emplace(turn, 0);
    for (const auto& [turn, value] : problem.launches[launch].turns) variables[turn] = value;
    return variables;
}

void check_terms(const Binding& b, const std::map<std::string, OutputRule>& rules, const std::string& key) {
    for (const auto& [name, rule] : rules)
        if (!rule.terms.empty()) evaluate(rule.terms, b.variables, b.at(key + name + ".terms"));
}

void check_rules(const Binding& b, const Problem& problem) {
    check_terms(b, b.kernel.outputs, "output.");
    for (const BoundLaunch& launch : problem.launches)
        check_terms(b, launch.outputs, launch.key + ".output.");
    const Variables variables = with_position(with_turns(b.variables, problem, problem.at), {0, 0, 0}, 0, 0);
    for (const auto& [name, rule] : b.kernel.tiles) {
        for (size_t i = 0; i < rule.at.size(); ++i)
            evaluate(rule.at[i], variables, b.at(fmt::format("tile.{}.at[{}]", name, i)));
        if (!rule.terms.empty()) evaluate(rule.terms, variables, b.at("tile." + name + ".terms"));
        if (rule.row.empty()) continue;
        const Variables lane = with_lane(b.variables, 0, 0);
        evaluate(rule.row, lane, b.at("tile." + name + ".row"));
        evaluate(rule.col, lane, b.at("tile." + name + ".col"));
    }
}

}  // namespace

BoundArgument bind_argument(
    Binding& b, const Argument& argument, const std::string& owner, const std::string& key
) {
    BoundArgument bound;
    bound.name = argument.name;
    for (size_t i = 0; i < argument.fields.size(); ++i)
        bound.fields.push_back(bind_argument(
            b, argument.fields[i], owner + argument.name + ".", fmt::format("{}.fields[{}]", key, i)
        ));
    bound.align = argument.align;
    bound.data.name = owner + argument.name;
    if (is_view(argument)) {
        bind_view(b, argument, key, bound);
        return bound;
    }
    if (!argument.pointers.empty() || !argument.rows_of.empty()) {
        bind_pointers(argument, bound);
        return bound;
    }

    if (!argument.fields.empty()) return bound;
    bound.data.dtype = argument.dtype;
    bound.array = !argument.shape.empty();
    bound.output = argument.output;
    bound.filled = !argument.fill.empty();
    if (bound.array) {
        allocate(b, argument, key, bound.data);
        bound.texture = argument.texture;
        if (bound.texture) bind_texture(b.variables, bound.data, b.at(key + ".shape"), *bound.texture);
        fill_array(b, argument, key, bound.data);
    } else {
        bind_scalar(b, argument, key, bound.data);
    }
    return bound;
}

Problem bind(const Kernel& kernel, const BindOptions& options) {
    Binding b{kernel, options, open_inputs(options.inputs), {}, {}};
    Problem problem;
    problem.kernel = kernel;
    problem.seed = options.seed;
    problem.inputs = options.inputs;
    problem.python = options.python ? options.python : std::make_shared<PythonServer>();
    bind_params(b, problem);
    bind_defines(b, problem);
    bind_launches(b, problem);
    check_rules(b, problem);
    for (size_t i = 0; i < kernel.args.size(); ++i)
        problem.args.push_back(bind_argument(b, kernel.args[i], "", fmt::format("args[{}]", i)));
    for (const Argument& symbol : kernel.symbols)
        problem.symbols.push_back(bind_argument(b, symbol, "", "symbol." + symbol.name));
    bind_names(b, problem);
    if (b.inputs.nan_padding) put_nan_in_padding(problem);
    return problem;
}

std::vector<int64_t> window_origin(
    const Problem& problem, const TileRule& rule, Dim3 block, int warp, int iteration
) {
    const Variables params = with_turns({problem.params.begin(), problem.params.end()}, problem, problem.at);
    const Variables variables = with_position(params, block, warp, iteration);
    std::vector<int64_t> origin;
    for (const std::string& expression : rule.at) {
        const std::string where = problem.kernel.path + ": \"at\" of the tile of " + rule.of;
        origin.push_back(evaluate_whole(expression, variables, where, INT64_MIN));
    }
    return origin;
}

std::vector<LanePlace> lane_places(const Problem& problem, const TileRule& rule, int lanes, int elements) {
    Variables variables = with_lane({problem.params.begin(), problem.params.end()}, 0, 0);
    const std::string where = problem.kernel.path + ": the tile of " + rule.of;
    std::vector<LanePlace> places;
    const auto coordinate = [&](const std::string& expression, const char* key) {
        const int64_t at = evaluate_whole(expression, variables, where + key, 0);
        constexpr int64_t kMost = 4096;  // far more than 32 lanes of 255 registers can spread over
        if (at > kMost) throw Error(fmt::format("{}{} gives {}, the limit is {}.", where, key, at, kMost));
        return static_cast<int>(at);
    };
    for (int lane = 0; lane < lanes; ++lane) {
        for (int element = 0; element < elements; ++element) {
            variables["lane"] = lane, variables["element"] = element;
            places.push_back({coordinate(rule.row, ".row"), coordinate(rule.col, ".col")});
        }
    }
    return places;
}

}  // namespace wl::manifest

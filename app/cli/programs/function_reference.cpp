// A function of NumPy as the reference of a launch: it gets the kernel's parameters in their order, arrays in
// FP64 and as they were before the launch, and returns what the launch should leave, or changes them.
#include "app/cli/programs/reference.h"
#include "app/cli/record/replay.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/manifest/python.h"
#include "instrumentation/manifest/python_server.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::app {
namespace {

using launches::Memory;
using launches::RecordedLaunch;
using nlohmann::json;

// What calls the function; before it stand SCRIPT, FUNCTION, PARAMETERS and OUTPUTS.
constexpr const char* kCaller = R"py(
import os
import runpy
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(SCRIPT))


def returned(made, given):
    if made is None:
        return {k: given[k] for k in OUTPUTS}
    if isinstance(made, dict):
        return {int(str(k).removeprefix("arg")): value for k, value in made.items()}
    made = made if isinstance(made, (tuple, list)) else (made,)
    if len(made) != len(OUTPUTS):
        names = ", ".join(f"arg{k}" for k in OUTPUTS)
        raise ValueError(f"{FUNCTION} returned {len(made)} arrays; the launch changed what {len(OUTPUTS)} parameters "
                         f"point to: {names}")
    return dict(zip(OUTPUTS, made))


def reference(inputs, params):
    function = runpy.run_path(SCRIPT).get(FUNCTION)
    if function is None:
        raise NameError(f"{SCRIPT} has no function {FUNCTION}")
    given = [p if not isinstance(p, list) else inputs[p[0]].reshape(-1)[p[1]:].copy() for p in PARAMETERS]
    left = {}
    for k, value in returned(function(*given), given).items():
        if not isinstance(PARAMETERS[k], list):
            raise ValueError(f"{FUNCTION} returned something for parameter {k}, which points to no memory")
        name, begin = PARAMETERS[k]
        value = np.asarray(value).reshape(-1)
        whole = left.setdefault(name, inputs[name].reshape(-1).copy())
        if value.size > whole.size - begin:
            raise ValueError(f"{FUNCTION} returned {value.size} elements for arg{k}, and {whole.size - begin} are there")
        whole[begin:begin + value.size] = value
    return left
)py";

struct Place {
    const manifest::BoundArgument* array = nullptr;
    int64_t element = 0;
};

Place place_of(const manifest::Problem& problem, const std::vector<std::byte>& bytes) {
    uint64_t address = 0;
    std::memcpy(&address, bytes.data(), std::min(sizeof address, bytes.size()));
    for (const manifest::BoundArgument& a : problem.args)
        if (bytes.size() == sizeof address && a.array && address >= a.base &&
            address - a.base < a.data.bytes.size())
            return {&a, static_cast<int64_t>((address - a.base) / size_of(a.data.dtype))};
    return {};
}

json number_of(const ReplayParameter& p) {
    const std::optional<NamedType> named = type_from_name(p.type);
    const DType whole = p.bytes.size() == 8 ? DType::s64 : p.bytes.size() == 4 ? DType::s32 : DType::u8;
    const DType type = named && size_of(named->dtype) == p.bytes.size() ? named->dtype : whole;
    if (size_of(type) != p.bytes.size()) return nullptr;  // a struct
    const double value = to_double(type, p.bytes.data());
    if (is_float(type)) return value;
    return static_cast<int64_t>(value);
}

// Python's text of both: null and true are not among what is written.
std::string in_python(const json& j) {
    std::string text = json_text(j, -1);
    for (size_t at = text.find("null"); at != std::string::npos; at = text.find("null", at))
        text.replace(at, 4, "None");
    return text;
}

std::string caller_of(
    const ReferenceSource& source, const RecordedLaunch& launch, const manifest::Problem& problem
) {
    json parameters = json::array(), outputs = json::array();
    for (const ReplayParameter& p : replay_parameters(launch)) {
        const Place place = place_of(problem, p.bytes);
        if (place.array != nullptr && place.array->output) outputs.push_back(parameters.size());
        parameters.push_back(place.array == nullptr ? number_of(p) : json{place.array->name, place.element});
    }
    const std::string script = std::filesystem::absolute(source.path).lexically_normal().string();
    return fmt::format(
               "SCRIPT = {}\nFUNCTION = {}\nPARAMETERS = {}\nOUTPUTS = {}\n",
               json_text(json(script), -1),
               json_text(json(source.function), -1),
               in_python(parameters),
               in_python(outputs)
           ) +
        kCaller;
}

// The tensor in the array's own elements, rounded.
std::vector<std::byte> bytes_of(const Tensor& made, DType type) {
    std::vector<std::byte> out(static_cast<size_t>(elements(made.shape)) * size_of(type));
    for (int64_t i = 0; i < elements(made.shape); ++i)
        from_double(type, at(made, i), out.data() + static_cast<size_t>(i) * size_of(type));
    return out;
}

}  // namespace

RecordedLaunch returned_by_function(const ReferenceSource& source, const RecordedLaunch& launch) {
    const Scratch scratch;
    manifest::Problem problem = replay_problem(launch, "launch");
    problem.python = std::make_shared<manifest::PythonServer>();
    const std::string caller = scratch.path + "/reference.py";
    std::ofstream(caller) << caller_of(source, launch, problem);
    const std::string beside = std::filesystem::absolute(source.path).parent_path().string();
    const manifest::PythonReference made =
        manifest::run_python_reference(problem, caller, {.block = {}, .read = {beside}});
    if (!made.problem.empty()) throw Error(source.path + ": " + made.problem);
    RecordedLaunch out = launch;
    for (Memory& m : out.memory) {
        if (m.after == launches::After::changed) m.after = launches::After::unknown, m.left.clear();
        for (const manifest::BoundArgument& a : problem.args)
            for (const Tensor& t : made.tensors)
                if (a.base == m.base && a.name == t.name) launches::set_left(m, bytes_of(t, a.data.dtype));
    }
    return out;
}

}  // namespace wl::app

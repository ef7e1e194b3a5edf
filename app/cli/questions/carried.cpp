// The manifest is bound as any other, but for what it would open.
#include "app/cli/questions/carried.h"

#include "app/session/edit/made_of.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/fill.h"
#include "instrumentation/manifest/inputs.h"
#include "instrumentation/manifest/load_text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

namespace wl::app {

namespace {

using manifest::BoundArgument;
using manifest::Problem;

constexpr std::string_view kInput = "input ";  // before the name of an array, in that of its tile

bool is_of_file(const manifest::Argument& a) {
    return !a.fill.empty() && manifest::parse_fill(a.fill, a.name).kind == manifest::Fill::Kind::file;
}

// Fills by files give way to zeros: their contents come from the capture. Appends the names of these arrays.
void close_files(
    std::vector<manifest::Argument>& args, const std::string& owner, std::vector<std::string>& closed
) {
    for (manifest::Argument& a : args) {
        close_files(a.fields, owner + a.name + ".", closed);
        if (!is_of_file(a)) continue;
        a.fill = "zeros";
        closed.push_back(owner + a.name);
    }
}

BoundArgument* find_array(std::vector<BoundArgument>& args, const std::string& name) {
    for (BoundArgument& a : args) {
        if (a.array && a.data.name == name) return &a;
        if (BoundArgument* found = find_array(a.fields, name)) return found;
    }
    return nullptr;
}

// Entries as they are called in the PTX, which an instance of a template is not in a manifest.
void name_entries(Problem& problem, const capture::Capture& c, const std::string& path) {
    const size_t all = problem.launches.size();
    if (all != std::max<size_t>(c.launches.size(), 1))
        throw Error(fmt::format(
            "{} lists {} launches, and its manifest has {}; record it again", path, c.launches.size(), all
        ));
    for (size_t i = 0; i < all; ++i)
        problem.launches[i].entry = c.launches.empty() ? c.launch.entry : c.launches[i].entry;
}

// What the capture holds of the reference: that of its outputs.
std::vector<Tensor> reference_of(const Problem& problem, const capture::Capture& c) {
    std::vector<Tensor> out;
    for (const capture::Output& o : c.outputs) {
        if (o.tile < 0) continue;
        const capture::Tile& tile = c.tiles[static_cast<size_t>(o.tile)];
        if (tile.reference == capture::kNoBlob) continue;
        const auto rule = problem.kernel.outputs.find(o.name);
        const bool renamed = rule != problem.kernel.outputs.end() && !rule->second.of.empty();
        const std::vector<std::byte>& bytes = capture::content_of(c.blobs, tile.reference);
        if (bytes.size() != static_cast<size_t>(elements(o.shape)) * sizeof(double)) continue;
        out.push_back({renamed ? rule->second.of : o.name, DType::f64, o.shape, bytes});
    }
    return out;
}

void take_reference(Problem& problem, const capture::Capture& c) {
    using Kind = manifest::ReferenceRule::Kind;
    manifest::ReferenceRule& rule = problem.kernel.reference;
    if (rule.kind == Kind::none || rule.kind == Kind::builtin) return;
    problem.recorded = reference_of(problem, c);
    rule.kind = problem.recorded.empty() ? Kind::none : Kind::recorded;
}

// Adds an array as a tile of the whole launch, in rows of its last extent.
void add_input(const Tensor& data, capture::Capture& c) {
    const int64_t all = elements(data.shape), cols = data.shape.empty() ? 1 : data.shape.back();
    const int64_t rows = cols > 0 ? all / cols : 0, most = std::numeric_limits<int>::max();
    if (all == 0 || rows > most || cols > most) return;
    capture::Probe probe;
    probe.name = std::string(kInput) + data.name, probe.kind = capture::ProbeKind::output;
    probe.dtype = data.dtype, probe.memory = "global";
    probe.rows = static_cast<int>(rows), probe.cols = static_cast<int>(cols);
    if (!c.probes.empty()) probe.step = c.probes.back().step + 1;
    capture::Tile tile;
    tile.probe = static_cast<int>(c.probes.size()), tile.block = capture::kWholeLaunch;
    tile.rows = probe.rows, tile.cols = tile.ld = probe.cols;
    tile.values = capture::add_blob(c.blobs, std::vector(data.bytes));
    c.probes.push_back(std::move(probe));
    c.tiles.push_back(tile);
}

// Which arrays no fill and seed give again: of files, and all where the reference said what it does not read.
void add_inputs(
    const std::vector<manifest::Argument>& rules,
    const std::vector<BoundArgument>& args,
    bool all,
    capture::Capture& c
) {
    for (size_t i = 0; i < std::min(rules.size(), args.size()); ++i) {
        add_inputs(rules[i].fields, args[i].fields, all, c);
        const bool given = args[i].array && args[i].filled && args[i].pointers.empty();
        if (given && (all || is_of_file(rules[i]))) add_input(args[i].data, c);
    }
}

std::string array_of(const capture::Capture& c, const capture::Tile& t) {
    const std::string& name = c.probes[static_cast<size_t>(t.probe)].name;
    const bool is_input = t.block == capture::kWholeLaunch && name.starts_with(kInput);
    return is_input ? name.substr(kInput.size()) : "";
}

}  // namespace

void carry(const Problem& problem, capture::Capture& c) {
    const std::string& path = problem.kernel.path;
    try {
        const std::string text = read_text_file(path);
        if (launches::is_launch_file(path))
            c.sources.push_back({problem.kernel.name, sha256_hex(text)});
        else
            c.sources.push_back({problem.kernel.name + ".toml", text});
    } catch (const Error&) { return; }  // gone meanwhile: the capture is one of those that are not repeated
    const std::vector<std::string> fills = manifest::plain_fills();
    const bool all = !problem.inputs.empty() && !manifest::is_recorded(problem) &&
        std::find(fills.begin(), fills.end(), problem.inputs) == fills.end();
    add_inputs(problem.kernel.args, problem.args, all, c);
    add_inputs(problem.kernel.symbols, problem.symbols, all, c);
}

bool carries_inputs(const capture::Capture& c) {
    return std::any_of(c.tiles.begin(), c.tiles.end(), [&](const capture::Tile& t) {
        return !array_of(c, t).empty() && t.values != capture::kNoBlob;
    });
}

std::string carried_fill(const capture::Capture& c, const std::string& path) {
    const std::vector<std::string> fills = manifest::plain_fills();
    if (c.launch.inputs == "manifest") return {};
    if (std::find(fills.begin(), fills.end(), c.launch.inputs) != fills.end()) return c.launch.inputs;
    if (carries_inputs(c)) return {};
    throw Error(
        fmt::format("{} does not carry its inputs, which were {}; record it again", path, c.launch.inputs)
    );
}

void take_inputs(Problem& problem, const capture::Capture& c, const std::string& path) {
    for (const capture::Tile& tile : c.tiles) {
        const std::string name = array_of(c, tile);
        if (name.empty() || tile.values == capture::kNoBlob) continue;
        BoundArgument* array = find_array(problem.args, name);
        if (array == nullptr) array = find_array(problem.symbols, name);
        if (array == nullptr) throw Error(fmt::format("{}: its kernel has no array {}", path, name));
        const std::vector<std::byte>& bytes = capture::content_of(c.blobs, tile.values);
        if (bytes.size() != array->data.bytes.size())
            throw Error(fmt::format(
                "{}: the array {} has {} bytes there, and {} here",
                path,
                name,
                bytes.size(),
                array->data.bytes.size()
            ));
        array->data.bytes = bytes;
    }
}

namespace {

// Zeros that stand for a file are no inputs.
void require_inputs(
    const capture::Capture& c, const std::vector<std::string>& wanted, const std::string& path
) {
    for (const std::string& name : wanted) {
        const bool there = std::any_of(c.tiles.begin(), c.tiles.end(), [&](const capture::Tile& t) {
            return array_of(c, t) == name && t.values != capture::kNoBlob;
        });
        if (!there) throw Error(fmt::format("{} does not carry its input {}; record it again", path, name));
    }
}

}  // namespace

Problem carried_problem(const capture::Capture& c, const KernelOptions& o, const std::string& path) {
    const std::string name = std::filesystem::path(c.launch.kernel).filename().string();
    manifest::Kernel kernel = manifest::load_text(carried_manifest(c), name + ".toml");
    std::vector<std::string> closed;
    close_files(kernel.args, "", closed);
    close_files(kernel.symbols, "", closed);
    require_inputs(c, closed, path);
    manifest::BindOptions b;
    b.faults = o.faults, b.inputs = carried_fill(c, path), b.seed = o.seed, b.launch = o.launch;
    for (const std::string& s : o.set) b.set.push_back(setting(s));
    const manifest::ReferenceRule reference =
        std::exchange(kernel.reference, {});  // nothing asks it meanwhile
    Problem problem = manifest::bind(kernel, b);
    take_inputs(problem, c, path);
    problem.kernel.reference = reference;
    problem.inputs = c.launch.inputs == "manifest" ? "" : c.launch.inputs;
    problem.ptx = c.ptx;
    name_entries(problem, c, path);
    take_reference(problem, c);
    return problem;
}

}  // namespace wl::app

// The dynamic slice of the first wrong element, beside that of a right one of its block.
#include "instrumentation/diagnosis/search/suspicion.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/execution/reach.h"
#include "instrumentation/travel/instant.h"
#include "instrumentation/travel/slice.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kLongest = 400'000;  // warp instructions of a block that is followed, as budget

// An element of an output, or (output < 0) of the first bad tile.
struct Place {
    int output = -1;      // index in Capture::outputs
    int64_t element = 0;  // of the output
    int row = 0, col = 0;
};
struct Wrong {
    int64_t block = 0;
    Place place;
    std::optional<Place> right;  // of the same block, the nearest
};

// The nearest on either side, in the order of memory.
std::optional<int64_t> nearest(
    int64_t from, int64_t count, const std::function<bool(int64_t element)>& is_wanted
) {
    for (int64_t step = 1; step < count; ++step)
        for (const int64_t at : {from + step, from - step})
            if (at >= 0 && at < count && is_wanted(at)) return at;
    return std::nullopt;
}

std::optional<Wrong> first_wrong_of(const Symptoms& s, const capture::Tile& tile) {
    if (tile.first_bad_row < 0) return std::nullopt;
    Wrong out{
        tile.block, {-1,                  0, tile.first_bad_row, tile.first_bad_col},
         {         }
    };
    const analysis::TileData data = analysis::load_tile(s.capture, tile);
    if (data.reference.data.empty() || data.bound.data.empty()) return out;
    const auto is_right = [&](int64_t element) {
        const auto k = static_cast<size_t>(element);
        const double reference = data.reference.data[k];
        return std::isfinite(reference) && !analysis::is_bad(data.got.data[k], reference, data.bound.data[k]);
    };
    const int64_t first = int64_t{tile.first_bad_row} * data.cols + tile.first_bad_col;
    if (const auto right = nearest(first, int64_t{data.rows} * data.cols, is_right))
        out.right = {-1, 0, static_cast<int>(*right / data.cols), static_cast<int>(*right % data.cols)};
    return out;
}

std::optional<Wrong> first_wrong_of(const Symptoms& s, int output) {
    const capture::Output& o = s.capture.outputs[static_cast<size_t>(output)];
    const std::vector<uint8_t> flags = wrong_elements(s.capture, o);
    const auto writers = flags.empty() ? std::nullopt : writers_of(s, o);
    if (!writers) return std::nullopt;
    const size_t count = std::min(flags.size(), writers->size());
    for (size_t i = 0; i < count; ++i) {
        const int64_t block = (*writers)[i].block;
        if (flags[i] == 0 || block < 0) continue;
        Wrong out{
            block, {output,         static_cast<int64_t>(i)},
             {              }
        };
        const auto is_right = [&](int64_t element) {
            const auto k = static_cast<size_t>(element);
            return flags[k] == 0 && (*writers)[k].block == block;
        };
        if (const auto right = nearest(out.place.element, static_cast<int64_t>(count), is_right))
            out.right = {output, *right};
        return out;
    }
    return std::nullopt;
}

bool is_in_tile(const Symptoms& s) {
    return s.first_bad >= 0 &&
        s.capture.tiles[static_cast<size_t>(s.first_bad)].block != capture::kWholeLaunch;
}

std::optional<Wrong> first_wrong(const Symptoms& s) {
    if (is_in_tile(s)) return first_wrong_of(s, s.capture.tiles[static_cast<size_t>(s.first_bad)]);
    for (size_t k = 0; k < s.capture.outputs.size(); ++k) {
        if (s.capture.outputs[k].verdict != capture::Verdict::bad) continue;
        if (const auto found = first_wrong_of(s, static_cast<int>(k))) return found;
    }
    return std::nullopt;
}

std::optional<travel::Element> element_of(
    const Symptoms& s, const Place& place, travel::Route& route, const std::vector<travel::Taken>& taken
) {
    travel::Element e;
    if (place.output >= 0) {
        const capture::Output& o = s.capture.outputs[static_cast<size_t>(place.output)];
        const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(o.tile)];
        const auto argument = emulator::allocation_named(*route.traveller, o.name);
        if (!argument) return std::nullopt;
        e.bytes = static_cast<uint32_t>(size_of(s.capture.probes[static_cast<size_t>(tile.probe)].dtype));
        e.address = argument->first + static_cast<uint64_t>(place.element) * e.bytes;
        return e;
    }
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const std::string& name = s.capture.probes[static_cast<size_t>(tile.probe)].name;
    const auto found = std::find_if(taken.begin(), taken.end(), [&](const travel::Taken& t) {
        return t.name == name && t.tile.iteration == tile.iteration && t.tile.warp == tile.warp;
    });
    if (found == taken.end()) return std::nullopt;
    e.tile = static_cast<int>(found - taken.begin()), e.row = place.row, e.col = place.col;
    return e;
}

// The line of a location, and those that it is inlined at.
void add_line(const ptx::Module& module, int32_t at, int suspicion_rank, std::vector<Suspect>& out) {
    for (int32_t l = at; l >= 0;) {
        const ptx::Location& location = module.locations[static_cast<size_t>(l)];
        l = location.inlined_at;
        const std::string& file = module.files[static_cast<size_t>(location.file)];
        if (location.line == 0 || is_toolkit_header(file)) continue;
        const auto known = std::find_if(out.begin(), out.end(), [&](const Suspect& o) {
            return o.line == location.line && o.file == file;
        });
        if (known == out.end())
            out.push_back({file, location.line, suspicion_rank});
        else
            known->suspicion_rank = std::min(known->suspicion_rank, suspicion_rank);
    }
}

// What an element came through (rank 0), and what decided where and whether (rank 1).
std::vector<Suspect> lines_behind(
    const Symptoms& s,
    const Experiment& build,
    travel::Route& route,
    const std::vector<travel::Taken>& taken,
    const Place& place
) {
    std::vector<Suspect> out;
    const auto element = element_of(s, place, route, taken);
    if (!element) return out;
    travel::SliceOptions options;
    options.from = *element, options.deciders = options.deep = options.kept = true;
    const travel::Slice slice = travel::slice(route, taken, options);
    const auto add = [&](uint32_t site, int suspicion_rank) {
        const ptx::Instruction* const i = route.instructions[site];
        if (i != nullptr) add_line(build.module, i->location, suspicion_rank, out);
    };
    for (const travel::SliceStep& step : slice.steps) add(step.site, 0);
    for (const travel::Decider& d : slice.deciders) add(d.step.site, 1);
    return out;
}

// What the wrong element alone came through comes before what made a right one as well. Where that is
// nothing, both tell the same.
void set_apart(std::vector<Suspect>& wrong, const std::vector<Suspect>& right) {
    const auto is_shared = [&](const Suspect& line) {
        return std::any_of(right.begin(), right.end(), [&](const Suspect& o) {
            return o.line == line.line && o.file == line.file;
        });
    };
    if (std::all_of(wrong.begin(), wrong.end(), is_shared)) return;
    for (Suspect& line : wrong) line.suspicion_rank = is_shared(line) ? line.suspicion_rank + 1 : 0;
}

}  // namespace

std::vector<Suspect> suspects_of(const Symptoms& s) {
    std::vector<capture::Where> places;
    const auto add = [&](const capture::Finding& f) { places.push_back(f.where), places.push_back(f.other); };
    const bool in_tile = is_in_tile(s);
    capture::Finding found;
    if (in_tile) {
        place_tile(s, found);
        add(found);
    }
    for (const capture::Output& o : s.capture.outputs) {
        if (in_tile || o.verdict != capture::Verdict::bad) continue;
        found = {};
        place_output(s, o, found);
        add(found);
    }
    for (const execution::Incident& i : s.incidents) {
        if (i.kind == execution::Incident::Kind::uniform_reduction) continue;
        places.push_back(where_of_access(s, i.first)), places.push_back(where_of_access(s, i.second));
    }
    std::vector<Suspect> out;
    for (const capture::Where& w : places)
        if (w.line > 0) out.push_back({w.file, w.line});
    return out;
}

std::vector<Suspect> lines_of_kernel(const Experiment& build) {
    constexpr int kFar = 3;
    const ptx::Function& entry = entry_of(build.module, build.entry);
    const auto index = static_cast<int>(&entry - build.module.functions.data());
    std::vector<Suspect> out;
    for (const int f : execution::reachable_functions(build.module, index))
        for (const ptx::Instruction& i : build.module.functions[static_cast<size_t>(f)].code)
            add_line(build.module, i.location, kFar, out);
    return out;
}

std::vector<Suspect> lines_of_wrong(const Symptoms& s, const Experiment& build) {
    const std::optional<Wrong> wrong = first_wrong(s);
    if (!wrong || s.budget > kLongest || is_cut_short(s)) return {};
    try {
        Prepared prepared = prepare(build);
        emulator::ReplaySpec journey{
            emulator::lower(build.module, build.entry), prepared.launch, std::move(prepared.memory)};
        journey.block = wrong->block;
        travel::Route route = travel::make_route(build.module, std::move(journey));
        const std::vector<travel::Taken> taken = travel::take_tiles(route);  // runs it: its trace is followed
        const auto lines = [&](const Place& place) { return lines_behind(s, build, route, taken, place); };
        std::vector<Suspect> out = lines(wrong->place);
        if (wrong->right && !out.empty()) set_apart(out, lines(*wrong->right));
        return out;
    } catch (const Error&) {  // an instruction that the slice does not know: the other suspects are left
        return {};
    } catch (const Unsupported&) { return {}; }
}

}  // namespace wl::diagnosis

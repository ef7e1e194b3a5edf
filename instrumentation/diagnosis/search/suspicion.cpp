// The dynamic slice of the first wrong element.
#include "instrumentation/diagnosis/search/suspicion.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/travel/slice.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kLongest = 400'000;  // warp instructions of a block that is followed, as budget

// An element of an output, or (output < 0) of the first bad tile.
struct Wrong {
    int output = -1;  // index in Capture::outputs
    int64_t block = 0;
    int64_t element = 0;  // of the output
    int row = 0, col = 0;
};

std::optional<Wrong> first_wrong(const Symptoms& s) {
    const bool in_tile =
        s.first_bad >= 0 && s.capture.tiles[static_cast<size_t>(s.first_bad)].block != capture::kWholeLaunch;
    if (in_tile) {
        const capture::Tile& t = s.capture.tiles[static_cast<size_t>(s.first_bad)];
        if (t.first_bad_row < 0) return std::nullopt;
        return Wrong{-1, t.block, 0, t.first_bad_row, t.first_bad_col};
    }
    for (size_t k = 0; k < s.capture.outputs.size(); ++k) {
        const capture::Output& o = s.capture.outputs[k];
        if (o.verdict != capture::Verdict::bad) continue;
        const std::vector<uint8_t> flags = wrong_elements(s.capture, o);
        const auto writers = flags.empty() ? std::nullopt : writers_of(s, o);
        for (size_t i = 0; writers && i < std::min(flags.size(), writers->size()); ++i)
            if (flags[i] != 0 && (*writers)[i].block >= 0)
                return Wrong{static_cast<int>(k), (*writers)[i].block, static_cast<int64_t>(i)};
    }
    return std::nullopt;
}

std::optional<travel::Element> element_of(
    const Symptoms& s, const Wrong& wrong, travel::Route& route, const std::vector<travel::Taken>& taken
) {
    travel::Element e;
    if (wrong.output >= 0) {
        const capture::Output& o = s.capture.outputs[static_cast<size_t>(wrong.output)];
        const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(o.tile)];
        const auto argument = emulator::allocation_named(*route.traveller, o.name);
        if (!argument) return std::nullopt;
        e.bytes = static_cast<uint32_t>(size_of(s.capture.probes[static_cast<size_t>(tile.probe)].dtype));
        e.address = argument->first + static_cast<uint64_t>(wrong.element) * e.bytes;
        return e;
    }
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const std::string& name = s.capture.probes[static_cast<size_t>(tile.probe)].name;
    const auto found = std::find_if(taken.begin(), taken.end(), [&](const travel::Taken& t) {
        return t.name == name && t.tile.iteration == tile.iteration && t.tile.warp == tile.warp;
    });
    if (found == taken.end()) return std::nullopt;
    e.tile = static_cast<int>(found - taken.begin()), e.row = wrong.row, e.col = wrong.col;
    return e;
}

void add_line(
    const Experiment& build, const travel::Route& route, uint32_t site, int far, std::vector<Suspect>& out
) {
    const ptx::Instruction* const i = route.instructions[site];
    if (i == nullptr) return;
    for (int32_t l = i->location; l >= 0;) {
        const ptx::Location& location = build.module.locations[static_cast<size_t>(l)];
        l = location.inlined_at;
        const std::string& file = build.module.files[static_cast<size_t>(location.file)];
        if (location.line == 0 || is_toolkit_header(file)) continue;
        const auto known = std::find_if(out.begin(), out.end(), [&](const Suspect& o) {
            return o.line == location.line && o.file == file;
        });
        if (known == out.end())
            out.push_back({file, location.line, far});
        else
            known->far = std::min(known->far, far);
    }
}

}  // namespace

std::vector<Suspect> suspects_of(const Symptoms& s) {
    std::vector<capture::Where> places;
    const auto add = [&](const capture::Finding& f) { places.push_back(f.where), places.push_back(f.other); };
    const bool in_tile =
        s.first_bad >= 0 && s.capture.tiles[static_cast<size_t>(s.first_bad)].block != capture::kWholeLaunch;
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

std::vector<Suspect> lines_of_wrong(const Symptoms& s, const Experiment& build) {
    std::vector<Suspect> out;
    const std::optional<Wrong> wrong = first_wrong(s);
    if (!wrong || s.budget > kLongest || is_cut_short(s)) return out;
    try {
        Prepared prepared = prepare(build);
        emulator::Journey journey{
            emulator::lower(build.module, build.entry), prepared.launch, std::move(prepared.memory)};
        journey.block = wrong->block;
        travel::Route route = travel::make_route(build.module, std::move(journey));
        const std::vector<travel::Taken> taken = travel::take_tiles(route);  // runs it: its trace is followed
        const auto element = element_of(s, *wrong, route, taken);
        if (!element) return out;
        travel::SliceOptions options;
        options.from = *element, options.deciders = true, options.deep = true;
        const travel::Slice slice = travel::slice(route, taken, options);
        for (const travel::SliceStep& step : slice.steps) add_line(build, route, step.site, 0, out);
        for (const travel::Decider& d : slice.deciders) add_line(build, route, d.step.site, 1, out);
    } catch (const Error&) {
        out.clear();  // an instruction that the slice does not know: the other suspects are left
    } catch (const Unsupported&) { out.clear(); }
    return out;
}

}  // namespace wl::diagnosis

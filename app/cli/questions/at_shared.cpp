// The instant, the state there, and what else was asked of it.
#include "app/cli/questions/at_shared.h"

#include "app/cli/fragments/drawing.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/travel/shared_access.h"
#include "instrumentation/travel/shared_state.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace wl::app {

namespace {

using capture::NamedRegion;

// Empty: the kernel is a PTX file, or its source is gone.
std::string source_of(const Trip& trip) {
    const std::string& path = trip.experiment.problem.kernel.source;
    std::error_code none;
    return std::filesystem::is_regular_file(path, none) ? read_text_file(path) : "";
}

Numbers numbers_of(const Trip& trip) {
    Numbers numbers;
    const auto add = [&](const std::string& name, double value) {
        if (value == std::floor(value) && std::abs(value) < 1e15) numbers[name] = static_cast<int64_t>(value);
    };
    const manifest::Problem& p = trip.experiment.problem;
    for (const auto& [name, value] : p.params) add(name, value);
    for (const auto& [name, value] : p.defines) {
        double number = 0;
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (problem == std::errc{} && end == value.data() + value.size()) add(name, number);
    }
    return numbers;
}

// Elements of a type as sources spell it.
std::optional<DType> dtype_of(const std::string& element) {
    constexpr std::pair<std::string_view, DType> kKnown[] = {
        {"float",         DType::f32 },
        {"double",        DType::f64 },
        {"__half",        DType::f16 },
        {"half",          DType::f16 },
        {"__nv_bfloat16", DType::bf16},
        {"int",           DType::s32 },
        {"unsigned",      DType::u32 }
    };
    for (const auto& [word, dtype] : kKnown)
        if (element == word) return dtype;
    return dtype_from_name(element);
}

// Rows and columns of variables, by their declarations.
void add_declared(const Trip& trip, capture::SharedState& state) {
    const std::string source = source_of(trip);
    const Numbers numbers = numbers_of(trip);
    for (NamedRegion& r : state.regions) {
        if (r.kind != NamedRegion::Kind::variable || source.empty()) continue;
        const Declaration d = declaration_of(source, r.name, numbers);
        if (d.line == 0 || d.value <= 0) continue;
        if (const std::optional<DType> dtype = dtype_of(d.element)) r.dtype = *dtype;
        const auto elements = static_cast<int64_t>((r.end - r.begin) / size_of(r.dtype));
        if (elements < d.value || elements % d.value != 0) continue;
        const bool vector = d.dimensions == 1;
        r.rows = static_cast<int>(vector ? elements : elements / d.value);
        r.cols = r.ld = vector ? 1 : static_cast<int>(d.value);
        r.file = trip.experiment.problem.kernel.source, r.line = d.line;
    }
}

// What the manifest says of regions takes the place of marks and declarations.
void add_layouts(const Trip& trip, capture::SharedState& state) {
    const manifest::Kernel& kernel = trip.experiment.problem.kernel;
    for (const auto& [name, rule] : kernel.layouts) {
        const std::string where = manifest::place(kernel, "layout." + name + ".as");
        std::vector<NamedRegion> made;
        for (const NamedRegion& r : state.regions) {
            if (r.name != rule.of) continue;
            NamedRegion region = r;
            layouts::Matrix m;
            try {
                m = layouts::parse_matrix(rule.as);
            } catch (const Error& problem) { throw Error(where + ": " + problem.what()); }
            m.begin = r.begin + static_cast<uint32_t>(rule.at.value_or(0));
            region.kind = NamedRegion::Kind::layout, region.name = name, region.layout = rule.as;
            region.begin = m.begin, region.end = layouts::end_of(m);
            region.dtype = m.dtype;
            if (region.end > state.values.size())
                throw Error(fmt::format(
                    "{}: {} would end at byte {} of {}", where, name, region.end, state.values.size()
                ));
            made.push_back(std::move(region));
        }
        if (made.empty())
            throw Error(fmt::format("{}: shared memory has no variable or mark {}", where, rule.of));
        if (name == rule.of)
            std::erase_if(state.regions, [&](const NamedRegion& r) { return r.name == name; });
        state.regions.insert(state.regions.begin(), made.begin(), made.end());
    }
}

// ---- --access

struct Place {
    std::string file;
    int line = 0, warp = -1, epoch = -1;
};

Place place_of(const Trip& trip, const std::string& access) {
    const bool finding = access.starts_with("finding:");
    const std::string number = finding ? access.substr(8) : access;
    int value = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (problem != std::errc{} || end != number.data() + number.size() || value < 1)
        throw Error("--access " + access + ": write a line of the source, or finding:N of a capture");
    if (!finding) return {"", value, -1, -1};
    if (!trip.recorded) throw Error("--access " + access + ": findings are of a capture: name a .wlcap");
    const std::vector<capture::Finding>& all = trip.recorded->findings;
    if (static_cast<size_t>(value) > all.size())
        throw Error(fmt::format("--access {}: the capture has {} findings", access, all.size()));
    const capture::Where& w = all[static_cast<size_t>(value) - 1].where;
    if (w.line == 0) throw Error(fmt::format("--access {}: that finding has no source line", access));
    return {std::filesystem::path(w.file).filename().string(), w.line, w.warp, w.epoch};
}

// The instant that a finding's place names, else the warp's first.
emulator::Here begin_of(travel::Route& route, const Place& place, int warp) {
    travel::Wanted wanted;
    wanted.warp = warp, wanted.epoch = place.epoch;
    const bool found = place.epoch >= 0 && travel::go(route, wanted).found;
    return found ? emulator::here(*route.traveller) : emulator::Here{};
}

std::vector<capture::LineRequest> requests_at(Trip& trip, const AtOptions& o, bool at_instant) {
    const Place place = place_of(trip, o.shared.access);
    const int warp = o.warp >= 0 ? o.warp : std::max(place.warp, 0);
    const emulator::Here from =
        at_instant ? emulator::here(*trip.route.traveller) : begin_of(trip.route, place, warp);
    std::vector<capture::LineRequest> requests =
        travel::requests_of(trip.route, {place.file, place.line, warp, from.order, from.time});
    if (requests.empty())
        throw Error(fmt::format(
            "--access {}: warp {} asks for no memory at line {}", o.shared.access, warp, place.line
        ));
    return requests;
}

// At an instant that is there anyway, a line without requests is no error.
void add_requests(Trip& trip, const AtOptions& o, SharedAnswer& a) {
    const uint64_t order = emulator::here(*trip.route.traveller).order;
    try {
        a.requests = requests_at(trip, o, true);
    } catch (const Error& problem) {
        a.access_problem = problem.what();
        emulator::go_to(*trip.route.traveller, order);
    }
}

// To the instant that was named; of a warp that has ended before a time, and where none is named, to its
// last.
std::string go_there(Trip& trip, const AtOptions& o) {
    AtOptions last = o;
    last.hit = -1;
    if (!names_an_instant(o)) return travel_to(trip, o.hit == 0 ? last : o);
    try {
        return travel_to(trip, o);
    } catch (const Error&) {
        last.time = -1;
        if (o.time < 0 || names_an_instant(last)) throw;
    }
    travel_to(trip, last);
    return fmt::format("the warp has ended before time {}: its last instant", o.time);
}

std::optional<SharedMatrix> touched_by(const SharedAnswer& a) {
    for (const capture::LineRequest& r : a.requests) {
        if (r.global || r.accesses.mask == 0) continue;
        const auto at =
            static_cast<uint32_t>(r.accesses.at[static_cast<size_t>(std::countr_zero(r.accesses.mask))]);
        for (const std::vector<SharedMatrix>* from : {&a.matrices, &a.view.matrices})
            for (const SharedMatrix& m : *from)
                if (at >= m.matrix.begin && at < layouts::end_of(m.matrix)) return m;
    }
    return {};
}

std::vector<capture::AccessPattern> patterns_of(const Trip& trip, const layouts::Matrix& m) {
    std::vector<capture::AccessPattern> out;
    const uint64_t end = layouts::end_of(m);
    for (const capture::AccessPattern& p : trip.shared->patterns) {
        const LaneAccesses& a = p.accesses;
        bool touches = false;
        for (uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
            const uint64_t at = a.at[static_cast<size_t>(std::countr_zero(rest))];
            touches = touches || (at >= m.begin && at < end);
        }
        if (touches) out.push_back(p);
    }
    return out;
}

void add_change(const Trip& trip, const AtOptions& o, SharedAnswer& a) {
    if (o.shared.what_if.empty()) return;
    a.change = layouts::parse_change(o.shared.what_if);
    if (!a.touched)
        throw Error("--what-if: name by --access a line whose accesses touch a matrix in shared memory");
    if (a.change->swizzle || a.touched->region < 0) return;
    const NamedRegion& r = a.state.regions[static_cast<size_t>(a.touched->region)];
    a.line = leading_line(source_of(trip), r.line, r.name, a.change->pad);
}

}  // namespace

SharedAnswer answer_shared(Trip& trip, const AtOptions& o) {
    require_warp(trip, o);
    if (!trip.shared) trip.shared = travel::log_shared(trip.route);
    SharedAnswer a;
    a.kernel = trip.experiment.problem.kernel.name;
    a.faults = trip.faults;
    const bool asks = !o.shared.access.empty();
    if (asks && !names_an_instant(o)) {
        a.requests = requests_at(trip, o, false);
        emulator::go_to(*trip.route.traveller, a.requests.front().order);
    } else {
        a.note = go_there(trip, o);
        if (!take_steps(trip, o).empty()) a.note.clear();
        if (asks) add_requests(trip, o, a);
    }
    a.state = travel::shared_state(trip.route, *trip.shared);
    a.state.block = trip.block;
    if (a.state.values.empty()) throw Error("--shared: this kernel has no shared memory");
    add_declared(trip, a.state);
    add_layouts(trip, a.state);
    a.view = make_shared_view(a.state);
    a.colour = shared_colour_from(o.shared.colour).value_or(SharedColour::state);
    std::vector<std::string> as = o.shared.as;
    if (as.empty() && !o.shared.name.empty()) as.emplace_back();
    for (const std::string& text : as)
        a.matrices.push_back(shared_matrix(a.state, a.view, o.shared.name, text));
    a.touched = touched_by(a);
    if (a.touched) a.patterns = patterns_of(trip, a.touched->matrix);
    add_change(trip, o, a);
    return a;
}

int show_shared(const Command& command, Trip& trip) {
    const SharedAnswer a = answer_shared(trip, command.at);
    if (!a.access_problem.empty()) throw Error(a.access_problem);
    if (!command.out.empty()) {
        write_drawing(
            command.out,
            {shared_text(a), [&] { return json_text(shared_json(a)); }, [&] { return shared_sheet(a); }}
        );
        if (!command.output.quiet) print_notice(command.out + "\n");
        return kExitOk;
    }
    const std::string text = command.output.json ? json_text(shared_json(a)) + "\n" : shared_text(a);
    print_text(text);
    return kExitOk;
}

}  // namespace wl::app

#include "instrumentation/diagnosis/rules/wrong_elements.h"

#include "instrumentation/base/counted.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/rules/places.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace wl::diagnosis {

namespace {

using analysis::AxisName;
using Kind = emulator::Incident::Kind;

const manifest::Argument* argument_of(const std::vector<manifest::Argument>& args, const std::string& name) {
    for (const manifest::Argument& a : args) {
        if (a.name == name) return &a;
        if (!name.starts_with(a.name + ".")) continue;
        if (const auto* field = argument_of(a.fields, name.substr(a.name.size() + 1))) return field;
    }
    return nullptr;
}

std::string lowered(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

bool is_name(const std::string& text) {
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
        std::all_of(text.begin(), text.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '_';
        });
}

// A leading axis by the name of its extent. Beside a W, N, C and H are those of images.
AxisName leading_name(const std::string& extent, bool beside_width, AxisName otherwise) {
    static const std::array<std::pair<const char*, AxisName>, 2> kOfImages = {
        {{"n", {"image", "images"}}, {"c", {"channel", "channels"}}}
    };
    static const std::array<std::pair<const char*, AxisName>, 16> kKnown = {
        {
         {"b", {"batch", "batches"}},
         {"batch", {"batch", "batches"}},
         {"batches", {"batch", "batches"}},
         {"h", {"head", "heads"}},
         {"head", {"head", "heads"}},
         {"heads", {"head", "heads"}},
         {"channels", {"channel", "channels"}},
         {"images", {"image", "images"}},
         {"layers", {"layer", "layers"}},
         {"planes", {"plane", "planes"}},
         {"groups", {"group", "groups"}},
         {"tokens", {"token", "tokens"}},
         {"steps", {"step", "steps"}},
         {"blocks", {"block", "blocks"}},
         {"depth", {"plane", "planes"}},
         {"slices", {"slice", "slices"}},
         }
    };
    const std::string name = lowered(extent);
    for (const auto& [known, called] : kOfImages)
        if (beside_width && name == known) return called;
    for (const auto& [known, called] : kKnown)
        if (name == known && !(name == "h" && beside_width)) return called;
    return is_name(extent) ? AxisName{extent, extent} : std::move(otherwise);
}

// By how many wrong elements they wrote.
struct Line {
    capture::Where where;
    int64_t wrong = 0;
    size_t first = 0;  // of them
};

std::vector<Line> lines_of(
    const Symptoms& s,
    const std::vector<Writer>& writers,
    const std::vector<uint8_t>& flags,
    int64_t& unwritten
) {
    std::map<uint32_t, capture::Where> by_site;
    std::vector<Line> out;
    for (size_t e = 0; e < flags.size(); ++e) {
        if (flags[e] == 0) continue;
        if (writers[e].block < 0) {
            ++unwritten;
            continue;
        }
        const auto [site, fresh] = by_site.try_emplace(writers[e].site);
        if (fresh) site->second = where_of(s, writers[e].site);
        const auto known = std::find_if(out.begin(), out.end(), [&](const Line& l) {
            return same_line(l.where, site->second);
        });
        if (known == out.end())
            out.push_back({site->second, 1, e});
        else
            ++known->wrong;
    }
    std::stable_sort(out.begin(), out.end(), [](const Line& a, const Line& b) { return a.wrong > b.wrong; });
    return out;
}

// " Element [3, 0] was written by block (0,0,0), warp 1, lane 4."
std::string writer_text(const Symptoms& s, const Writer& w) {
    return fmt::format("block {}, warp {}, lane {}", block_text(s.capture, w.block), w.warp, w.lane);
}

// Do the same lines write right elements too? What they are given, or where they put it, is then wrong.
bool write_right_ones(
    const Symptoms& s,
    const std::vector<Writer>& writers,
    const std::vector<uint8_t>& flags,
    const capture::Where& line
) {
    std::map<uint32_t, bool> on_line;
    for (size_t e = 0; e < flags.size(); ++e) {
        if (flags[e] != 0 || writers[e].block < 0) continue;
        const auto [site, fresh] = on_line.try_emplace(writers[e].site);
        if (fresh) site->second = same_line(where_of(s, writers[e].site), line);
        if (site->second) return true;
    }
    return false;
}

void place_lines(
    const Symptoms& s,
    const std::vector<Writer>& writers,
    const std::vector<uint8_t>& flags,
    capture::Finding& f
) {
    int64_t unwritten = 0;
    const std::vector<Line> lines = lines_of(s, writers, flags, unwritten);
    if (unwritten > 0) f.explanation += fmt::format(" {} of them nobody wrote.", unwritten);
    if (lines.empty()) return;
    const Line& most = lines.front();
    const Writer& first = writers[most.first];
    f.where.file = most.where.file, f.where.line = most.where.line;
    f.where.block = first.block, f.where.warp = first.warp, f.where.lanes = std::to_string(first.lane);
    if (lines.size() == 1) {
        f.explanation += fmt::format(" {} wrote them last", quoted(s.capture, most.where));
    } else {
        f.explanation += fmt::format(" {} wrote {} of them last", quoted(s.capture, most.where), most.wrong);
        f.other.file = lines[1].where.file, f.other.line = lines[1].where.line;
        f.explanation += fmt::format(", {} {}", quoted(s.capture, lines[1].where), lines[1].wrong);
        if (lines.size() > 2)
            f.explanation += fmt::format(", {} the rest", counted(lines.size() - 2, "other line"));
    }
    f.explanation += fmt::format("; the first was written by {}", writer_text(s, first));
    f.explanation += write_right_ones(s, writers, flags, most.where)
        ? ". That line writes right elements too."
        : ". Every element that this line wrote last is wrong.";
}

}  // namespace

std::vector<AxisName> axis_names(const manifest::Kernel& kernel, const std::string& array, size_t rank) {
    std::vector<AxisName> out = analysis::default_names(rank);
    const manifest::Argument* argument = argument_of(kernel.args, array);
    if (argument == nullptr || argument->shape.size() != rank) return out;
    const bool width =
        std::any_of(argument->shape.begin(), argument->shape.end(), [](const std::string& extent) {
            return lowered(extent) == "w" || lowered(extent) == "width";
        });
    for (size_t d = 0; d + 2 < rank; ++d) out[d] = leading_name(argument->shape[d], width, std::move(out[d]));
    return out;
}

std::vector<uint8_t> wrong_elements(const capture::Capture& c, const capture::Output& o) {
    const capture::Tile& tile = c.tiles[static_cast<size_t>(o.tile)];
    const analysis::TileData data = analysis::load_tile(c, tile);
    std::vector<uint8_t> out(data.got.data.size());
    if (data.reference.data.size() != out.size() || data.bound.data.size() != out.size()) return {};
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = analysis::is_bad(data.got.data[i], data.reference.data[i], data.bound.data[i]) ? 1 : 0;
    // Beyond 2^53 doubles do not tell integers apart.
    return std::count(out.begin(), out.end(), 1) == tile.bad ? out : std::vector<uint8_t>{};
}

std::string pattern_words(const Symptoms& s, const capture::Output& o, const std::vector<uint8_t>& flags) {
    return analysis::words(
        analysis::describe(o.shape, flags), axis_names(s.experiment.problem.kernel, o.name, o.shape.size())
    );
}

std::optional<std::vector<Writer>> writers_of(const Symptoms& s, const capture::Output& o) {
    if (const auto known = s.prover.writers.find(o.name); known != s.prover.writers.end())
        return known->second;
    const CountedWork once(nullptr);  // who asks first has it made for all
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(o.tile)];
    const size_t size = size_of(s.capture.probes[static_cast<size_t>(tile.probe)].dtype);
    const double instructions = counter(s.capture, "warp_instructions");
    const uint64_t budget = is_endless(s.incidents) ? s.budget : s.experiment.options.budget;
    return s.prover.writers[o.name] =
               last_writers({s.experiment, o.name, size, o.of.elements, instructions, budget});
}

bool is_cut_short(const Symptoms& s) {
    return std::any_of(s.incidents.begin(), s.incidents.end(), [](const emulator::Incident& i) {
        switch (i.kind) {
            case Kind::out_of_bounds:
            case Kind::misaligned:
            case Kind::divergent_barrier:
            case Kind::deadlock:
            case Kind::endless_loop:
            case Kind::endless_wait:
            case Kind::trap:
            case Kind::assertion:
            case Kind::stack_overflow:
            case Kind::device_fault:
            case Kind::undefined_target:
            case Kind::bad_free: return true;
            default: return false;
        }
    });
}

void place_output(const Symptoms& s, const capture::Output& o, capture::Finding& f) {
    const std::vector<uint8_t> flags = wrong_elements(s.capture, o);
    if (flags.empty()) return;
    f.pattern = pattern_words(s, o, flags);
    if (is_cut_short(s)) return;
    if (const auto writers = writers_of(s, o)) place_lines(s, *writers, flags, f);
}

void place_tile(const Symptoms& s, capture::Finding& f) {
    const analysis::TileData& data = s.bad_tile;
    std::vector<uint8_t> flags;
    for (size_t i = 0; i < data.reference.data.size(); ++i)
        flags.push_back(
            analysis::is_bad(data.got.data[i], data.reference.data[i], data.bound.data[i]) ? 1 : 0
        );
    const auto first = std::find(flags.begin(), flags.end(), 1);
    if (first == flags.end()) return;
    f.pattern =
        analysis::words(analysis::describe({data.rows, data.cols}, flags), analysis::default_names(2));
    f.title += ": " + f.pattern;
    const auto at = static_cast<size_t>(first - flags.begin());
    if (at >= data.owner.data.size() || data.owner.data[at].warp == capture::Owner::kNobody) return;
    const capture::Owner& owner = data.owner.data[at];
    f.other = where_of(s, owner.site);
    if (f.other.line == 0) return;
    f.other.block = f.where.block, f.other.warp = owner.warp, f.other.lanes = std::to_string(owner.lane);
    f.explanation += fmt::format(" {} wrote the first of them last.", quoted(s.capture, f.other));
}

std::string worst_text(const analysis::TileData& t) {
    double most = 0, limit = 0;
    for (size_t i = 0; i < t.got.data.size(); ++i) {
        const double away = std::fabs(t.got.data[i] - t.reference.data[i]), allowed = t.bound.data[i];
        const bool worse = most == 0 || away * limit > most * allowed;
        const bool bad = analysis::is_bad(t.got.data[i], t.reference.data[i], t.bound.data[i]);
        if (bad && std::isfinite(away) && worse) most = away, limit = allowed;
    }
    if (most == 0) return "no finite element is wrong";
    return fmt::format("the worst difference is {} where {} is allowed", number(most), number(limit));
}

}  // namespace wl::diagnosis

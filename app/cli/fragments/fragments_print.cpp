// Maps for people and as JSON.
#include "app/cli/fragments/fragments.h"
#include "instrumentation/base/text.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace wl::app {

namespace {

using fragments::Held;
using fragments::Holder;
using fragments::Map;
using nlohmann::ordered_json;

constexpr int kMostColumns = 32;  // of a matrix that is printed cell by cell

std::string holder_text(const Holder& h) {
    const std::string part = fragments::part_text(h);
    return fmt::format("lane {}, register {}{}{}", h.lane, h.reg, part.empty() ? "" : ", ", part);
}

std::string title_text(const Map& map) {
    const FragmentLayout& l = map.layout;
    std::string text =
        fmt::format("{}: {}; PTX ISA 9.0, {}\n", map.name, fragments::proof_text(map), map.section);
    if (l.matrices > 1) text += fmt::format("  {} matrices of", l.matrices);
    text += fmt::format(
        "  {} x {} elements ({} x {}) of {} bits; each of {} lanes has {} register{} of {} bits with {} "
        "element{}\n",
        l.rows,
        l.columns,
        map.row_axis,
        map.column_axis,
        l.bits,
        map.lanes,
        l.registers,
        l.registers == 1 ? "" : "s",
        l.register_bits,
        l.elements,
        l.elements == 1 ? "" : "s"
    );
    if (l.distinct < l.elements)
        text += fmt::format("  from its element {} on a lane repeats what it has\n", l.distinct);
    return text;
}

// lane.element of the first lane that holds it.
std::string cells_text(const Map& map, int matrix) {
    const FragmentLayout& l = map.layout;
    std::vector<std::string> cell(static_cast<size_t>(l.rows) * static_cast<size_t>(l.columns));
    for (int lane = 0; lane < map.lanes; ++lane)
        for (int element = 0; element < l.elements; ++element) {
            const FragmentPlace& p = l.at(lane, element);
            if (p.row < 0 || p.matrix != matrix) continue;
            std::string& text = cell[static_cast<size_t>(p.row * l.columns + p.column)];
            if (text.empty()) text = fmt::format("{}.{}", lane, element);
        }
    std::string text =
        fmt::format("\n  element ({}, {}): lane.element\n      ", map.row_axis, map.column_axis);
    for (int column = 0; column < l.columns; ++column) text += fmt::format(" {:>6}", column);
    for (int row = 0; row < l.rows; ++row) {
        text += fmt::format("\n  {:>4}", row);
        for (int column = 0; column < l.columns; ++column)
            text += fmt::format(" {:>6}", cell[static_cast<size_t>(row * l.columns + column)]);
    }
    return text + "\n";
}

std::string lanes_text(const Map& map) {
    std::string text = "\n  lane: elements by register\n";
    for (int lane = 0; lane < map.lanes; ++lane) {
        int reg = -1;
        text += fmt::format("  {:>4}:", lane);
        for (const Held& h : fragments::held(map, lane)) {
            if (h.holder.reg != reg) text += fmt::format("  r{}", reg = h.holder.reg);
            text += " " + fragments::place_text(map, h.place);
        }
        text += '\n';
    }
    return text;
}

std::string questions_text(const FragmentAnswer& a) {
    std::string text;
    if (a.element) {
        text += "  element " + fragments::place_text(a.map, *a.element) + ":\n";
        for (const Holder& h : a.holders) text += "    " + holder_text(h) + "\n";
        if (a.holders.empty()) text += "    no lane holds it\n";
    }
    if (a.lane < 0) return text;
    text += fmt::format("  lane {}{}:\n", a.lane, a.reg < 0 ? "" : fmt::format(", register {}", a.reg));
    for (const Held& h : a.held)
        text += "    " + holder_text(h.holder) + ": " + fragments::place_text(a.map, h.place) + "\n";
    if (a.held.empty()) text += "    holds no element\n";
    return text;
}

ordered_json place_json(const Map& map, const FragmentPlace& p) {
    if (p.row < 0) return nullptr;
    return map.layout.matrices > 1 ? ordered_json{p.matrix, p.row, p.column} : ordered_json{p.row, p.column};
}

ordered_json holder_json(const Holder& h) {
    return {
        {"lane",     h.lane                 },
        {"element",  h.element              },
        {"register", h.reg                  },
        {"bit",      h.bit                  },
        {"bits",     h.bits                 },
        {"part",     fragments::part_text(h)}
    };
}

ordered_json lanes_json(const Map& map) {
    ordered_json lanes = ordered_json::array();
    for (int lane = 0; lane < map.lanes; ++lane) {
        ordered_json elements = ordered_json::array();
        for (int element = 0; element < map.layout.elements; ++element)
            elements.push_back(place_json(map, map.layout.at(lane, element)));
        lanes.push_back(std::move(elements));
    }
    return lanes;
}

ordered_json answer_json(const FragmentAnswer& a) {
    const FragmentLayout& l = a.map.layout;
    ordered_json j{
        {"name",          a.map.name                  },
        {"instruction",   a.map.instruction           },
        {"operand",       a.map.operand               },
        {"type",          a.map.type                  },
        {"proof",         fragments::proof_text(a.map)},
        {"isa",           a.map.section               },
        {"row_axis",      a.map.row_axis              },
        {"column_axis",   a.map.column_axis           },
        {"matrices",      l.matrices                  },
        {"rows",          l.rows                      },
        {"columns",       l.columns                   },
        {"bits",          l.bits                      },
        {"lanes",         a.map.lanes                 },
        {"registers",     l.registers                 },
        {"register_bits", l.register_bits             },
        {"elements",      l.elements                  },
        {"distinct",      l.distinct                  },
        {"places",        lanes_json(a.map)           }
    };
    if (a.element) {
        ordered_json holders = ordered_json::array();
        for (const Holder& h : a.holders) holders.push_back(holder_json(h));
        j["element"] = {
            {"place", place_json(a.map, *a.element)},
            {"holders",       holders              }
        };
    }
    if (a.lane < 0) return j;
    ordered_json held = ordered_json::array();
    for (const Held& h : a.held) {
        held.push_back(holder_json(h.holder));
        held.back()["place"] = place_json(a.map, h.place);
    }
    j["held"] = held;
    return j;
}

std::string without_bars(std::string cell) {
    for (size_t at = 0; (at = cell.find('|', at)) != std::string::npos;) cell.replace(at, 1, ", ");
    return cell;
}

}  // namespace

std::string fragments_list() {
    std::string text =
        "Fragments: INSTRUCTION.SHAPE, then an operand (a, b, c; d lies as c does; e0 to e3: metadata of "
        "mma.sp) and a type.\n";
    const char* word = "";
    for (const fragments::Instruction& row : fragments::instructions()) {
        if (std::string_view(row.word) != word)
            text += fmt::format("\n{} ({})\n", word = row.word, row.section);
        std::string shapes = without_bars(row.shapes);
        if (const std::string_view all = row.shapes; all.size() > 200)
            shapes = fmt::format("{}, ... {}", all.substr(0, all.find('|')), all.substr(all.rfind('|') + 1));
        text += "  " + (shapes.empty() ? "a, and d, its transpose" : shapes);
        if (*row.sums != '\0')
            text += fmt::format("; a and b {}, c and d {}", without_bars(row.types), without_bars(row.sums));
        else if (std::string_view(row.types) == "b16" && *row.shapes != '\0')
            text += "; also with .trans";
        text += '\n';
    }
    return text +
        "\nExamples: wmma.m16n16k16 a f16 row; mma.m16n8k16 bf16; mma.m16n8k16 b f16; mma.sp.m16n8k32 e0 "
        "f16; "
        "ldmatrix.x4.trans;\nwgmma.m64n128k16 c f32; tcgen05.ld.32x32b.x8. `--element ROW,COLUMN` says who "
        "holds it, `--lane L` what a lane holds.\n";
}

std::string fragments_text(const std::vector<FragmentAnswer>& answers) {
    std::string text;
    for (const FragmentAnswer& a : answers) {
        if (!text.empty()) text += '\n';
        text += title_text(a.map);
        if (a.element || a.lane >= 0) {
            text += questions_text(a);
            continue;
        }
        for (int matrix = 0; matrix < a.map.layout.matrices; ++matrix) {
            if (a.map.layout.columns > kMostColumns) continue;
            if (a.map.layout.matrices > 1) text += fmt::format("\n  matrix {}", matrix);
            text += cells_text(a.map, matrix);
        }
        text += lanes_text(a.map);
    }
    return text;
}

ordered_json fragments_json(const std::vector<FragmentAnswer>& answers) {
    ordered_json maps = ordered_json::array();
    for (const FragmentAnswer& a : answers) maps.push_back(answer_json(a));
    return {
        {"warplens", WL_VERSION },
        {"verb",     "fragments"},
        {"maps",     maps       }
    };
}

}  // namespace wl::app

// Matrices with their values for people, everything for the window.
#include "app/cli/questions/at_fragments.h"

#include "app/worker/numbers_json.h"
#include "instrumentation/base/block_text.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using fragments::Laid;
using fragments::Live;
using fragments::Operand;
using nlohmann::ordered_json;

constexpr int kMostColumns = 16;  // of a printed matrix

std::string memory_text(const Live& live, const Operand& o) {
    if (o.addresses.empty()) return "  made in registers\n";
    std::string text =
        fmt::format("  {} by {} at {}", o.stored ? "stored" : "loaded", o.instruction, o.place);
    if (o.ld != 0) text += fmt::format(", leading dimension {}", o.ld);
    text += '\n';
    if (o.laid < 0) return text;
    const Laid& laid = live.laid[static_cast<size_t>(o.laid)];
    if (const auto start = fragments::start_of(live, o))
        text += fmt::format(
            "  from {} on, whose {} lie {} elements apart\n",
            fragments::place_text(laid, *start),
            laid.column ? "columns" : "rows",
            laid.ld
        );
    if (const auto other = fragments::by_its_own_ld(live, o))
        text += fmt::format(
            "  {} of {} elements differ from those that the leading dimension {} would give\n",
            other->wrong_count,
            o.values.size(),
            laid.ld
        );
    return text;
}

// The first value that a lane holds of each element.
std::string matrix_text(const Operand& o) {
    const FragmentLayout& l = o.map.layout;
    const auto cells = static_cast<size_t>(l.matrices * l.rows) * static_cast<size_t>(l.columns);
    std::vector<double> value(cells, std::numeric_limits<double>::quiet_NaN());
    for (int lane = 0; lane < o.map.lanes; ++lane)
        for (int i = l.distinct; i-- > 0;) {
            const FragmentPlace& p = l.at(lane, i);
            if (p.row >= 0)
                value[static_cast<size_t>((p.matrix * l.rows + p.row) * l.columns + p.column)] =
                    o.values[static_cast<size_t>(lane * l.elements + i)];
        }
    std::string text;
    const int columns = std::min(l.columns, kMostColumns);
    for (int row = 0; row < l.matrices * l.rows; ++row) {
        text += "   ";
        for (int column = 0; column < columns; ++column)
            text += fmt::format(" {:>9.4g}", value[static_cast<size_t>(row * l.columns + column)]);
        text += columns < l.columns ? " ...\n" : "\n";
    }
    return text;
}

ordered_json operand_json(const Operand& o) {
    return {
        {"name",        o.name                },
        {"map",         o.map.name            },
        {"blocks",      o.map.blocks          },
        {"values",      numbers_json(o.values)},
        {"addresses",   o.addresses           },
        {"stored",      o.stored              },
        {"place",       o.place               },
        {"instruction", o.instruction         },
        {"ld",          o.ld                  },
        {"column",      o.column              },
        {"laid",        o.laid                }
    };
}

ordered_json laid_json(const Laid& laid) {
    return {
        {"name",    laid.name                },
        {"dtype",   name_of(laid.dtype)      },
        {"column",  laid.column              },
        {"rows",    laid.rows                },
        {"cols",    laid.cols                },
        {"ld",      laid.ld                  },
        {"address", laid.address             },
        {"values",  numbers_json(laid.values)}
    };
}

}  // namespace

std::string live_text(const Live& live) {
    std::string text = fmt::format(
        "block {}, warp {}, time {}: {}   at {}:{}; values simulated by the CPU emulator\n",
        live.block,
        live.warp,
        live.time,
        live.instruction,
        live.file,
        live.line
    );
    if (!live.focus.empty()) text += "that line loads its operand " + live.focus + "\n";
    if (!live.note.empty()) text += live.note + "\n";
    for (const Operand& o : live.operands)
        text += fmt::format("{}: {}\n", o.name, o.map.name) + memory_text(live, o) + matrix_text(o);
    return text;
}

ordered_json live_json(const Live& live) {
    ordered_json operands = ordered_json::array(), laid = ordered_json::array();
    for (const Operand& o : live.operands) operands.push_back(operand_json(o));
    for (const Laid& l : live.laid) laid.push_back(laid_json(l));
    return {
        {"warplens",    WL_VERSION      },
        {"verb",        "at"            },
        {"instruction", live.instruction},
        {"file",        live.file       },
        {"line",        live.line       },
        {"block",       live.block      },
        {"warp",        live.warp       },
        {"time",        live.time       },
        {"order",       live.order      },
        {"focus",       live.focus      },
        {"mark",        live.mark       },
        {"note",        live.note       },
        {"shared_base", live.shared_base},
        {"operands",    operands        },
        {"laid",        laid            }
    };
}

}  // namespace wl::app

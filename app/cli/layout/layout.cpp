// The verb, its text, JSON and drawing.
#include "app/cli/layout/layout.h"

#include "app/cli/fragments/drawing.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/banks.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

namespace wl::app {

namespace {

using layouts::Conflicts;
using layouts::Swizzled;
using nlohmann::ordered_json;

constexpr int64_t kMostRows = 64, kMostColumns = 64;  // of a printed table

int bytes_of(const std::string& type) {
    const std::optional<DType> dtype = dtype_from_name(type);
    if (!dtype)
        throw Error("--type " + type + ": no such element type; write f16, bf16, f32, s8 or the like");
    return static_cast<int>(size_of(*dtype));
}

bool is_one_to_one(const Swizzled& l) {
    if (layouts::size(l.layout) > kMostOffsets) return true;
    std::vector<int64_t> all;
    for (int64_t i = 0; i < layouts::size(l.layout); ++i) all.push_back(layouts::offset(l, i));
    std::sort(all.begin(), all.end());
    return std::adjacent_find(all.begin(), all.end()) == all.end();
}

std::string table_text(const Swizzled& l) {
    std::string text;
    if (l.layout.modes.size() != 2) {
        const int64_t shown = std::min<int64_t>(layouts::size(l.layout), kMostColumns);
        for (int64_t i = 0; i < shown; ++i) text += fmt::format(" {}", layouts::offset(l, i));
        return "  offsets by index:" + text + (shown < layouts::size(l.layout) ? " ...\n" : "\n");
    }
    const int64_t rows = layouts::size(l.layout.modes[0]), columns = layouts::size(l.layout.modes[1]);
    const size_t width = std::max<size_t>(4, std::to_string(layouts::cosize(l)).size() + 1);
    for (int64_t i = 0; i < std::min(rows, kMostRows); ++i) {
        text += ' ';
        for (int64_t j = 0; j < std::min(columns, kMostColumns); ++j)
            text += fmt::format("{:>{}}", layouts::offset(l, i, j), width);
        text += columns > kMostColumns ? " ...\n" : "\n";
    }
    return text + (rows > kMostRows ? "  ...\n" : "");
}

std::string conflicts_text(const LayoutAnswer& a) {
    const Conflicts& c = *a.conflicts;
    if (!c.problem.empty()) return fmt::format("{}: not possible: {}\n", a.access, c.problem);
    std::string text = fmt::format(
        "{}, elements of {} bytes: {} wavefronts for {} requests, {} would do; at worst {} for one phase\n",
        a.access,
        a.element,
        c.wavefronts,
        c.requests,
        c.ideal,
        c.worst
    );
    if (c.wavefronts == c.ideal) return text + "  free of conflicts\n";
    if (!a.layout.linear.empty()) return text;
    if (!a.free) return text + "  no Swizzle of up to 5 bits makes it free of conflicts\n";
    return text +
        fmt::format(
               "  free of conflicts with {} o {}\n",
               layouts::text_of(*a.free),
               layouts::text_of(a.layout.layout)
        );
}

// An expression a line on stdin, a line of JSON for each on stdout.
int answer_lines(LayoutOptions options) {
    while (std::getline(std::cin, options.expression)) {
        ordered_json j;
        try {
            j = layout_json(answer(options));
        } catch (const Error& error) {
            j = {
                {"expression", options.expression},
                {"error",      error.what()      }
            };
        }
        print_text(json_text(j, -1) + "\n");
    }
    return kExitOk;
}

}  // namespace

LayoutAnswer answer(const LayoutOptions& options) {
    LayoutAnswer a;
    a.expression = options.expression;
    a.layout = layouts::parse(options.expression);
    a.element = bytes_of(options.type);
    a.one_to_one = is_one_to_one(a.layout);
    if (options.banks.empty()) return a;
    const layouts::Access access = layouts::access_named(options.banks);
    a.access = access.name;
    a.conflicts = layouts::conflicts(a.layout, access, a.element);
    const bool costs = a.conflicts->problem.empty() && a.conflicts->wavefronts > a.conflicts->ideal;
    if (costs && a.layout.linear.empty()) a.free = layouts::free_swizzle(a.layout.layout, access, a.element);
    return a;
}

std::string layout_text(const LayoutAnswer& a) {
    const layouts::Layout& l = a.layout.layout;
    std::string text = fmt::format(
        "{}\n  {} elements, offsets below {}{}\n",
        layouts::text_of(a.layout),
        layouts::size(l),
        layouts::cosize(a.layout),
        a.one_to_one ? "" : "; some offsets twice"
    );
    text += table_text(a.layout);
    return a.conflicts ? text + conflicts_text(a) : text;
}

ordered_json layout_json(const LayoutAnswer& a) {
    ordered_json offsets = ordered_json::array();
    for (int64_t i = 0; i < std::min(layouts::size(a.layout.layout), kMostOffsets); ++i)
        offsets.push_back(layouts::offset(a.layout, i));
    ordered_json j{
        {"warplens",   WL_VERSION                    },
        {"verb",       "layout"                      },
        {"expression", a.expression                  },
        {"layout",     layouts::text_of(a.layout)    },
        {"size",       layouts::size(a.layout.layout)},
        {"cosize",     layouts::cosize(a.layout)     },
        {"one_to_one", a.one_to_one                  },
        {"offsets",    offsets                       }
    };
    if (!a.conflicts) return j;
    j["banks"] = {
        {"access",     a.access                               },
        {"element",    a.element                              },
        {"requests",   a.conflicts->requests                  },
        {"wavefronts", a.conflicts->wavefronts                },
        {"ideal",      a.conflicts->ideal                     },
        {"worst",      a.conflicts->worst                     },
        {"problem",    a.conflicts->problem                   },
        {"free_with",  a.free ? layouts::text_of(*a.free) : ""}
    };
    return j;
}

Sheet layout_sheet(const LayoutAnswer& a) {
    const layouts::Layout& l = a.layout.layout;
    if (l.modes.size() != 2 || layouts::size(l) > (1 << 14))
        throw Error("-o: a drawing needs a layout of two modes with at most 16384 elements");
    constexpr float kMargin = 24, kTitle = 52, kWidth = 40, kHeight = 20;
    const int64_t rows = layouts::size(l.modes[0]), columns = layouts::size(l.modes[1]);
    Sheet sheet;
    sheet.texts.push_back({kMargin, kMargin + 8, 18, Anchor::left, true, layouts::text_of(a.layout)});
    sheet.texts.push_back(
        {kMargin,
         kMargin + 30,
         11,
         Anchor::left,
         false,
         fmt::format("offset of each element; a colour is a bank, elements of {} bytes", a.element)}
    );
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            const int64_t at = layouts::offset(a.layout, i, j);
            const auto bank = bank_of_address(static_cast<uint64_t>(std::max<int64_t>(at, 0) * a.element));
            sheet.cells.push_back(
                {kMargin + static_cast<float>(j) * kWidth,
                 kMargin + kTitle + static_cast<float>(i) * kHeight,
                 kWidth - 1,
                 kHeight - 1,
                 lane_colour(static_cast<int>(bank)),
                 std::to_string(at)}
            );
        }
    sheet.width = std::max(480.0F, 2 * kMargin + static_cast<float>(columns) * kWidth);
    sheet.height = 2 * kMargin + kTitle + static_cast<float>(rows) * kHeight;
    return sheet;
}

int verb_layout(const Command& command) {
    if (command.layout.expression == "-") return answer_lines(command.layout);
    const LayoutAnswer a = answer(command.layout);
    if (!command.out.empty()) {
        write_drawing(
            command.out,
            {layout_text(a), [&] { return json_text(layout_json(a)); }, [&] { return layout_sheet(a); }}
        );
        if (!command.output.quiet) print_notice(command.out + "\n");
        return kExitOk;
    }
    const std::string text = command.output.json ? json_text(layout_json(a)) + "\n" : layout_text(a);
    print_text(text);
    return kExitOk;
}

}  // namespace wl::app

// What may be asked of a layout.
#include "app/cli/layout/layout_options.h"

#include "instrumentation/base/text.h"
#include "instrumentation/layouts/conflicts.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_layout_options(CLI::App& verb, Command& c) {
    LayoutOptions& o = c.layout;
    verb.add_option(
            "expression",
            o.expression,
            "CuTe's notation, row(R,C,LD), col(R,C,LD), and operations on these; -: a line each on stdin"
    )
        ->required();
    verb.add_option("--type", o.type, "of the elements; default: f16");
    verb.add_option(
        "--banks", o.banks, "count conflicts: ldmatrix.x1|x2|x4, ld.shared|.v2|.v4, or \"ld.shared.v4 down\""
    );
    verb.add_option("-o,--out", c.out, "write a .svg, .png, .json or .txt");
}

}  // namespace wl::app

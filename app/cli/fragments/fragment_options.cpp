// What may be asked of a map.
#include "app/cli/fragments/fragment_options.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_fragment_options(CLI::App& verb, Command& c) {
    FragmentOptions& o = c.fragments;
    verb.add_option(
        "instruction",
        o.words,
        "INSTRUCTION.SHAPE, operand and type, or a mnemonic of PTX; default: list them"
    );
    verb.add_option("--element", o.element, "ROW,COLUMN (MATRIX,ROW,COLUMN of several): who holds it");
    verb.add_option("--lane", o.lane, "what this lane holds")->check(CLI::NonNegativeNumber);
    verb.add_option("--register", o.reg, "only in this register of it")->check(CLI::NonNegativeNumber);
    verb.add_option("--colour", o.colour, "of a drawing: by lane or by register")
        ->check(CLI::IsMember({"lane", "register"}));
    verb.add_option("-o,--out", c.out, "write a .svg, .png, .json or .txt");
}

}  // namespace wl::app

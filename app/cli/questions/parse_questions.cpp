// Options that name an instant or an element: of the verbs at and why, and of the lines that they serve.
#include "app/cli/questions/parse_questions.h"

#include "app/cli/parse.h"
#include "instrumentation/base/error.h"
#include "instrumentation/watch/watch.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace wl::app {

namespace {

void read(CLI::App& line, const std::string& words) {
    try {
        line.parse(words);
    } catch (const CLI::ParseError& problem) { throw Error(problem.what()); }
}

void add_clock_options(CLI::App& at, AtOptions& o) {
    at.add_option("--time", o.time, "of the warp's clock in the build that is run")
        ->check(CLI::NonNegativeNumber);
    at.add_option("--timeline", o.timeline, "of the warp's clock in the recorded run, in either build")
        ->check(CLI::NonNegativeNumber);
    at.add_option(
        "--between", o.between, "AFTER,BEFORE,SHARE as answers say it: the same instant of another build"
    );
    at.add_option("--order", o.order, "the instant of this number of the block, as answers say it")
        ->check(CLI::NonNegativeNumber);
}

void add_step_options(CLI::App& at, AtOptions& o) {
    at.add_option(
        "--step",
        o.steps,
        "then on: into, over, out, a number of instructions, line L, mark, stage, iteration, barrier, write "
        "NAME[i][j], race, go; 'back over', 'over x3'; separated by commas"
    );
    at.add_option("--lane", o.lane, "steps follow it where lanes diverge; else the first active")
        ->check(CLI::Range(0, 31));
    at.add_option(
          "--break",
          o.breakpoints,
          "where `--step go` stops: 'FILE:LINE if EXPRESSION', 'write NAME[i][j]' (repeatable)"
    )
        ->allow_extra_args(false);
}

void add_print_options(CLI::App& at, AtOptions& o) {
    at.add_option_function<std::vector<std::string>>(
        "--print",
        [&o](const std::vector<std::string>& given) {
            for (const std::string& text : given)
                for (std::string& expression : watch::parted(text)) o.print.push_back(std::move(expression));
        },
        "expressions over the variables; default: every variable that lives there"
    );
    at.add_option("--watch", o.watch, "an expression printed before those of --print (repeatable)")
        ->allow_extra_args(false);
    at.add_option("--open", o.opened, "an array or struct whose parts are printed, too (repeatable)")
        ->allow_extra_args(false);
    at.add_flag("--warps", o.warps, "where every warp of the block stands then, and what it waits for");
    at.add_option("--across", o.across, "an expression in every warp of the block, where each stands then");
}

}  // namespace

void add_instant_options(CLI::App& at, AtOptions& o) {
    at.add_option("--block", o.block, "X,Y,Z; default: 0,0,0, of a capture the recorded block");
    at.add_option("--warp", o.warp, "of the block; default: 0, any for --write and --first")
        ->check(CLI::NonNegativeNumber);
    at.add_option("--line", o.line, "of the source: where the warp comes to it")->check(CLI::PositiveNumber);
    at.add_option("--file", o.file, "of that line, where several files have it");
    at.add_option("--stage", o.stage, "only in this WL_STAGE");
    at.add_option("--tile", o.tile, "where the warp comes to the mark of this name");
    at.add_option("--iteration", o.iteration, "of that mark or of the stage, from 0; of the element of --for")
        ->check(CLI::NonNegativeNumber);
    at.add_option("--barrier", o.barrier, "where the warp comes to its block barrier of this number, from 0")
        ->check(CLI::NonNegativeNumber);
    at.add_option("--epoch", o.epoch, "only when the warp has passed so many block barriers")
        ->check(CLI::NonNegativeNumber);
    at.add_option("--ptx-line", o.ptx_line, "where the warp comes to an instruction at this line of the PTX")
        ->check(CLI::PositiveNumber);
    at.add_option(
          "--site", o.site, "where it comes to the instruction of this number, as captures count them"
    )
        ->check(CLI::NonNegativeNumber);
    at.add_option(
          "--first",
          o.first,
          "nan or inf: the instruction that makes it; bad: that writes a tile's first wrong element"
    )
        ->check(CLI::IsMember({"nan", "inf", "bad"}));
    at.add_option(
        "--write", o.write, "where shared:0x40, global:0x7f... or the element NAME[i][j] of a tile is written"
    );
    at.add_option("--writes", o.writes, "in place of variables every write of the block to that");
    at.add_option("--last-write", o.last_write, "then back to the instruction that wrote it last");
    at.add_option("--next-write", o.next_write, "then on to the instruction that writes it next");
    at.add_option("--if", o.when, "only where this expression is true for a lane: 'isnan(acc)'");
    at.add_option(
        "--for",
        o.serves,
        "where the warp came last before NAME[i][j] of a tile was written (a NAME alone: was taken), else "
        "next"
    );
    at.add_option("--from-stage", o.from_stage, "where it comes next once it has come into this WL_STAGE");
    at.add_option("--hit", o.hit, "how many such instants to pass; -1: the last one, -2: the one before");
    add_clock_options(at, o);
    add_step_options(at, o);
    add_print_options(at, o);
    at.add_flag(
        "--fragments",
        o.fragments,
        "the next matrix instruction there: its fragments by element, with where they lay"
    );
    at.add_option("--build", o.build, "debug (variables by name) or optimised (registers by PTX name)")
        ->check(CLI::IsMember({"debug", "optimised"}));
}

void add_element_options(CLI::App& why, WhyOptions& o) {
    why.add_option("--tile", o.tile, "the tile's or the output's name");
    why.add_option("--element", o.element, "ROW,COLUMN; default: its first wrong element, else 0,0");
    why.add_option("--iteration", o.iteration, "default: the first wrong one, else the last");
    why.add_option("--warp", o.warp, "of a tile that each warp has for itself");
    why.add_option("--block", o.block, "X,Y,Z; default: one that was recorded");
    why.add_flag(
        "--addresses", o.addresses, "every line that an address or a guard depends on, through memory too"
    );
}

AtOptions parse_at(const std::string& words) {
    AtOptions o;
    CLI::App line;
    line.set_help_flag();
    add_instant_options(line, o);
    add_shared_options(line, o.shared);
    read(line, words);
    return o;
}

WhyOptions parse_why(const std::string& words) {
    WhyOptions o;
    CLI::App line;
    line.set_help_flag();
    add_element_options(line, o);
    read(line, words);
    return o;
}

}  // namespace wl::app

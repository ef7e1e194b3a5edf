// Formats, baseline, page.
#include "app/cli/formats/format_options.h"

#include "app/cli/formats/report.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void set_format(Command& c, const std::string& format) {
    c.output.format = format, c.output.json = format == "json";
}

void add_format(CLI::App& verb, Command& c) {
    verb.add_option_function<std::string>(
            "--format",
            [&c](const std::string& format) { set_format(c, format); },
            "text, json, sarif (2.1.0), junit or github (annotations)"
    )
        ->check(CLI::IsMember(format_names()));
}

void add_baseline(CLI::App& verb, Command& c) {
    verb.add_option(
        "--baseline",
        c.output.baseline,
        "accept the findings that this file knows: only new ones are status 1"
    );
    verb.add_option(
        "--write-baseline", c.output.write_baseline, "make what is found the known findings of this file"
    );
}

void add_page(CLI::App& verb, Command& c) {
    verb.add_option("--report", c.report, "an HTML page of it all: findings, tiles as pictures, sources");
}

void add_verbose(CLI::App& verb, Command& c) {
    verb.add_flag("-v,--verbose", c.output.verbose, "evidence too, and all that an ok rests on");
}

}  // namespace wl::app

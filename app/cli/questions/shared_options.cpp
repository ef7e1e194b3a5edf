// What may be asked of shared memory.
#include "app/cli/questions/parse_questions.h"

#include <CLI/CLI.hpp>

namespace wl::app {

void add_shared_options(CLI::App& at, SharedOptions& o) {
    at.add_option_function<std::vector<std::string>>(
          "--shared",
          [&o](const std::vector<std::string>& given) {
              o.asked = true;
              if (!given.empty()) o.name = given.front();
          },
          "the block's shared memory there: who wrote what when; NAME: this region alone"
    )
        ->expected(0, 1)
        ->type_name("[NAME]");
    at.add_option(
          "--as",
          o.as,
          "of --shared: read it as 'f16 64x64:ld=72', ':col', ':swizzle=3,3,3', or a type and a layout"
    )
        ->allow_extra_args(false);
    at.add_option(
        "--access", o.access, "of --shared: the requests of this source line, or of finding:N of a capture"
    );
    at.add_option(
        "--what-if", o.what_if, "of --access: what they would cost with pad=N or swizzle=BITS,BASE,SHIFT"
    );
    at.add_option("--colour", o.colour, "of --shared's map: state, warp, lane, age, writers or value")
        ->check(CLI::IsMember({"state", "warp", "lane", "age", "writers", "value"}));
}

}  // namespace wl::app

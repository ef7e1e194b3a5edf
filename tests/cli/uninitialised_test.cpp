// Values that nobody wrote: explained with their birth and effect, proven where reading zero mends the
// output, and never claimed of kernels that carry none.
#include "instrumentation/diagnosis/rules/uninitialised.h"

#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/emulator/poison/poison.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

json sums(const std::vector<std::string>& more) {
    std::vector<std::string> args{
        "diagnose", source_path("tests/kernels/sums.toml"), "--json", "--search", "0"};
    args.insert(args.end(), more.begin(), more.end());
    return json::parse(warplens(args).out, nullptr, false);
}

std::string source_line(const json& where) {
    std::istringstream text(read_file(source_path("tests/kernels/sums.cu")));
    std::string line;
    for (int n = 0; n < where.at("line").get<int>(); ++n) std::getline(text, line);
    return line;
}

TEST(Uninitialised, AMissingFirstValueIsProvenByReadingZero) {
    const json j = sums({"--fault", "start"});
    ASSERT_FALSE(j.is_discarded());
    const json& f = j.at("findings").at(0);
    EXPECT_EQ(f.at("rule"), "uninitialised") << j.dump(1);
    EXPECT_NE(source_line(f.at("where")).find("// adds to what is there"), std::string::npos) << f.dump(1);
    EXPECT_NE(source_line(f.at("other")).find("// leaves"), std::string::npos) << f.dump(1);
    EXPECT_EQ(
        f.at("proof"),
        "with zero for every value that nobody wrote, 0 of 32 elements of block (0,0,0) are outside their "
        "bounds, and 0 of 192 with 6 other seeds"
    );
    EXPECT_NE(f.at("explanation").get<std::string>().find("sums::row_sums + 0"), std::string::npos);
    for (size_t k = 1; k < j.at("findings").size(); ++k)
        EXPECT_EQ(j.at("findings").at(k).at("caused_by"), 0) << j.dump(1);
}

TEST(Uninitialised, TheCleanTwinHasNoFinding) { EXPECT_EQ(sums({}).at("verdict"), "ok"); }

TEST(Uninitialised, KernelsOfTheStoryLetNothingUnwrittenDecideOrLeave) {
    for (const char* kernel : {"v2b", "v2c_3", "flashcore_4"}) {
        manifest::BindOptions b;
        b.set = {
            {"H", "1"  },
            {"S", "100"}
        };
        capture::Capture scratch;
        const diagnosis::Experiment e = diagnosis::make_experiment(
            manifest::bind(manifest::load(manifest::resolve(kernel)), b), {}, scratch
        );
        const auto program = emulator::lower(e.module, e.entry);
        diagnosis::Prepared launch = diagnosis::prepare_launch(e.problem, ptx::entry_of(e.module, e.entry));
        const emulator::PoisonTrace t =
            emulator::trace_poison({e.module, *program, launch.launch, launch.memory}, {});
        EXPECT_EQ(t.blocks, static_cast<int64_t>(count(manifest::launch_of(e.problem).grid))) << kernel;
        EXPECT_TRUE(t.incidents.empty()) << kernel << " " << t.incidents.front().first.memory;
    }
}

}  // namespace
}  // namespace wl::test

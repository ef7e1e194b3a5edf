// Whole programs: the emulator's results beside a GPU's, with every check on and nothing to find.
#include "tests/conformance/grade.h"
#include "tests/programs/program.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wl::programs {
namespace {

const std::string kFolder = WL_SOURCE_DIR "/tests/golden/programs/";

// Where the elements of a compared argument differ by more than its bound; empty: nowhere.
std::string difference(const Argument& a, const std::byte* gpu, const std::byte* own) {
    const size_t size = size_of(a.type), count = a.bytes.size() / size;
    size_t wrong = 0;
    std::string first;
    for (size_t i = 0; i < count; ++i, gpu += size, own += size) {
        if (std::memcmp(gpu, own, size) == 0) continue;
        const double there = to_double(a.type, gpu), here = to_double(a.type, own);
        if (std::fabs(there - here) <= a.bound.absolute + a.bound.relative * std::fabs(there)) continue;
        if (wrong++ == 0) first = fmt::format("element {}: {} on the GPU, {} here", i, there, here);
    }
    return wrong == 0 ? "" : fmt::format("{} of {} elements, {}", wrong, count, first);
}

// What is wrong with the program's results, findings or instructions; empty: nothing.
std::string shortfall(const Program& program, const std::vector<std::byte>& golden) {
    Outcome own;
    try {
        own = emulate(program);
    } catch (const std::exception& e) { return e.what(); }
    for (const std::string& incident : own.incidents) return "finding: " + incident;
    const std::byte *gpu = golden.data(), *here = own.bytes.data();
    for (size_t i = 0; i < program.arguments.size(); ++i) {
        const Argument& a = program.arguments[i];
        if (!is_compared(a)) continue;
        const std::string wrong = difference(a, gpu, here);
        if (!wrong.empty()) return fmt::format("parameter {}: {}", i, wrong);
        gpu += a.bytes.size(), here += a.bytes.size();
    }
    const auto rest = static_cast<size_t>(golden.data() + golden.size() - gpu);
    const std::string printed(reinterpret_cast<const char*>(gpu), rest);
    return own.printed == printed ? "" : "prints\n" + own.printed + "and on the GPU\n" + printed;
}

class Programs : public testing::TestWithParam<size_t> {};

TEST_P(Programs, AnswerAsOnTheGpuWithoutAFinding) {
    const Program program = all_programs()[GetParam()];
    const std::string path = kFolder + program.name + ".golden";
    const auto golden = conformance::read_golden(path);
    const auto answer = golden.answers.find(program.name);
    ASSERT_NE(answer, golden.answers.end()) << path << " holds no answer";
    ASSERT_EQ(answer->second.hash, hash_of(program)) << "the GPU ran another source, launch or inputs";
    ASSERT_GE(answer->second.bytes.size(), compared_bytes(program));
    const std::string found = shortfall(program, answer->second.bytes);
    const auto known = conformance::read_notes(kFolder + "not_yet.txt");
    if (known.count(program.name))
        EXPECT_NE(found, "") << "delete its line in tests/golden/programs/not_yet.txt";
    else
        EXPECT_EQ(found, "");
}

// One seed, or as many as WARPLENS_SCHEDULES says.
TEST_P(Programs, HaveNoFindingInOtherSchedules) {
    const Program program = all_programs()[GetParam()];
    const char* asked = std::getenv("WARPLENS_SCHEDULES");
    const uint64_t seeds = asked == nullptr ? 1 : std::strtoull(asked, nullptr, 10);
    for (uint64_t seed = 1; seed <= seeds; ++seed)
        for (const std::string& incident : emulate(program, seed).incidents)
            ADD_FAILURE() << "schedule " << seed << ": " << incident;
}

std::string name_of_program(const testing::TestParamInfo<size_t>& index) {
    return all_programs()[index.param].name;
}

INSTANTIATE_TEST_SUITE_P(Gpu, Programs, testing::Range<size_t>(0, all_programs().size()), name_of_program);

}  // namespace
}  // namespace wl::programs

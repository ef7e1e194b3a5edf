// Wavefronts and sectors: the rules of one request, and what a run counts by instruction.
#include "instrumentation/analysis/banks.h"

#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>
#include <set>

namespace wl::emulator {
namespace {

using test::kernel;
using test::KernelRun;

template <class F>
LaneAccesses request(uint8_t bytes, F&& at, AccessKind kind = AccessKind::load, uint32_t mask = ~0u) {
    LaneAccesses r{kind, bytes, mask, {}};
    for (uint32_t lane = 0; lane < 32; ++lane) r.at[lane] = at(lane);
    return r;
}
int wavefronts(const LaneAccesses& r) { return bank_cost(r).wavefronts; }

TEST(Banks, TwoRowsOfOneBankConflict) {
    const BankCost c = bank_cost(request(4, [](uint32_t l) { return l == 9 ? 128u + 12 : 4 * l; }));
    EXPECT_EQ(c.wavefronts, 2);
    EXPECT_EQ(c.ideal, 1);
    EXPECT_EQ(c.degree, 2);
    EXPECT_EQ(c.bank, 3);
    EXPECT_EQ(c.lanes, 1u << 3 | 1u << 9);
}

TEST(Banks, OneWordForAllIsFree) {
    EXPECT_EQ(wavefronts(request(4, [](uint32_t) { return 4096; })), 1);
    EXPECT_EQ(wavefronts(request(1, [](uint32_t l) { return l; })), 1);
    EXPECT_EQ(
        wavefronts(request(
            4, [](uint32_t) { return 4096; }, AccessKind::store
        )),
        1
    );
}

TEST(Banks, AtomicsOnOneWordTakeTurns) {
    EXPECT_EQ(
        wavefronts(request(
            4, [](uint32_t) { return 64; }, AccessKind::atomic
        )),
        32
    );
    EXPECT_EQ(
        wavefronts(request(
            4, [](uint32_t l) { return 4 * l; }, AccessKind::atomic
        )),
        1
    );
}

// Measured on an H200: tests/kernels/banks.cu, cp_async16_*.
TEST(Banks, WideCopiesTakeAWavefrontForEachPairOfLines) {
    const auto copy = [](auto to, auto from, uint32_t mask) {
        const LaneAccesses target = request(16, to, AccessKind::copy, mask);
        const LaneAccesses source = request(16, from, AccessKind::copy, mask);
        return copy_cost(target, &source).wavefronts;
    };
    const auto unit = [](uint32_t l) { return 16 * l; };
    const auto at = [](uint32_t offset) { return [offset](uint32_t l) { return 16 * l + offset; }; };
    EXPECT_EQ(copy(unit, unit, ~0u), 4) << "a line of 128 bytes a quarter-warp";
    EXPECT_EQ(copy(at(32), unit, 0xff), 2) << "whole sectors, two lines";
    EXPECT_EQ(copy(at(16), unit, 0xff), 3) << "halves of sectors: even lanes, then odd ones in two lines";
    EXPECT_EQ(copy(at(48), unit, 0xff), 4);
    EXPECT_EQ(copy(unit, at(16), 0xff), 3) << "the same where the source is askew";
    EXPECT_EQ(copy(at(16), at(16), 0xff), 3) << "or both";
    EXPECT_EQ(copy([](uint32_t l) { return 16 * (l ^ 1); }, unit, 0xff), 1) << "halves that change places";
    EXPECT_EQ(
        copy(
            unit, [](uint32_t l) { return 256 * l; }, ~0u
        ),
        32
    );
    EXPECT_EQ(copy([](uint32_t l) { return 144 * (l >> 3) + 16 * (l & 7); }, unit, ~0u), 10);
    EXPECT_EQ(copy([](uint32_t l) { return 80 * (l >> 2) + 16 * (l & 3); }, unit, ~0u), 15);
    const BankCost alone = bank_cost(request(16, at(16), AccessKind::copy, 0xff));
    EXPECT_EQ(alone.wavefronts, 3) << "where the source is not known it counts as a whole line";
    EXPECT_EQ(alone.ideal, 1);
    EXPECT_EQ(alone.lanes, 0xffu);
}

TEST(Banks, LoadsOfEightBytesJoinTheirHalfWarpsOnlyWhenNeighboursAgree) {
    const auto pairs = [](uint32_t l) { return 8 * (l / 2); };
    EXPECT_EQ(wavefronts(request(8, [](uint32_t l) { return 8 * l; })), 2);
    EXPECT_EQ(wavefronts(request(8, pairs)), 1);
    EXPECT_EQ(wavefronts(request(8, pairs, AccessKind::store)), 2);
    EXPECT_EQ(wavefronts(request(8, [](uint32_t l) { return 8 * (l & 15); })), 2);
    const auto misfit = [](uint32_t l) {
        return l < 16 ? 8 * (l / 2) : 64 + 8 * ((l & 1) | (l - 16) / 4 * 2);
    };
    EXPECT_EQ(wavefronts(request(8, misfit)), 2);
}

TEST(Banks, SixteenBytesGoByQuarterWarps) {
    EXPECT_EQ(wavefronts(request(16, [](uint32_t l) { return 16 * l; })), 4);
    EXPECT_EQ(wavefronts(request(16, [](uint32_t) { return 64; })), 2);
    const auto one_half_pairs = [](uint32_t l) { return l < 16 ? 16 * (l / 2) : 16 * (l - 8); };
    EXPECT_EQ(wavefronts(request(16, one_half_pairs)), 4);
    const BankCost row = bank_cost(request(16, [](uint32_t l) { return 128 * l; }));
    EXPECT_EQ(row.wavefronts, 32);
    EXPECT_EQ(row.ideal, 4);
    EXPECT_EQ(row.degree, 8);
}

TEST(Banks, EveryMatrixIsAPhaseEvenIfAllAreTheSame) {
    const auto same = [](uint32_t l) { return 16 * (l & 7); };
    EXPECT_EQ(wavefronts(request(16, same, AccessKind::matrix)), 4);
    EXPECT_EQ(wavefronts(request(16, same, AccessKind::matrix, 0xff)), 1);
}

TEST(Banks, SectorsAreThoseThatHoldAByte) {
    const SectorCost off = sector_cost(request(4, [](uint32_t l) { return 4 * l + 4; }));
    EXPECT_EQ(off.sectors, 5);
    EXPECT_EQ(off.ideal, 4);
    EXPECT_EQ(sector_cost(request(4, [](uint32_t) { return 64; })).sectors, 1);
    EXPECT_EQ(sector_cost(request(16, [](uint32_t l) { return 32 * (31 - l); })).sectors, 32);
    EXPECT_EQ(sector_cost(request(16, [](uint32_t l) { return 32 * (31 - l); })).ideal, 16);
}

TEST(Banks, AMovedRowKeepsItsBytesApartFromAllOthers) {
    const RowMap padded{128, 128 + 8 * 256, 256, 16, 0, 0, 0}, swizzled{128, 128 + 8 * 256, 256, 0, 16, 7, 0};
    for (const RowMap& map : {padded, swizzled}) {
        std::set<uint64_t> seen;
        for (uint64_t at = 0; at < 4096; ++at) EXPECT_TRUE(seen.insert(moved(map, at)).second) << at;
        EXPECT_EQ(moved(map, 64), 64u);
        EXPECT_EQ(bank_of_address(moved(map, 128 + 4)), bank_of_address(128 + 4));
    }
    EXPECT_EQ(bank_of_address(moved(padded, 128 + 3 * 256)), 3 * 4u);
    EXPECT_EQ(bank_of_address(moved(swizzled, 128 + 3 * 256 + 16)), (3u ^ 1) * 4);
}

// ---- what a run counts

KernelRun counted(const std::string& body, uint32_t threads = 32) {
    KernelRun k(kernel("mov.u32 %r9, tile;\n" + body, ".shared .align 128 .b8 tile[4096];"), threads);
    k.options.count_accesses = true;
    k.out<uint32_t>("result", 1024);
    return k;
}
constexpr const char* kColumn = "mul.lo.u32 %r10, %r0, 128;\nst.shared.u32 [%r10], %r0;\n";

TEST(BankCounts, AColumnOfThirtyTwoWordsTakesThirtyTwoWavefronts) {
    const KernelRun k = counted(kColumn).go();
    ASSERT_EQ(k.result.accesses.sites.size(), 1u);
    const capture::AccessSite& s = k.result.accesses.sites[0];
    EXPECT_FALSE(s.global);
    EXPECT_EQ(s.requests, 1u);
    EXPECT_EQ(s.cost, 32u);
    EXPECT_EQ(s.ideal, 1u);
    EXPECT_EQ(s.degree, 32);
    EXPECT_EQ(s.kind, AccessKind::store);
    EXPECT_EQ(s.witness.accesses.at[3], 3 * 128u);
    EXPECT_EQ(sites(*k.program)[s.site].text.substr(0, 13), "st.shared.u32");
}

TEST(BankCounts, AMapChangesTheCountsAndNothingElse) {
    const std::string body =
        std::string(kColumn) + "ld.shared.u32 %r11, [%r10];\n" + test::store(0, "u32", 4, "%r11");
    KernelRun plain = counted(body), padded = counted(body);
    padded.options.row_maps = {
        {0, 4096, 128, 4, 0, 0, 0}
    };
    plain.go(), padded.go();
    EXPECT_EQ(plain.result.accesses.sites[0].cost, 32u);
    EXPECT_EQ(padded.result.accesses.sites[0].cost, 1u);
    EXPECT_EQ(padded.result.accesses.sites[1].cost, 1u);
    EXPECT_EQ(padded.get<uint32_t>("result")[31], 31u);
    EXPECT_EQ(padded.get<uint32_t>("result"), plain.get<uint32_t>("result"));
}

TEST(BankCounts, TheAddressIsReadBeforeTheInstructionOverwritesIt) {
    const KernelRun k =
        counted("mul.lo.u32 %r10, %r0, 8;\nst.shared.u32 [%r10], %r0;\nld.shared.u32 %r10, [%r10];\n").go();
    EXPECT_EQ(k.result.accesses.sites.at(1).cost, 2u);
}

TEST(BankCounts, GuardedLanesDoNotCountAndGenericAddressesDo) {
    const KernelRun k =
        counted(
            "setp.lt.u32 %p1, %r0, 4;\nmul.wide.u32 %rd10, %r0, 128;\ncvta.shared.u64 %rd11, %rd10;\n"
            "@%p1 st.u32 [%rd11], %r0;\n"
        )
            .go();
    ASSERT_EQ(k.result.accesses.sites.size(), 1u);
    EXPECT_EQ(k.result.accesses.sites[0].cost, 4u);
    EXPECT_EQ(k.result.accesses.sites[0].witness.accesses.mask, 0xfu);
}

TEST(BankCounts, WarpsAndBlocksAddUpWhateverTheThreads) {
    const auto run_with = [](int threads) {
        KernelRun k = counted(std::string(kColumn) + test::store(0, "u32", 4, "%r0"), 64);
        k.launch.grid = {7, 1, 1};
        k.options.threads = threads;
        k.go();
        return k.result.accesses;
    };
    const capture::AccessCounts one = run_with(1), four = run_with(4);
    ASSERT_EQ(one.sites.size(), 2u);
    EXPECT_EQ(one.sites[0].requests, 14u);
    EXPECT_EQ(one.sites[1].requests, 14u);
    EXPECT_EQ(one.sites[1].cost, 14 * 4u);
    ASSERT_EQ(four.sites.size(), 2u);
    EXPECT_EQ(four.sites[0].cost, one.sites[0].cost);
    EXPECT_EQ(four.sites[0].witness.block, 0);
    EXPECT_EQ(four.patterns.size(), one.patterns.size());
}

TEST(BankCounts, ARunThatDoesNotCountLeavesNothing) {
    KernelRun k = counted(kColumn);
    k.options.count_accesses = false;
    k.go();
    EXPECT_TRUE(k.result.accesses.sites.empty());
    EXPECT_TRUE(k.result.accesses.patterns.empty());
}

// ---- arrays and remedies

using analysis::find_remedies;
using analysis::Remedy;
using analysis::shared_arrays;
using analysis::SharedArray;

capture::SharedRegion region(
    const std::string& name, uint32_t begin, int64_t rows, int64_t cols, int64_t ld
) {
    return {name, false, begin, rows, cols, ld, 4};
}

TEST(BankArrays, MarksOfOneMatrixAreOneArrayAndStagesOfOneNameToo) {
    const std::vector<SharedArray> arrays = shared_arrays({
        {"everything", true, 0,      1, 65536, 0, 1},
        region("K", 0, 16, 32, 32),
        region("scores", 8192, 32, 32, 32),
        region("K", 4096, 16, 32, 32),
        region("P", 8192, 32, 32, 32),
        {"other",      true, 131072, 1, 4096,  0, 1},
    });
    ASSERT_EQ(arrays.size(), 3u);
    EXPECT_EQ(arrays[0].name, "K");
    EXPECT_EQ(
        arrays[0].ranges,
        (std::vector<std::pair<uint32_t, uint32_t>>{
            {0,    2048},
            {4096, 6144}
    })
    );
    EXPECT_EQ(arrays[0].pitch, 128u);
    EXPECT_EQ(arrays[1].name, "scores, P");
    EXPECT_EQ(arrays[2].name, "other");
    EXPECT_EQ(arrays[2].pitch, 0u);
    EXPECT_EQ(analysis::array_at(arrays, 5000), 0);
    EXPECT_EQ(analysis::array_at(arrays, 3000), -1);
}

TEST(BankArrays, AColumnIsMendedByOneWordOfPaddingOrBySwizzlingWords) {
    const std::vector<SharedArray> arrays = shared_arrays({region("tile", 1024, 32, 32, 32)});
    const auto column = request(4, [](uint32_t l) { return 1024 + 128 * l; });
    const std::vector<Remedy> found = find_remedies(
        arrays,
        {
            {0, 5, column}
    }
    );
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].padding, 4u);
    EXPECT_EQ(found[0].before, 160u);
    EXPECT_EQ(found[0].after, 5u);
    EXPECT_EQ(found[1].unit, 4u);
    EXPECT_EQ(found[1].mask, 31u);
    EXPECT_EQ(found[1].after, 5u);
}

TEST(BankArrays, VectorAccessesOfTheSameArrayKeepTheirAlignment) {
    const std::vector<SharedArray> arrays = shared_arrays({region("tile", 0, 32, 32, 32)});
    const auto column = request(4, [](uint32_t l) { return 128 * l; });
    const auto rows = request(16, [](uint32_t l) { return 16 * l; });
    for (const Remedy& r : find_remedies(
             arrays,
             {
                 {0, 1, column},
                 {1, 1, rows  }
    }
         )) {
        EXPECT_EQ(r.padding % 16, 0u);
        EXPECT_TRUE(r.padding != 0 || r.unit == 16);
        EXPECT_LT(r.after, r.before);
    }
}

TEST(BankArrays, WithoutConflictsThereIsNoRemedy) {
    const std::vector<SharedArray> arrays = shared_arrays({region("tile", 0, 32, 32, 32)});
    EXPECT_TRUE(find_remedies(
                    arrays,
                    {
                        {0, 9, request(4, [](uint32_t l) { return 4 * l; })}
    }
    ).empty());
}

TEST(BankArrays, AnInlinedHeaderCountsForTheLineThatCallsIt) {
    std::vector<capture::Site> program(4);
    program[3].source = 0, program[3].line = 98;                               // the call in the kernel
    program[2].source = 0, program[2].line = 45, program[2].inlined_at = 3;    // a function of its file
    program[0].source = 1, program[0].line = 5122, program[0].inlined_at = 2;  // a header's function
    program[1] = program[0];
    std::vector<capture::AccessSite> sites(2);
    sites[0].site = 0, sites[0].requests = 2, sites[0].cost = 4, sites[0].ideal = 2,
    sites[0].witness.cost = 2;
    sites[1].site = 1, sites[1].requests = 1, sites[1].cost = 8, sites[1].ideal = 1,
    sites[1].witness.cost = 8;
    const auto lines = analysis::by_line(program, {}, sites);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].line, 45);
    EXPECT_EQ(lines[0].inlined_at, std::vector<int>{98});
    EXPECT_EQ(lines[0].instructions, 2u);
    EXPECT_EQ(lines[0].sum.cost, 12u);
    EXPECT_EQ(lines[0].sum.site, 1u);
}

}  // namespace
}  // namespace wl::emulator

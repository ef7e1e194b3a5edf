// Edits of programs: what they make is decoded; labels, lines, lists and marks stay right.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/ptx/edit/edit.h"
#include "tests/ptx/loop_module.h"
#include "tests/ptx/random_edits.h"
#include "tests/ptx/same_module.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace wl::ptx {
namespace {

TEST(PtxEdit, WhatIsPutBeforeALoopIsReachedByItsBackEdge) {
    Module m = parse(kLoop);
    const auto loop = static_cast<uint32_t>(label(m, "$loop"));
    const Edit edit = insert_before(
        m,
        {
            {kEntry, loop}
    },
        "bar.sync 0;"
    );
    ASSERT_TRUE(edit) << edit.refused;
    EXPECT_EQ(
        edit.made,
        (Places{
            {kEntry, loop}
    })
    );
    EXPECT_EQ(at(m, loop), "bar.sync 0;");
    EXPECT_NE(m.functions[kEntry].code[loop].form, nullptr) << "a real form";
    EXPECT_EQ(label(m, "$loop"), static_cast<int32_t>(loop));
    EXPECT_EQ(m.functions[kEntry].code[find(m, Op::bra)].operands[0].index, static_cast<int32_t>(loop));
    EXPECT_EQ(m.locations[static_cast<size_t>(m.functions[kEntry].code[loop].location)].line, 11);
    EXPECT_EQ(difference(m, parse(print(m))), "");
}

TEST(PtxEdit, WhatIsPutAfterALoopIsNotInIt) {
    Module m = parse(kLoop);
    const uint32_t back = find(m, Op::bra);
    ASSERT_TRUE(insert_after(
        m,
        {
            {kEntry, back}
    },
        "membar.gl;"
    ));
    EXPECT_EQ(at(m, back + 1), "membar.gl;");
    EXPECT_EQ(label(m, "$L__tmp1"), static_cast<int32_t>(back) + 2)
        << "branches to what follows do not meet it";
    EXPECT_FALSE(insert_after(
        m,
        {
            {kEntry, back + 2}
    },
        "membar.gl;"
    )) << "nothing runs after ret";
}

TEST(PtxEdit, TextBringsRegistersLabelsAndLinesOfItsOwn) {
    Module m = parse(kLoop);
    const uint32_t back = find(m, Op::bra);
    const int32_t reg = add_register(m, kEntry, Type::b32);
    EXPECT_EQ(m.functions[kEntry].registers[static_cast<size_t>(reg)].name, "%wl");
    EXPECT_EQ(
        m.functions[kEntry].registers[static_cast<size_t>(add_register(m, kEntry, Type::b64))].name, "%wl$1"
    );
    const Edit edit = insert_before(
        m,
        {
            {kEntry, 0   },
            {kEntry, back}
    },
        ".reg .b32 %r1, n; .reg .b64 place; .reg .pred %q; mov.u64 place, counter; mov.u32 n, %r2;\n"
        "setp.eq.u32 %q, n, 0; @%q bra $loop; @!%q bra END; atom.global.add.u32 %r1, [place], %wl; END:"
    );
    ASSERT_TRUE(edit) << edit.refused;
    EXPECT_EQ(edit.made.size(), 12U);
    const Function& f = m.functions[kEntry];
    const Instruction& to_loop = f.code[3];
    EXPECT_EQ(to_loop.operands[0].index, label(m, "$loop"));
    EXPECT_EQ(f.code[4].operands[0].index, 6) << "its own label";
    EXPECT_EQ(at(m, 5), "atom.global.add.u32 %r1$1, [place], %wl;");
    EXPECT_EQ(at(m, back + 6 + 5), "atom.global.add.u32 %r1$2, [place$1], %wl;") << "each time anew";
    EXPECT_EQ(difference(m, parse(print(m))), "");
}

TEST(PtxEdit, WhatIsTakenOutLeavesItsLabelToTheNext) {
    Module m = parse(kLoop);
    const int32_t loop = label(m, "$loop");
    ASSERT_TRUE(remove(
        m,
        {
            {kEntry, static_cast<uint32_t>(loop)},
            {kEntry, 0                          }
    }
    ));
    EXPECT_EQ(label(m, "$loop"), loop - 1);
    EXPECT_EQ(at(m, static_cast<uint32_t>(loop) - 1), "cvt.rn.f32.u32 %f1, %r2;");
    EXPECT_EQ(m.functions[kEntry].code[find(m, Op::bra)].operands[0].index, loop - 1);
    ASSERT_TRUE(replace(
        m,
        {
            {kEntry, find(m, Op::cvt)}
    },
        "mov.f32 %f1, 0f40000000; mov.f32 %f2, %f1;"
    ));
    EXPECT_EQ(at(m, static_cast<uint32_t>(label(m, "$loop"))), "mov.f32 %f1, 0f40000000;");
}

TEST(PtxEdit, AMultiplicationLeftOutPassesItsOperandOn) {
    Module m = parse(kLoop);
    const uint32_t mul = find(m, Op::mul);
    ASSERT_TRUE(replace_by_move(
        m,
        {
            {kEntry, mul}
    },
        1
    ));
    EXPECT_EQ(at(m, mul), "mov.f32 %f2, %f1;");
    const Instruction& move = m.functions[kEntry].code[mul];
    EXPECT_EQ(move.op, Op::mov);
    ASSERT_NE(move.form, nullptr);
    EXPECT_EQ(move.form->op, Op::mov);
    EXPECT_FALSE(replace_by_move(
        m,
        {
            {kEntry, find(m, Op::bra)}
    },
        0
    ));
}

TEST(PtxEdit, GuardsAreLiftedNegatedAndFixed) {
    Module m = parse(kLoop);
    const uint32_t back = find(m, Op::bra);
    ASSERT_TRUE(negate_guard(
        m,
        {
            {kEntry, back}
    }
    ));
    EXPECT_EQ(at(m, back), "@!%p1 bra $loop;");
    ASSERT_TRUE(set_guard(
        m,
        {
            {kEntry, 0}
    },
        m.functions[kEntry].code[back].guard
    ));
    EXPECT_EQ(at(m, 0), "@!%p1 mov.u32 %r1, %tid.x;");
    ASSERT_TRUE(fix_guard(
        m,
        {
            {kEntry, 0}
    },
        true
    ));
    EXPECT_EQ(at(m, 0), "mov.u32 %r1, %tid.x;");
    EXPECT_FALSE(negate_guard(
        m,
        {
            {kEntry, 0}
    }
    )) << "has none";
    EXPECT_FALSE(set_guard(
        m,
        {
            {kEntry, 0}
    },
        {0, false}
    )) << "a register that is no predicate";
    ASSERT_TRUE(fix_guard(
        m,
        {
            {kEntry, back}
    },
        false
    ));
    EXPECT_EQ(at(m, back), "ret;");
}

TEST(PtxEdit, WordsTypesComparisonsAndConstantsAreDecodedAgain) {
    Module m = parse(kLoop);
    const Code& code = m.functions[kEntry].code;
    const Place less{kEntry, find(m, Op::setp)}, convert{kEntry, find(m, Op::cvt)},
        scale{kEntry, find(m, Op::mul)};
    ASSERT_TRUE(set_comparison(m, {less}, Compare::ge));
    ASSERT_TRUE(set_type(m, {less}, 0, Type::s32));
    ASSERT_TRUE(set_constant(m, {less}, 2, 9));
    EXPECT_EQ(at(m, less.at), "setp.ge.s32 %p1, %r2, 9;");
    EXPECT_EQ(code[less.at].modifiers.compare, Compare::ge);
    EXPECT_EQ(code[less.at].types, std::vector{Type::s32});
    EXPECT_FALSE(set_comparison(m, {less}, Compare::gtu)) << "of floats alone";
    EXPECT_FALSE(set_type(m, {less}, 0, Type::s64)) << "its registers have 32 bits";
    ASSERT_TRUE(set_modifier(m, {convert}, "rn", "rz"));
    EXPECT_EQ(code[convert.at].modifiers.rounding, Rounding::rz);
    EXPECT_FALSE(set_modifier(m, {convert}, "rz", "")) << "it must round";
    ASSERT_TRUE(set_modifier(m, {scale}, "", "ftz"));
    ASSERT_TRUE(set_modifier(m, {scale}, "", "rn"));
    EXPECT_EQ(at(m, scale.at), "mul.rn.ftz.f32 %f2, %f1, 0f3E000000;") << "in the row's order";
    EXPECT_EQ(at(m, less.at), "setp.ge.s32 %p1, %r2, 9;");
    EXPECT_EQ(difference(m, parse(print(m))), "");
}

TEST(PtxEdit, ABranchGoesOnAtAPlaceThatHadNoLabel) {
    Module m = parse(kLoop);
    const Place back{kEntry, find(m, Op::bra)};
    ASSERT_TRUE(retarget(m, {back}, 1));
    EXPECT_EQ(at(m, back.at), "@%p1 bra $wl_1;");
    ASSERT_TRUE(retarget(m, {back}, static_cast<uint32_t>(m.functions[kEntry].code.size())));
    EXPECT_EQ(difference(m, parse(print(m))), "");
    EXPECT_FALSE(retarget(m, {back}, 100));
    EXPECT_FALSE(retarget(
        m,
        {
            {kEntry, 0}
    },
        1
    )) << "no branch";
}

TEST(PtxEdit, MarksAreNumberedInTheirOrder) {
    Module m = parse(kLoop);
    ASSERT_TRUE(insert_before(
        m,
        {
            {kEntry, 4}
    },
        "//@wl stage \"b\"\n"
    ));
    ASSERT_TRUE(insert_before(
        m,
        {
            {kEntry, 1},
            {kEntry, 2}
    },
        "//@wl stage \"a\"\n//@wl lanes \"x\" 7 %r1\n"
    ));
    const Function& f = m.functions[kEntry];
    ASSERT_EQ(f.marks.size(), 5U);
    EXPECT_EQ(f.marks[4].name, "b");
    ASSERT_TRUE(remove(
        m,
        {
            {kEntry, 1}
    }
    ));
    EXPECT_EQ(f.marks.size(), 4U);
    EXPECT_EQ(f.marks[0].name, "x");
    EXPECT_EQ(f.code[1].mark, 0);
    EXPECT_FALSE(set_constant(
        m,
        {
            {kEntry, 1}
    },
        0,
        1
    )) << "a mark is not changed";
    EXPECT_EQ(difference(m, parse(print(m))), "");
}

TEST(PtxEdit, TheLayoutOfALoadIsThatOfItsProduct) {
    Module m = parse(read_text_file(WL_SOURCE_DIR "/tests/ptx/matrix.ptx"));
    std::vector<size_t> all;
    for (size_t f = 0; f < m.functions.size(); ++f) all.push_back(f);
    const Places loads = select(m, all, [](const Instruction& i) {
        return i.op == Op::wmma_load && i.modifiers.kind == "b" && i.types.front() == Type::f16;
    });
    ASSERT_FALSE(loads.empty());
    const Place load = loads.front();
    const Code& code = m.functions[load.function].code;
    const Code before = code;
    ASSERT_TRUE(toggle_layout(m, {load}));
    EXPECT_NE(code[load.at].modifiers.layout_a, before[load.at].modifiers.layout_a);
    size_t products = 0;
    for (size_t i = 0; i < code.size(); ++i) {
        if (code[i].op != Op::wmma_mma) continue;
        const bool uses = code[i].operands[2].elements[0] == code[load.at].operands[0].elements[0];
        products += uses ? 1 : 0;
        EXPECT_EQ(code[i].modifiers.layout_b != before[i].modifiers.layout_b, uses);
    }
    EXPECT_GT(products, 0U);
    EXPECT_EQ(difference(m, parse(print(m))), "");
}

TEST(PtxEdit, GroupsAreOfALineAndItsCalls) {
    const Module m = parse(kLoop);
    Places all;
    for (uint32_t i = 0; i < 7; ++i) all.push_back({kEntry, i});
    const std::vector<Places> groups = group_by_line(m, all);
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[0].size(), 2U);
    EXPECT_EQ(groups[1].size(), 4U);
    EXPECT_TRUE(lies_at(m, m.functions[kEntry].code[4].location, "k.cu", 11));
    EXPECT_FALSE(lies_at(m, m.functions[kEntry].code[4].location, "k.cu", 12));
}

TEST(PtxEdit, CalledFunctionsAreReached) {
    const Module m = parse(read_text_file(WL_SOURCE_DIR "/tests/ptx/language.ptx"));
    size_t callers = 0;
    for (size_t f = 0; f < m.functions.size(); ++f) {
        const std::vector<size_t> reached = reached_from(m, f);
        EXPECT_EQ(reached.front(), f);
        for (const size_t r : reached)
            for (const Instruction& i : m.functions[r].code) {
                if (i.op != Op::call || i.operands[1].kind != Operand::Kind::function) continue;
                ++callers;
                const auto callee = static_cast<size_t>(i.operands[1].index);
                EXPECT_NE(std::find(reached.begin(), reached.end(), callee), reached.end());
            }
    }
    EXPECT_GT(callers, 0U);
}

std::vector<std::string> corpus() {
    std::vector<std::string> files;
    for (const char* folder : {"/tests/ptx", "/tests/ptx/corpus"})
        for (const auto& file : std::filesystem::directory_iterator(WL_SOURCE_DIR + std::string(folder)))
            if (file.path().extension() == ".ptx") files.push_back(file.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

TEST(PtxEdit, AnEditedModulePrintedAndParsedIsTheEditedModule) {
    constexpr size_t kRounds = 6, kEdits = 25;
    std::map<std::string, std::pair<size_t, size_t>> counts;  // done, refused
    uint64_t seed = 13;
    for (const std::string& file : corpus()) {
        Module original;
        try {
            original = parse(read_text_file(file));
            if (print(original).size() > 400000) continue;
        } catch (const Error&) { continue; }
        for (size_t round = 0; round < kRounds; ++round) {
            Random random(++seed);
            Module m = original;
            std::string done;
            for (size_t k = 0; k < kEdits; ++k) {
                const Tried tried = random_edit(m, random);
                ++(tried.edit ? counts[tried.kind].first : counts[tried.kind].second);
                if (tried.edit) done += tried.kind + " ";
            }
            std::string printed;
            try {
                printed = print(m);
                EXPECT_EQ(difference(m, parse(printed)), "") << file << ", seed " << seed << ": " << done;
            } catch (const std::exception& e) {
                ADD_FAILURE() << file << ", seed " << seed << ": " << e.what() << "\n"
                              << done << "\n"
                              << printed;
            }
        }
    }
    EXPECT_EQ(counts.size(), kinds_of_edits());
    for (const auto& [kind, count] : counts)
        EXPECT_GT(count.first, kind == "toggle_layout" ? 3U : 30U) << kind << " was nearly always refused";
}

}  // namespace
}  // namespace wl::ptx

// The traits of rows: no consumer of the table has to guess about an instruction that is executed.
#include "instrumentation/ptx/table/effects.h"

#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

bool is_executed(const Form& form) { return !form.not_modelled.ends_with("not executed"); }

// Calls `visit` with every row that is executed and what to call it.
template <class Visit>
void each_row(Visit visit) {
    for (const Family& family : families())
        for (const Form& form : family.forms)
            if (is_executed(form) && form.operands != "*") {
                SCOPED_TRACE(
                    std::string(form.name) + " ." + std::string(form.types) + " ." +
                    std::string(form.modifiers) + " `" + std::string(form.operands) + "`"
                );
                visit(form);
            }
}

bool has_word(std::string_view groups, std::string_view word) {
    for (size_t at = groups.find(word); at != std::string_view::npos; at = groups.find(word, at + 1)) {
        const char before = at == 0 ? ' ' : groups[at - 1];
        const size_t end = at + word.size();
        const char behind = end == groups.size() ? ' ' : groups[end];
        const auto ends = [](char c) { return c == ' ' || c == '|' || c == '?' || c == '.'; };
        if (ends(before) && ends(behind)) return true;
    }
    return false;
}

std::string_view written(const Form& form, int8_t role) {
    return notation::roles_of(form.operands).written[static_cast<size_t>(role)];
}

TEST(PtxTraits, ARowWithAnAddressSaysWhatItDoesThere) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        const bool address = form.operands.find('[') != std::string_view::npos;
        EXPECT_EQ(address, t.memory != Memory::none);
        if (!address) return;
        ASSERT_NE(t.address, kNoRole);
        EXPECT_TRUE(written(form, t.address).starts_with('['));
        EXPECT_EQ(t.memory == Memory::copy, t.source != kNoRole);
    });
}

TEST(PtxTraits, WhatMovesMemorySaysHowManyBytes) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        if (!reads(t.memory) && !writes(t.memory)) return;
        const bool typed = t.extent == Extent::typed, rows = t.extent == Extent::rows;
        EXPECT_EQ(typed, t.size == kNoRole && !rows && t.extent != Extent::fragment);
        if (typed) { EXPECT_FALSE(form.types.empty()); }
        if (t.extent == Extent::operand || t.extent == Extent::bulk) { EXPECT_NE(t.size, kNoRole); }
        if (rows) { EXPECT_TRUE(has_word(form.modifiers, "x4")); }
        if (t.extent == Extent::fragment) { EXPECT_NE(t.stride, kNoRole); }
    });
}

// Dataflow and poison find the registers by it.
TEST(PtxTraits, WhatMovesBetweenMemoryAndRegistersSaysWhich) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        if (t.memory == Memory::load) { EXPECT_EQ(t.data, 0); }
        if (t.memory == Memory::store) {
            ASSERT_NE(t.data, kNoRole);
            EXPECT_GT(t.data, t.address);
        }
        if (t.memory == Memory::update) { EXPECT_EQ(t.data != kNoRole, t.destinations > 0); }
        if (t.memory == Memory::copy) { EXPECT_EQ(t.data, kNoRole); }
    });
}

// Race checks and banks take the space from the mnemonic.
TEST(PtxTraits, ACopyNamesBothSpaces) {
    each_row([](const Form& form) {
        if (form.traits.memory != Memory::copy) return;
        EXPECT_TRUE(has_word(form.modifiers, "shared") || has_word(form.modifiers, "shared::cta"));
        EXPECT_TRUE(has_word(form.modifiers, "global"));
    });
}

TEST(PtxTraits, WhatIsExecutedByTheWholeWarpWaitsForItsLanes) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        const bool whole = has_word(form.modifiers, "sync") && t.waits != Waits::block && !t.nothing;
        if (whole) { EXPECT_EQ(t.waits, Waits::lanes); }
        if (is_collective(t.flow)) { EXPECT_EQ(t.waits, Waits::lanes); }
        const int8_t mask = notation::role_named(notation::roles_of(form.operands), "mask");
        if (mask != kNoRole && t.waits == Waits::lanes) { EXPECT_TRUE(t.steers >> mask & 1); }
    });
}

TEST(PtxTraits, WhatWritesNoRegisterSaysWhatItIsThereFor) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        const bool registers = t.destinations > 0;
        const bool does = t.memory != Memory::none || t.waits != Waits::nothing ||
            t.control != Control::none || t.fence || t.sleeps || t.nothing;
        EXPECT_TRUE(registers || does);
        if (registers && t.memory == Memory::none) { EXPECT_NE(t.flow, Flow::none); }
        if (!registers && t.memory == Memory::none) {
            EXPECT_TRUE(t.flow == Flow::none || t.flow == Flow::lost);
        }
    });
}

// A row that reads registers must have types to say how wide they are, or say it itself.
TEST(PtxTraits, RegistersHaveAWidth) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        if (t.memory != Memory::none || t.control != Control::none) return;
        const notation::Roles roles = notation::roles_of(form.operands);
        for (int8_t k = 0; k < roles.count; ++k) {
            const std::string name = std::string(roles.names[static_cast<size_t>(k)]);
            const bool said = form.does.find(name + ":") != std::string_view::npos;
            const bool immediate = name == "lut" || name == "f" || name == "n" || form.name == "pmevent";
            const bool known = t.widths[static_cast<size_t>(k)].of != Width::Of::any;
            EXPECT_TRUE(said || known || immediate) << name;
        }
    });
}

// The role of an operand is counted from the left: what may be left out stands behind what is looked for.
TEST(PtxTraits, NothingThatMayBeLeftOutStandsBeforeWhatIsLookedFor) {
    each_row([](const Form& form) {
        const Traits& t = form.traits;
        const notation::Roles roles = notation::roles_of(form.operands);
        const auto is_looked_for = [&](int8_t k) {
            return k == t.data || k == t.address || k == t.source || k == t.size || k == t.stride ||
                k == t.fill;
        };
        bool left_out = false;
        for (int8_t k = 0; k < roles.count; ++k) {
            const std::string_view role = roles.written[static_cast<size_t>(k)];
            if (left_out) { EXPECT_FALSE(is_looked_for(k)) << role; }
            left_out = left_out || (role.ends_with('?') && !role.starts_with('|'));
            if (role.starts_with('|')) { EXPECT_EQ(k, 1); }
        }
    });
}

const Instruction& last_of(const Module& m) { return m.functions[0].code[m.functions[0].code.size() - 2]; }

Module one(const std::string& instruction) {
    return parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n" +
        instruction + "\nret;\n}\n"
    );
}

TEST(PtxTraits, OperandsAreFoundByTheirRoles) {
    const Module shuffle = one("shfl.sync.bfly.b32 %r1, %r2, %r3, %r4, %r5;"),
                 pair = one("shfl.sync.bfly.b32 %r1|%p1, %r2, %r3, %r4, %r5;");
    EXPECT_EQ(operand_in(last_of(shuffle), 2)->index, last_of(shuffle).operands[1].index);
    EXPECT_EQ(operand_in(last_of(pair), 2)->index, last_of(pair).operands[2].index);
    EXPECT_EQ(role_of(last_of(shuffle), 4), 5);
    const Module atom = one("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;");
    const Traits& t = traits_of(last_of(atom));
    EXPECT_EQ(t.memory, Memory::update);
    EXPECT_EQ(operand_in(last_of(atom), t.address), &last_of(atom).operands[1]);
    EXPECT_EQ(space_of(last_of(atom), t.address), Space::global);
}

TEST(PtxTraits, APolicyIsNoRole) {
    const Module m = one("cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;");
    const Instruction& copy = last_of(m);
    const Traits& t = traits_of(copy);
    EXPECT_EQ(operand_in(copy, t.fill), nullptr);
    EXPECT_EQ(role_of(copy, 3), kNoRole);
    EXPECT_EQ(space_of(copy, t.address), Space::shared);
    EXPECT_EQ(space_of(copy, t.source), Space::global);
}

// The hint announces one more operand, which is then not the size or what is stored.
TEST(PtxTraits, APolicyComesWithItsHintAlone) {
    const auto op = [](const std::string& text) { return last_of(one(text)).op; };
    EXPECT_EQ(op("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;"), Op::ld);
    EXPECT_EQ(op("ld.global.L2::cache_hint.u32 %r1, [%rd1];"), Op::unsupported);
    EXPECT_EQ(op("ld.global.u32 %r1, [%rd1], %rd2;"), Op::unsupported);
    EXPECT_EQ(op("cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16;"), Op::unsupported);
}

TEST(PtxTraits, AnInstructionWithoutARowHasThatOfItsOpcode) {
    Instruction barrier;
    barrier.op = Op::bar;
    EXPECT_EQ(traits_of(barrier).waits, Waits::block);
    Instruction mark;
    mark.op = Op::mark;
    EXPECT_EQ(traits_of(mark).memory, Memory::none);
}

}  // namespace
}  // namespace wl::ptx

// The table of opcode forms: complete, well formed, and what the decoder reads.
#include "instrumentation/ptx/parse/decode.h"
#include "instrumentation/ptx/table/special_registers.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

struct Group {
    std::vector<std::string> alternatives;
    bool optional = false;
};

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    std::erase(parts, "");
    return parts;
}

std::vector<Group> groups_of(std::string_view column) {
    std::vector<Group> groups;
    for (std::string text : split(column, ' ')) {
        Group g;
        g.optional = text.ends_with('?');
        if (g.optional) text.pop_back();
        g.alternatives = split(text, '|');
        groups.push_back(g);
    }
    return groups;
}

// The mnemonic with alternative `choice` of group `varied` and the first of every other required group.
std::string spell(const Form& form, const std::vector<Group>& groups, size_t varied, size_t choice) {
    std::string text(form.name);
    for (size_t g = 0; g < groups.size(); ++g) {
        if (g == varied)
            text += "." + groups[g].alternatives[choice];
        else if (!groups[g].optional)
            text += "." + groups[g].alternatives[0];
    }
    return text;
}

TEST(PtxTable, EveryOpcodeHasAForm) {
    for (int op = static_cast<int>(Op::mark) + 1; op < static_cast<int>(Op::count); ++op)
        EXPECT_FALSE(name_of(static_cast<Op>(op)).empty()) << "Op number " << op;
}

TEST(PtxTable, EveryRowIsFilledIn) {
    for (const Family& family : families())
        for (const Form& form : family.forms) {
            EXPECT_TRUE(form.section.starts_with("9.7.")) << form.name;
            EXPECT_TRUE(form.semantics.ends_with('.')) << form.name << ": " << form.semantics;
            for (const Group& g : groups_of(form.types))
                for (const std::string& type : g.alternatives)
                    EXPECT_TRUE(type == "*" || type_from_name(type) != Type::none)
                        << form.name << ": ." << type;
        }
}

// Each alternative of each group, alone with what is required: the decoder finds this very row and its
// opcode.
TEST(PtxTable, TheDecoderFindsEveryAlternativeOfEveryRow) {
    size_t spelt = 0;
    for (const Family& family : families())
        for (const Form& form : family.forms) {
            if (form.types == "*") continue;
            std::vector<Group> groups = groups_of(form.modifiers);
            for (const Group& g : groups_of(form.types)) groups.push_back(g);
            if (groups.empty()) groups.push_back({{""}, true});
            for (size_t g = 0; g < groups.size(); ++g)
                for (size_t choice = 0; choice < groups[g].alternatives.size(); ++choice) {
                    const std::string text = spell(form, groups, g, choice);
                    const Mnemonic m = decode_mnemonic(text);
                    EXPECT_EQ(m.op, form.op) << text;
                    EXPECT_TRUE(std::find(m.forms.begin(), m.forms.end(), &form) != m.forms.end()) << text;
                    ++spelt;
                }
        }
    EXPECT_GT(spelt, 3000U);
}

TEST(PtxTable, WordsMeanWhatTheInstructionMakesOfThem) {
    EXPECT_EQ(decode_mnemonic("setp.lo.and.u32").modifiers.compare, Compare::lo);
    EXPECT_EQ(decode_mnemonic("setp.lo.and.u32").modifiers.bool_op, BoolOp::and_);
    EXPECT_EQ(decode_mnemonic("mul.lo.u32").modifiers.mode, Mode::lo);
    EXPECT_EQ(decode_mnemonic("atom.global.and.b32").modifiers.atom_op, AtomOp::and_);
    EXPECT_EQ(decode_mnemonic("redux.sync.and.b32").modifiers.atom_op, AtomOp::and_);
    EXPECT_EQ(decode_mnemonic("bar.red.and.pred").modifiers.mode, Mode::red);
    EXPECT_EQ(decode_mnemonic("bar.red.popc.u32").modifiers.bool_op, BoolOp::popc);
    EXPECT_TRUE(decode_mnemonic("bar.sync").modifiers.aligned) << "bar.sync is barrier.sync.aligned";
    EXPECT_FALSE(decode_mnemonic("barrier.sync").modifiers.aligned);
    EXPECT_EQ(decode_mnemonic("vote.sync.uni.pred").modifiers.mode, Mode::uni);
    EXPECT_TRUE(decode_mnemonic("bra.uni").modifiers.uni);
    EXPECT_EQ(decode_mnemonic("shf.l.wrap.b32").modifiers.mode, Mode::l);
    EXPECT_EQ(decode_mnemonic("shf.l.wrap.b32").modifiers.mode2, Mode::wrap);
    EXPECT_EQ(decode_mnemonic("membar.gl").modifiers.scope, "gpu");
    EXPECT_EQ(decode_mnemonic("cvta.to.global.u64").modifiers.mode, Mode::to);
    EXPECT_EQ(decode_mnemonic("cvta.shared.u64").modifiers.mode, Mode::from);
    EXPECT_EQ(
        decode_mnemonic("ld.global.nc.L1::no_allocate.L2::128B.v4.f32").modifiers.eviction, "L1::no_allocate"
    );
    EXPECT_EQ(
        decode_mnemonic("ld.global.nc.L1::no_allocate.L2::128B.v4.f32").modifiers.prefetch_size, "L2::128B"
    );
    EXPECT_EQ(decode_mnemonic("ld.acquire.gpu.u32").modifiers.space, Space::generic);
    EXPECT_EQ(decode_mnemonic("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16").modifiers.kind, "a");
    EXPECT_EQ(decode_mnemonic("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16").modifiers.layout_a, "row");
    EXPECT_EQ(decode_mnemonic("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").modifiers.layout_b, "col");
    EXPECT_EQ(
        decode_mnemonic("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc").modifiers.bool_op,
        BoolOp::and_
    );
    EXPECT_EQ(
        decode_mnemonic("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc").modifiers.kind, "popc"
    );
    EXPECT_EQ(decode_mnemonic("cp.async.commit_group").op, Op::cp_async_commit_group)
        << "the longest name wins";
    EXPECT_EQ(decode_mnemonic("cp.async.cg.shared.global").op, Op::cp_async);
    EXPECT_EQ(decode_mnemonic("bar.warp.sync").op, Op::bar_warp_sync);
    EXPECT_EQ(decode_mnemonic("tld4.r.2d.v4.f32.f32").modifiers.kind, "r");
    EXPECT_EQ(decode_mnemonic("min.xorsign.abs.f16x2").modifiers.xorsign, true);
    EXPECT_EQ(decode_mnemonic("min.xorsign.f16x2").op, Op::unsupported) << ".xorsign goes with .abs";
    EXPECT_EQ(decode_mnemonic("fma.f32").op, Op::unsupported) << "the rounding is required";
    EXPECT_EQ(decode_mnemonic("cvt.rn.f16.f32.f32").op, Op::unsupported);
}

TEST(PtxTable, EverySpecialRegisterHasItsPlaceInOneRow) {
    int next = 0;
    for (const SpecialRow& row : special_rows()) {
        EXPECT_EQ(static_cast<int>(row.first), next) << row.holds;
        EXPECT_LE(row.first, row.last);
        EXPECT_FALSE(row.holds.empty());
        next = static_cast<int>(row.last) + 1;
    }
    EXPECT_EQ(next, static_cast<int>(SpecialRegister::count));
}

}  // namespace
}  // namespace wl::ptx

// The table: comparison, selection, logic, shifts, movement and conversion (PTX ISA 9.0, 9.7.6 to 9.7.9).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr std::string_view kBlackwell = "sm_100 and later only: not executed";

// clang-format off
constexpr std::array kCompare = {
    Form{Op::set, "set", "u32|s32|f32 b16|b32|b64", "eq|ne", "d a b", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if a compares to b, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 b16|b32|b64", "eq|ne and|or|xor", "d a b !c", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 u16|u32|u64", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs", "d a b", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if a compares to b, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 u16|u32|u64", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs and|or|xor", "d a b !c", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 s16|s32|s64", "eq|ne|lt|le|gt|ge", "d a b", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if a compares to b, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 s16|s32|s64", "eq|ne|lt|le|gt|ge and|or|xor", "d a b !c", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 f32", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d a b", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if a compares to b, else 0; the ...u comparisons hold for NaN.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 f32", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d a b !c", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 f64", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d a b", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if a compares to b, else 0; the ...u comparisons hold for NaN.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32|f32 f64", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d a b !c", "9.7.6.1", kExact, "d = all ones (1.0 for f32) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::setp, "setp", "b16|b32|b64", "eq|ne", "d |p? a b", "9.7.6.2", kExact, "d = whether a compares to b; p = the opposite.", "", "d:pred"},
    Form{Op::setp, "setp", "b16|b32|b64", "eq|ne and|or|xor", "d |p? a b !c", "9.7.6.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "u16|u32|u64", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs", "d |p? a b", "9.7.6.2", kExact, "d = whether a compares to b; p = the opposite.", "", "d:pred"},
    Form{Op::setp, "setp", "u16|u32|u64", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs and|or|xor", "d |p? a b !c", "9.7.6.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "s16|s32|s64", "eq|ne|lt|le|gt|ge", "d |p? a b", "9.7.6.2", kExact, "d = whether a compares to b; p = the opposite.", "", "d:pred"},
    Form{Op::setp, "setp", "s16|s32|s64", "eq|ne|lt|le|gt|ge and|or|xor", "d |p? a b !c", "9.7.6.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "f32", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d |p? a b", "9.7.6.2", kExact, "d = whether a compares to b; p = the opposite; the ...u comparisons hold for NaN.", "", "d:pred"},
    Form{Op::setp, "setp", "f32", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d |p? a b !c", "9.7.6.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "f64", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d |p? a b", "9.7.6.2", kExact, "d = whether a compares to b; p = the opposite; the ...u comparisons hold for NaN.", "", "d:pred"},
    Form{Op::setp, "setp", "f64", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d |p? a b !c", "9.7.6.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::selp, "selp", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "", "d a b c", "9.7.6.3", kExact, "d = c ? a : b.", "", "select c:pred"},
    Form{Op::slct, "slct", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32", "", "d a b c", "9.7.6.4", kExact, "d = c >= 0 ? a : b.", "", "d:t1 a:t1 b:t1"},
    Form{Op::slct, "slct", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 f32", "ftz?", "d a b c", "9.7.6.4", kExact, "d = c >= 0 ? a : b; -0 counts as 0, NaN selects b.", "", "d:t1 a:t1 b:t1"},
};

constexpr std::array kHalfCompare = {
    Form{Op::set, "set", "f16|u16|s16|u32|s32 f16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d a b", "9.7.7.1", kExact, "d = all ones (1.0 in a float type of d) if a compares to b, else 0.", "", "d:t1"},
    Form{Op::set, "set", "f16|u16|s16|u32|s32 f16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d a b !c", "9.7.7.1", kExact, "d = all ones (1.0 in a float type of d) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "f16x2 f16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d a b", "9.7.7.1", kExact, "d = 1.0 in each half whose elements compare, else 0.", "", "d:t1"},
    Form{Op::set, "set", "f16x2 f16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d a b !c", "9.7.7.1", kExact, "d = 1.0 in each half whose comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32 f16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d a b", "9.7.7.1", kExact, "d = all ones in each half whose elements compare, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32 f16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d a b !c", "9.7.7.1", kExact, "d = all ones in each half whose comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "bf16|u16|s16|u32|s32 bf16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d a b", "9.7.7.1", kExact, "d = all ones (1.0 in a float type of d) if a compares to b, else 0.", "", "d:t1"},
    Form{Op::set, "set", "bf16|u16|s16|u32|s32 bf16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d a b !c", "9.7.7.1", kExact, "d = all ones (1.0 in a float type of d) if the comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "bf16x2 bf16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d a b", "9.7.7.1", kExact, "d = 1.0 in each half whose elements compare, else 0.", "", "d:t1"},
    Form{Op::set, "set", "bf16x2 bf16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d a b !c", "9.7.7.1", kExact, "d = 1.0 in each half whose comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32 bf16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d a b", "9.7.7.1", kExact, "d = all ones in each half whose elements compare, else 0.", "", "d:t1"},
    Form{Op::set, "set", "u32|s32 bf16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d a b !c", "9.7.7.1", kExact, "d = all ones in each half whose comparison combined with the predicate c is true, else 0.", "", "d:t1"},
    Form{Op::setp, "setp", "f16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d |p? a b", "9.7.7.2", kExact, "d = whether a compares to b; p = the opposite; the ...u comparisons hold for NaN.", "", "d:pred"},
    Form{Op::setp, "setp", "f16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d |p? a b !c", "9.7.7.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "f16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan ftz?", "d |p a b", "9.7.7.2", kExact, "d and p = whether the lower and the upper halves compare.", "", "d:pred"},
    Form{Op::setp, "setp", "f16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor ftz?", "d |p a b !c", "9.7.7.2", kExact, "d and p = the comparisons of the lower and the upper halves, each combined with the predicate c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "bf16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d |p? a b", "9.7.7.2", kExact, "d = whether a compares to b; p = the opposite; the ...u comparisons hold for NaN.", "", "d:pred"},
    Form{Op::setp, "setp", "bf16", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d |p? a b !c", "9.7.7.2", kExact, "d = the comparison combined with the predicate c; p = its opposite combined with c.", "", "compare d:pred"},
    Form{Op::setp, "setp", "bf16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan", "d |p a b", "9.7.7.2", kExact, "d and p = whether the lower and the upper halves compare.", "", "d:pred"},
    Form{Op::setp, "setp", "bf16x2", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan and|or|xor", "d |p a b !c", "9.7.7.2", kExact, "d and p = the comparisons of the lower and the upper halves, each combined with the predicate c.", "", "compare d:pred"},
};

constexpr std::array kLogic = {
    Form{Op::and_, "and", "pred|b16|b32|b64", "", "d a b", "9.7.8.1", kExact, "d = a & b.", "", "bit_and"},
    Form{Op::or_, "or", "pred|b16|b32|b64", "", "d a b", "9.7.8.2", kExact, "d = a | b.", "", "bit_or"},
    Form{Op::xor_, "xor", "pred|b16|b32|b64", "", "d a b", "9.7.8.3", kExact, "d = a ^ b.", "", "bit_xor"},
    Form{Op::not_, "not", "pred|b16|b32|b64", "", "d a", "9.7.8.4", kExact, "d = ~a.", "", "bit_xor"},
    Form{Op::cnot, "cnot", "b16|b32|b64", "", "d a", "9.7.8.5", kExact, "d = a == 0 ? 1 : 0.", ""},
    Form{Op::lop3, "lop3", "b32", "", "d a b c lut", "9.7.8.6", kExact, "Each bit of d = the bit of lut that the bits of a, b and c choose (a weighs 4, b 2, c 1).", "", "table"},
    Form{Op::lop3, "lop3", "b32", "or|and", "d |p a b c lut q", "9.7.8.6", kExact, "d as without .BoolOp; p = (d != 0) combined with q.", ""},
    Form{Op::shf, "shf", "b32", "l|r clamp|wrap", "d a b c", "9.7.8.7", kExact, "d = the upper (.l) or lower (.r) half of the pair {b, a} shifted by c, clamped to 32 or modulo 32.", "", "funnel"},
    Form{Op::shl, "shl", "b16|b32|b64", "", "d a b", "9.7.8.8", kExact, "d = a << b; a shift beyond the width gives 0.", "", "shift_left b:32"},
    Form{Op::shr, "shr", "b16|b32|b64|u16|u32|u64|s16|s32|s64", "", "d a b", "9.7.8.9", kExact, "d = a >> b, filled with the sign if signed; a shift beyond the width gives 0 or all signs.", "", "shift_right b:32"},
};

constexpr std::array kMove = {
    Form{Op::mov, "mov", "pred|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64", "", "{d} {a}", "9.7.9.3 9.7.9.4", kExact, "d = a: a register, an immediate, a special register, the address of a variable or function; a vector packs or unpacks, lowest element first.", "", "copy d:t/ a:t/"},
    Form{Op::mov, "mov", "b16|b32|u16|u32|s16|s32|f32", "v2|v4", "{d} {a}", "9.7.9.3", kExact, "d = a, element by element: vectors of registers, or a special register of four elements such as %tid, the last of which is 0.", "", "copy d:t/ a:t/"},
    Form{Op::mov, "mov", "b64|u64|s64|f64", "v2", "{d} {a}", "9.7.9.3", kExact, "d = a, element by element.", "", "copy d:t/ a:t/"},
    Form{Op::prmt, "prmt", "b32", "f4e|b4e|rc8|ecl|ecr|rc16?", "d a b c", "9.7.9.7", kExact, "Each byte of d = the byte of {b, a} that its nibble of c names, or that byte's sign; a mode replaces the nibbles by a pattern.", "", "permute"},
    Form{Op::cvta, "cvta", "u32|u64", "to? const|global|local|shared|shared::cta|shared::cluster|param|param::entry", "d a", "9.7.9.20", kExact, "d = the generic address of a, or with .to the address in the space of a generic one.", ""},
    Form{Op::isspacep, "isspacep", "", "const|global|local|shared|shared::cta|shared::cluster|param|param::entry", "d a", "9.7.9.19", kExact, "d = whether the generic address a lies in the space.", "", "d:pred a:any"},
    Form{Op::cvt, "cvt", "u8|u16|u32|u64|s8|s16|s32|s64 u8|u16|u32|u64|s8|s16|s32|s64", "sat?", "d a", "9.7.9.21", kExact, "d = a extended by the sign of its own type, or cut off, or clamped with .sat where the type of d is not wide enough.", "", "extend d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f16|f32|f64 u8|u16|u32|u64|s8|s16|s32|s64", "rn|rz|rm|rp sat?", "d a", "9.7.9.21", kExact, "d = the integer a, rounded once.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "bf16 u16|u32|u64|s16|s32|s64", "rn|rz|rm|rp", "d a", "9.7.9.21", kExact, "d = the integer a, rounded once.", "", "d:t1"},
    Form{Op::cvt, "cvt", "u8|u16|u32|u64|s8|s16|s32|s64 f16|f64", "rni|rzi|rmi|rpi sat?", "d a", "9.7.9.21", kExact, "d = a rounded to an integer and clamped to the range of d; NaN gives 0, or the sign bit for 64 bits.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "u8|u16|u32|u64|s8|s16|s32|s64 f32", "rni|rzi|rmi|rpi ftz? sat?", "d a", "9.7.9.21", kExact, "d = a rounded to an integer and clamped to the range of d; NaN gives 0, or the sign bit for 64 bits.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "u8|u16|u32|u64|s8|s16|s32|s64 bf16", "rni|rzi|rmi|rpi", "d a", "9.7.9.21", kExact, "d = a rounded to an integer and clamped to the range of d; NaN gives 0, or the sign bit for 64 bits.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f16 f16", "rni|rzi|rmi|rpi? sat?", "d a", "9.7.9.21", kExact, "d = a, rounded to an integer where a mode says so; .sat clamps to [0, 1], NaN to 0.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f64 f64", "rni|rzi|rmi|rpi? sat?", "d a", "9.7.9.21", kExact, "d = a, rounded to an integer where a mode says so; .sat clamps to [0, 1], NaN to 0.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f32 f32", "rni|rzi|rmi|rpi? ftz? sat?", "d a", "9.7.9.21", kExact, "d = a, rounded to an integer where a mode says so; .sat clamps to [0, 1], NaN to 0.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "bf16 bf16", "rni|rzi|rmi|rpi?", "d a", "9.7.9.21", kExact, "d = a, rounded to an integer where a mode says so.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f64 f16", "sat?", "d a", "9.7.9.21", kExact, "d = a, exactly.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f32 f16", "ftz? sat?", "d a", "9.7.9.21", kExact, "d = a, exactly.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f64 f32", "ftz? sat?", "d a", "9.7.9.21", kExact, "d = a, exactly.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f32 bf16", "rn|rz|rm|rp? ftz?", "d a", "9.7.9.21", kExact, "d = a, exactly; a rounding mode changes nothing.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f64 bf16", "rn|rz|rm|rp?", "d a", "9.7.9.21", kExact, "d = a, exactly; a rounding mode changes nothing.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f16 bf16", "rn|rz|rm|rp?", "d a", "9.7.9.21", kExact, "d = a, rounded once.", "", "d:t1"},
    Form{Op::cvt, "cvt", "bf16 f16", "rn|rz|rm|rp?", "d a", "9.7.9.21", kExact, "d = a, rounded once.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f16 f32", "rn|rz|rm|rp ftz? sat?", "d a", "9.7.9.21", kExact, "d = a, rounded once; .sat clamps to [0, 1], NaN to 0.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "bf16 f32", "rn|rz|rm|rp ftz?", "d a", "9.7.9.21", kExact, "d = a, rounded once.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f16|bf16 f32", "rn|rz relu? satfinite?", "d a", "9.7.9.21", kExact, "d = a, rounded once; .relu makes what is negative 0, .satfinite clamps to the largest finite value; both give the canonical NaN.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f16 f64", "rn|rz|rm|rp sat?", "d a", "9.7.9.21", kExact, "d = a, rounded once; .sat clamps to [0, 1], NaN to 0.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "bf16 f64", "rn|rz|rm|rp", "d a", "9.7.9.21", kExact, "d = a, rounded once.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f32 f64", "rn|rz|rm|rp ftz? sat?", "d a", "9.7.9.21", kExact, "d = a, rounded once; .sat clamps to [0, 1], NaN to 0.", "", "d:t1+ a:t+"},
    Form{Op::cvt, "cvt", "f16x2|bf16x2 f32", "rn|rz relu? satfinite?", "d a b", "9.7.9.21", kExact, "d = {a in the upper half, b in the lower half}, each rounded once.", "", "pack d:t1"},
    Form{Op::cvt, "cvt", "f16x2|bf16x2 f32", "rs relu? satfinite?", "d a b e", "9.7.9.21", kExact, "d = {a, b} with stochastic rounding by the random bits e.", kBlackwell, "d:t1 e:32"},
    Form{Op::cvt, "cvt", "tf32 f32", "rna satfinite?", "d a", "9.7.9.21", kExact, "d = a rounded to 10 bits of mantissa, halves away from zero; the 13 low bits of d are 0.", "", "d:t1"},
    Form{Op::cvt, "cvt", "tf32 f32", "rn|rz relu? satfinite?", "d a", "9.7.9.21", kExact, "d = a rounded to 10 bits of mantissa.", "", "d:t1"},
    Form{Op::cvt, "cvt", "e4m3x2|e5m2x2 f32", "rn satfinite relu?", "d a b", "9.7.9.21", kExact, "d = {a in the upper byte, b in the lower byte}, rounded once and clamped to the largest finite value.", "", "d:t1"},
    Form{Op::cvt, "cvt", "e4m3x2|e5m2x2 f16x2", "rn satfinite relu?", "d a", "9.7.9.21", kExact, "d = both halves of a, rounded once and clamped to the largest finite value.", "", "d:t1"},
    Form{Op::cvt, "cvt", "f16x2 e4m3x2|e5m2x2", "rn relu?", "d a", "9.7.9.21", kExact, "d = both bytes of a, exactly.", "", "d:t1"},
    Form{Op::cvt, "cvt", "e2m1x2|e2m3x2|e3m2x2 f32", "rn satfinite relu?", "d a b", "9.7.9.21", kExact, "d = {a, b} in a 4- or 6-bit format.", kBlackwell, "d:t1"},
    Form{Op::cvt, "cvt", "f16x2 e2m1x2|e2m3x2|e3m2x2", "rn relu?", "d a", "9.7.9.21", kExact, "d = both elements of a, exactly.", kBlackwell, "d:t1"},
    Form{Op::cvt, "cvt", "e4m3x4|e5m2x4|e2m1x4|e2m3x4|e3m2x4 f32", "rs relu? satfinite", "d {a} e", "9.7.9.21", kExact, "d = four singles with stochastic rounding by the random bits e.", kBlackwell, "d:t1 e:32"},
    Form{Op::cvt, "cvt", "ue8m0x2 f32", "rz|rp satfinite?", "d a b", "9.7.9.21", kExact, "d = {a, b} as powers of two.", kBlackwell, "d:t1"},
    Form{Op::cvt, "cvt", "ue8m0x2 bf16x2", "rz|rp satfinite?", "d a", "9.7.9.21", kExact, "d = both halves of a as powers of two.", kBlackwell, "d:t1"},
    Form{Op::cvt, "cvt", "bf16x2 ue8m0x2", "rn", "d a", "9.7.9.21", kExact, "d = both powers of two, exactly.", kBlackwell, "d:t1"},
    Form{Op::cvt_pack, "cvt.pack", "u16|s16 s32", "sat", "d a b", "9.7.9.22", kExact, "d = {a, b}, each clamped to 16 bits, a in the upper half.", "", "d:32 a:32+ b:32+"},
    Form{Op::cvt_pack, "cvt.pack", "u2|s2|u4|s4|u8|s8 s32 b32", "sat", "d a b c", "9.7.9.22", kExact, "d = {the low bits of c, a, b}, a and b clamped to the type.", "", "d:32 a:32+ b:32+ c:32+"},
};
// clang-format on

}  // namespace

const std::array<Family, 4> kMoveFamilies = {
    {{"Comparison and selection", kCompare},
     {"Half precision comparison", kHalfCompare},
     {"Logic and shift", kLogic},
     {"Movement and conversion", kMove}}
};

}  // namespace wl::ptx

// The table: scalar and SIMD video instructions (PTX ISA 9.0, 9.7.18).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr std::string_view kAsPtxas =
    "the ISA where sm_90 leaves it: .h1 merges an upper half, bytes and halves saturate without sign";

// clang-format off
#define WL_3 "u32|s32 u32|s32 u32|s32"
#define WL_COMPARE "eq|ne|lt|le|gt|ge"

constexpr std::array kScalar = {
    Form{Op::vadd, "vadd", WL_3, "sat?", "d a b c?", "9.7.18.1.1", kExact, "d = a + b of selected bytes or halves in 34 bits, clamped or cut; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vadd, "vadd", WL_3, "sat? add|min|max", "d a b c", "9.7.18.1.1", kExact, "d = a + b of selected bytes or halves in 34 bits, clamped or cut, then combined with c.", kAsPtxas},
    Form{Op::vsub, "vsub", WL_3, "sat?", "d a b c?", "9.7.18.1.1", kExact, "d = a - b of selected bytes or halves; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vsub, "vsub", WL_3, "sat? add|min|max", "d a b c", "9.7.18.1.1", kExact, "d = a - b of selected bytes or halves, then combined with c.", kAsPtxas},
    Form{Op::vabsdiff, "vabsdiff", WL_3, "sat?", "d a b c?", "9.7.18.1.1", kExact, "d = |a - b| of selected bytes or halves; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vabsdiff, "vabsdiff", WL_3, "sat? add|min|max", "d a b c", "9.7.18.1.1", kExact, "d = |a - b| of selected bytes or halves, then combined with c.", kAsPtxas},
    Form{Op::vmin, "vmin", WL_3, "sat?", "d a b c?", "9.7.18.1.1", kExact, "d = the smaller of selected bytes or halves; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vmin, "vmin", WL_3, "sat? add|min|max", "d a b c", "9.7.18.1.1", kExact, "d = the smaller of selected bytes or halves, then combined with c.", kAsPtxas},
    Form{Op::vmax, "vmax", WL_3, "sat?", "d a b c?", "9.7.18.1.1", kExact, "d = the larger of selected bytes or halves; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vmax, "vmax", WL_3, "sat? add|min|max", "d a b c", "9.7.18.1.1", kExact, "d = the larger of selected bytes or halves, then combined with c.", kAsPtxas},
    Form{Op::vshl, "vshl", "u32|s32 u32|s32 u32", "sat? clamp|wrap", "d a b c?", "9.7.18.1.2", kExact, "d = a << b, b clamped to 32 or modulo 32; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vshl, "vshl", "u32|s32 u32|s32 u32", "sat? clamp|wrap add|min|max", "d a b c", "9.7.18.1.2", kExact, "d = a << b, b clamped to 32 or modulo 32, then combined with c.", kAsPtxas},
    Form{Op::vshr, "vshr", "u32|s32 u32|s32 u32", "sat? clamp|wrap", "d a b c?", "9.7.18.1.2", kExact, "d = a >> b, b clamped to 32 or modulo 32; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vshr, "vshr", "u32|s32 u32|s32 u32", "sat? clamp|wrap add|min|max", "d a b c", "9.7.18.1.2", kExact, "d = a >> b, b clamped to 32 or modulo 32, then combined with c.", kAsPtxas},
    Form{Op::vmad, "vmad", WL_3, "po? sat? shr7|shr15?", "d a b c", "9.7.18.1.3", kExact, "d = (a * b + c, plus one with .po), shifted right and clamped.", kAsPtxas},
    Form{Op::vset, "vset", "u32|s32 u32|s32", WL_COMPARE "", "d a b c?", "9.7.18.1.4", kExact, "d = whether a compares to b; with c, merged into the byte or half of c that d names.", kAsPtxas},
    Form{Op::vset, "vset", "u32|s32 u32|s32", WL_COMPARE " add|min|max", "d a b c", "9.7.18.1.4", kExact, "d = whether a compares to b, then combined with c.", kAsPtxas},
};

constexpr std::array kSimd = {
    Form{Op::vadd2, "vadd2", WL_3, "sat? add?", "d a b c", "9.7.18.2.1", kExact, "Two halves: d = a + b, merged into c by the mask, or added up into c.", ""},
    Form{Op::vsub2, "vsub2", WL_3, "sat? add?", "d a b c", "9.7.18.2.1", kExact, "Two halves: d = a - b, merged into c by the mask, or added up into c.", ""},
    Form{Op::vavrg2, "vavrg2", WL_3, "sat? add?", "d a b c", "9.7.18.2.1", kExact, "Two halves: d = the average of a and b, rounded up, merged into c or added up.", ""},
    Form{Op::vabsdiff2, "vabsdiff2", WL_3, "sat? add?", "d a b c", "9.7.18.2.1", kExact, "Two halves: d = |a - b|, merged into c or added up.", ""},
    Form{Op::vmin2, "vmin2", WL_3, "sat? add?", "d a b c", "9.7.18.2.1", kExact, "Two halves: d = the smaller, merged into c or added up.", ""},
    Form{Op::vmax2, "vmax2", WL_3, "sat? add?", "d a b c", "9.7.18.2.1", kExact, "Two halves: d = the larger, merged into c or added up.", ""},
    Form{Op::vset2, "vset2", "u32|s32 u32|s32", WL_COMPARE " add?", "d a b c", "9.7.18.2.2", kExact, "Two halves: d = whether a compares to b, merged into c or added up.", ""},
    Form{Op::vadd4, "vadd4", WL_3, "sat? add?", "d a b c", "9.7.18.2.3", kExact, "Four bytes: d = a + b, merged into c by the mask, or added up into c.", ""},
    Form{Op::vsub4, "vsub4", WL_3, "sat? add?", "d a b c", "9.7.18.2.3", kExact, "Four bytes: d = a - b, merged into c by the mask, or added up into c.", ""},
    Form{Op::vavrg4, "vavrg4", WL_3, "sat? add?", "d a b c", "9.7.18.2.3", kExact, "Four bytes: d = the average of a and b, rounded up, merged into c or added up.", ""},
    Form{Op::vabsdiff4, "vabsdiff4", WL_3, "sat? add?", "d a b c", "9.7.18.2.3", kExact, "Four bytes: d = |a - b|, merged into c or added up.", ""},
    Form{Op::vmin4, "vmin4", WL_3, "sat? add?", "d a b c", "9.7.18.2.3", kExact, "Four bytes: d = the smaller, merged into c or added up.", ""},
    Form{Op::vmax4, "vmax4", WL_3, "sat? add?", "d a b c", "9.7.18.2.3", kExact, "Four bytes: d = the larger, merged into c or added up.", ""},
    Form{Op::vset4, "vset4", "u32|s32 u32|s32", WL_COMPARE " add?", "d a b c", "9.7.18.2.4", kExact, "Four bytes: d = whether a compares to b, merged into c or added up.", ""},
};
// clang-format on

}  // namespace

const std::array<Family, 2> kVideoFamilies = {
    {{"Scalar video", kScalar}, {"SIMD video", kSimd}}
};

}  // namespace wl::ptx

// The table: warp matrix instructions and the recognised families beyond them (PTX ISA 9.0, 9.7.14
// to 9.7.16).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr Exactness kBounded = Exactness::bounded;
constexpr std::string_view kBlackwell = "sm_100 and later only: not executed";
constexpr std::string_view kSparseWgmma = "wgmma with a sparse a: not executed";
constexpr std::string_view kAccumulation = "other GPUs' sums: order, width and rounding are those of an H200";

// clang-format off
#define WL_WARP_SHAPES "m16n16k16|m8n32k16|m32n8k16"
#define WL_SPACE "global|shared|shared::cta?"

#define WL_EVERY_8(k) \
    "m64n8" k "|m64n16" k "|m64n24" k "|m64n32" k "|m64n40" k "|m64n48" k "|m64n56" k "|m64n64" k "|m64n72" k \
    "|m64n80" k "|m64n88" k "|m64n96" k "|m64n104" k "|m64n112" k "|m64n120" k "|m64n128" k "|m64n136" k \
    "|m64n144" k "|m64n152" k "|m64n160" k "|m64n168" k "|m64n176" k "|m64n184" k "|m64n192" k "|m64n200" k \
    "|m64n208" k "|m64n216" k "|m64n224" k "|m64n232" k "|m64n240" k "|m64n248" k "|m64n256" k
#define WL_EVERY_16(k) \
    "m64n8" k "|m64n16" k "|m64n24" k "|m64n32" k "|m64n48" k "|m64n64" k "|m64n80" k "|m64n96" k "|m64n112" k \
    "|m64n128" k "|m64n144" k "|m64n160" k "|m64n176" k "|m64n192" k "|m64n208" k "|m64n224" k "|m64n240" k \
    "|m64n256" k

constexpr std::array kWmma = {
    Form{Op::wmma_load, "wmma.load", "f16|bf16|u8|s8", "a|b sync aligned row|col " WL_WARP_SHAPES " " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the matrix at a, whose rows or columns are stride elements apart.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "f16|f32|s32", "c sync aligned row|col " WL_WARP_SHAPES " " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's accumulator fragment of the matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "tf32", "a|b sync aligned row|col m16n16k8 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the tf32 matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "f32", "c sync aligned row|col m16n16k8 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's accumulator fragment of a tf32 product.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "f64", "a|b|c sync aligned row|col m8n8k4 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the double matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "u4|s4", "a sync aligned row m8n8k32 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the 4-bit matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "u4|s4", "b sync aligned col m8n8k32 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the 4-bit matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "b1", "a sync aligned row m8n8k128 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the 1-bit matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "b1", "b sync aligned col m8n8k128 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's fragment of the 1-bit matrix at a.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_load, "wmma.load", "s32", "c sync aligned row|col m8n8k32|m8n8k128 " WL_SPACE, "{d} [a] stride?", "9.7.14.4.3", kExact, "d = the warp's accumulator fragment of a 4-bit or 1-bit product.", "", "d=[a] bytes=fragment waits=lanes"},
    Form{Op::wmma_store, "wmma.store", "f16|f32|s32", "d sync aligned row|col " WL_WARP_SHAPES " " WL_SPACE, "[a] {r} stride?", "9.7.14.4.4", kExact, "The matrix at a = the warp's accumulator fragment.", "", "[a]=r bytes=fragment waits=lanes"},
    Form{Op::wmma_store, "wmma.store", "f32", "d sync aligned row|col m16n16k8 " WL_SPACE, "[a] {r} stride?", "9.7.14.4.4", kExact, "The matrix at a = the warp's accumulator fragment.", "", "[a]=r bytes=fragment waits=lanes"},
    Form{Op::wmma_store, "wmma.store", "f64", "d sync aligned row|col m8n8k4 " WL_SPACE, "[a] {r} stride?", "9.7.14.4.4", kExact, "The matrix at a = the warp's accumulator fragment.", "", "[a]=r bytes=fragment waits=lanes"},
    Form{Op::wmma_store, "wmma.store", "s32", "d sync aligned row|col m8n8k32|m8n8k128 " WL_SPACE, "[a] {r} stride?", "9.7.14.4.4", kExact, "The matrix at a = the warp's accumulator fragment.", "", "[a]=r bytes=fragment waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "f16|f32 f16|f32", "sync aligned row|col row|col " WL_WARP_SHAPES, "{d} {a} {b} {c}", "9.7.14.4.5", kBounded, "d = a * b + c over f16 fragments, accumulated in f16 or f32.", kAccumulation, "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "f32 bf16 bf16 f32", "sync aligned row|col row|col " WL_WARP_SHAPES, "{d} {a} {b} {c}", "9.7.14.4.5", kBounded, "d = a * b + c over bf16 fragments.", kAccumulation, "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "f32 tf32 tf32 f32", "sync aligned row|col row|col m16n16k8", "{d} {a} {b} {c}", "9.7.14.4.5", kBounded, "d = a * b + c over tf32 fragments.", kAccumulation, "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "f64 f64 f64 f64", "sync aligned row|col row|col m8n8k4 rn|rz|rm|rp?", "{d} {a} {b} {c}", "9.7.14.4.5", kExact, "d = a * b + c over double fragments, one fused multiply-add after the other.", "", "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "s32 u8 u8 s32", "sync aligned row|col row|col " WL_WARP_SHAPES " satfinite?", "{d} {a} {b} {c}", "9.7.14.4.5", kExact, "d = a * b + c over 8-bit integer fragments, wrapping or clamped.", "", "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "s32 s8 s8 s32", "sync aligned row|col row|col " WL_WARP_SHAPES " satfinite?", "{d} {a} {b} {c}", "9.7.14.4.5", kExact, "d = a * b + c over 8-bit integer fragments, wrapping or clamped.", "", "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "s32 u4 u4 s32", "sync aligned row col m8n8k32 satfinite?", "{d} {a} {b} {c}", "9.7.14.4.5", kExact, "d = a * b + c over 4-bit integer fragments, wrapping or clamped.", "", "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "s32 s4 s4 s32", "sync aligned row col m8n8k32 satfinite?", "{d} {a} {b} {c}", "9.7.14.4.5", kExact, "d = a * b + c over 4-bit integer fragments, wrapping or clamped.", "", "product waits=lanes"},
    Form{Op::wmma_mma, "wmma.mma", "s32 b1 b1 s32", "xor|and popc sync aligned row col m8n8k128", "{d} {a} {b} {c}", "9.7.14.4.5", kExact, "d = c + the number of ones in a xor b, or a and b, along k.", "", "product waits=lanes"},
};

constexpr std::array kMma = {
    Form{Op::mma, "mma", "f16|f32 f16 f16 f16", "sync aligned m8n8k4 row|col row|col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c, four products of f16 matrices, one for each quad pair.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f32 f16 f16 f32", "sync aligned m8n8k4 row|col row|col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c, four products of f16 matrices, one for each quad pair.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f16 f16 f16 f16", "sync aligned m16n8k8|m16n8k16 row col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over f16 matrices, accumulated in f16.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f32 f16 f16 f32", "sync aligned m16n8k8|m16n8k16 row col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over f16 matrices, accumulated in f32.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f32 bf16 bf16 f32", "sync aligned m16n8k8|m16n8k16 row col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over bf16 matrices.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f32 tf32 tf32 f32", "sync aligned m16n8k4|m16n8k8 row col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over tf32 matrices; the 13 low bits of each element are ignored.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f64 f64 f64 f64", "sync aligned m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col rn|rz|rm|rp?", "{d} {a} {b} {c}", "9.7.14.5.14", kExact, "d = a * b + c over double matrices, one fused multiply-add after the other.", "", "product waits=lanes"},
    Form{Op::mma, "mma", "s32 u8|s8 u8|s8 s32", "sync aligned m8n8k16|m16n8k16|m16n8k32 row col satfinite?", "{d} {a} {b} {c}", "9.7.14.5.14", kExact, "d = a * b + c over 8-bit integer matrices, wrapping or clamped.", "", "product waits=lanes"},
    Form{Op::mma, "mma", "s32 u4|s4 u4|s4 s32", "sync aligned m8n8k32|m16n8k32|m16n8k64 row col satfinite?", "{d} {a} {b} {c}", "9.7.14.5.14", kExact, "d = a * b + c over 4-bit integer matrices, wrapping or clamped.", "", "product waits=lanes"},
    Form{Op::mma, "mma", "s32 b1 b1 s32", "sync aligned m8n8k128|m16n8k128|m16n8k256 row col xor|and popc", "{d} {a} {b} {c}", "9.7.14.5.14", kExact, "d = c + the number of ones in a xor b, or a and b, along k.", "", "product waits=lanes"},
    Form{Op::mma, "mma", "f16 e4m3|e5m2 e4m3|e5m2 f16", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over 8-bit float matrices.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f32 e4m3|e5m2 e4m3|e5m2 f32", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over 8-bit float matrices.", kAccumulation, "product waits=lanes"},
    Form{Op::mma, "mma", "f16|f32 e4m3|e5m2|e3m2|e2m3|e2m1 e4m3|e5m2|e3m2|e2m3|e2m1 f16|f32", "sync aligned m16n8k32 row col kind::f8f6f4", "{d} {a} {b} {c}", "9.7.14.5.14", kBounded, "d = a * b + c over 4-, 6- and 8-bit float matrices.", kBlackwell, "product waits=lanes"},
    Form{Op::mma, "mma", "f32 e4m3|e5m2|e3m2|e2m3|e2m1 e4m3|e5m2|e3m2|e2m3|e2m1 f32 ue8m0|e4m3", "sync aligned m16n8k32|m16n8k64 row col kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale scale_vec::1X|scale_vec::2X|scale_vec::4X?", "{d} {a} {b} {c} {scale_a} {selector_a} {scale_b} {selector_b}", "9.7.14.5.14", kBounded, "d = a * b + c over block-scaled matrices.", kBlackwell, "product waits=lanes"},
};

constexpr std::array kSparse = {
    Form{Op::mma_sp, "mma.sp", "f16 f16 f16 f16", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c; a holds two of four f16 elements along k, whose places the metadata e of the threads chosen by f says.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "f32 f16 f16 f32", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c; a holds two of four f16 elements along k, whose places the metadata e of the threads chosen by f says.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "f32 bf16 bf16 f32", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a two-of-four sparse bf16 matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "f32 tf32 tf32 f32", "sync aligned m16n8k8|m16n8k16 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a one-of-two sparse tf32 matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "s32 u8|s8 u8|s8 s32", "sync aligned m16n8k32|m16n8k64 row col satfinite?", "{d} {a} {b} {c} e f", "9.7.14.6.3", kExact, "d = a * b + c with a two-of-four sparse 8-bit integer matrix a.", "", "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "s32 u4|s4 u4|s4 s32", "sync aligned m16n8k64|m16n8k128 row col satfinite?", "{d} {a} {b} {c} e f", "9.7.14.6.3", kExact, "d = a * b + c with a sparse 4-bit integer matrix a, pairs two of four.", "", "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "f16 e4m3|e5m2 e4m3|e5m2 f16", "sync aligned m16n8k64 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a two-of-four sparse 8-bit float matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "f32 e4m3|e5m2 e4m3|e5m2 f32", "sync aligned m16n8k64 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a two-of-four sparse 8-bit float matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp", "f16|f32 e4m3|e5m2|e3m2|e2m3|e2m1 e4m3|e5m2|e3m2|e2m3|e2m1 f16|f32", "sync aligned m16n8k64 row col kind::f8f6f4", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a sparse 4-, 6- or 8-bit float matrix a.", kBlackwell, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f16 f16 f16 f16", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c; a holds two of four f16 elements along k, whose places the metadata e of the threads chosen by f says.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f32 f16 f16 f32", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c; a holds two of four f16 elements along k, whose places the metadata e of the threads chosen by f says.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f32 bf16 bf16 f32", "sync aligned m16n8k16|m16n8k32 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a two-of-four sparse bf16 matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f32 tf32 tf32 f32", "sync aligned m16n8k8|m16n8k16 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a one-of-two sparse tf32 matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "s32 u8|s8 u8|s8 s32", "sync aligned m16n8k32|m16n8k64 row col satfinite?", "{d} {a} {b} {c} e f", "9.7.14.6.3", kExact, "d = a * b + c with a two-of-four sparse 8-bit integer matrix a.", "", "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "s32 u4|s4 u4|s4 s32", "sync aligned m16n8k64|m16n8k128 row col satfinite?", "{d} {a} {b} {c} e f", "9.7.14.6.3", kExact, "d = a * b + c with a sparse 4-bit integer matrix a, pairs two of four.", "", "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f16 e4m3|e5m2 e4m3|e5m2 f16", "sync aligned m16n8k64 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a two-of-four sparse 8-bit float matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f32 e4m3|e5m2 e4m3|e5m2 f32", "sync aligned m16n8k64 row col", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a two-of-four sparse 8-bit float matrix a.", kAccumulation, "product waits=lanes e:32 f:any"},
    Form{Op::mma_sp, "mma.sp::ordered_metadata", "f16|f32 e4m3|e5m2|e3m2|e2m3|e2m1 e4m3|e5m2|e3m2|e2m3|e2m1 f16|f32", "sync aligned m16n8k64 row col kind::f8f6f4", "{d} {a} {b} {c} e f", "9.7.14.6.3", kBounded, "d = a * b + c with a sparse 4-, 6- or 8-bit float matrix a.", kBlackwell, "product waits=lanes e:32 f:any"},
};

constexpr std::array kMatrixMoves = {
    Form{Op::ldmatrix, "ldmatrix", "b16", "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta?", "{d} [a]", "9.7.14.5.15", kExact, "d = fragments of 1, 2 or 4 matrices of 8 rows, whose row addresses are the a of lanes 0-7, 8-15, ...", "", "d=[a] bytes=rows waits=lanes"},
    Form{Op::ldmatrix, "ldmatrix", "b8", "sync aligned m16n16 x1|x2 trans shared|shared::cta?", "{d} [a]", "9.7.14.5.15", kExact, "d = fragments of transposed matrices of 16 rows of bytes.", kBlackwell, "d=[a] bytes=rows waits=lanes"},
    Form{Op::ldmatrix, "ldmatrix", "", "sync aligned m8n16|m16n16 x1|x2|x4 trans? shared|shared::cta? b8x16 b6x16_p32|b4x16_p64", "{d} [a]", "9.7.14.5.15", kExact, "d = fragments of packed 4- or 6-bit matrices.", kBlackwell, "d=[a] bytes=rows waits=lanes"},
    Form{Op::stmatrix, "stmatrix", "b16", "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta?", "[a] {r}", "9.7.14.5.16", kExact, "Rows of 1, 2 or 4 matrices at the a of lanes 0-7, 8-15, ... = fragments.", "", "[a]=r bytes=rows waits=lanes"},
    Form{Op::stmatrix, "stmatrix", "b8", "sync aligned m16n8 x1|x2|x4 trans shared|shared::cta?", "[a] {r}", "9.7.14.5.16", kExact, "Transposed matrices of bytes = fragments.", kBlackwell, "[a]=r bytes=rows waits=lanes"},
    Form{Op::movmatrix, "movmatrix", "b16", "sync aligned m8n8 trans", "d a", "9.7.14.5.17", kExact, "d = the transpose of the 8x8 matrix whose fragment is a.", "", "transpose waits=lanes d:32 a:32"},
};

#define WL_OF_WARPGROUP "waits=lanes d:32 a:any b:64 scale:pred"
#define WL_SIGNS " sign_a:any sign_b:any"

constexpr std::array kWarpgroup = {
    Form{Op::wgmma, "wgmma.mma_async", "f16|f32 f16 f16", "sync aligned " WL_EVERY_8("k16"), "{d} {a} b scale sign_a sign_b lies_a lies_b?", "9.7.15.5.2", kBounded, "Starts d = a * b, or a * b + d where scale is true, over four warps; b and perhaps a lie in shared memory, where a descriptor says.", kAccumulation, WL_OF_WARPGROUP WL_SIGNS " lies_a:any lies_b:any"},
    Form{Op::wgmma, "wgmma.mma_async", "f32 bf16 bf16", "sync aligned " WL_EVERY_8("k16"), "{d} {a} b scale sign_a sign_b lies_a lies_b?", "9.7.15.5.2", kBounded, "Starts d = a * b, or a * b + d, over bf16 matrices.", kAccumulation, WL_OF_WARPGROUP WL_SIGNS " lies_a:any lies_b:any"},
    Form{Op::wgmma, "wgmma.mma_async", "f32 tf32 tf32", "sync aligned " WL_EVERY_8("k8"), "{d} {a} b scale sign_a sign_b", "9.7.15.5.2", kBounded, "Starts d = a * b, or a * b + d, over tf32 matrices.", kAccumulation, WL_OF_WARPGROUP WL_SIGNS},
    Form{Op::wgmma, "wgmma.mma_async", "f16|f32 e4m3|e5m2 e4m3|e5m2", "sync aligned " WL_EVERY_8("k32"), "{d} {a} b scale sign_a sign_b", "9.7.15.5.2", kBounded, "Starts d = a * b, or a * b + d, over 8-bit float matrices.", kAccumulation, WL_OF_WARPGROUP WL_SIGNS},
    Form{Op::wgmma, "wgmma.mma_async", "s32 s8|u8 s8|u8", "sync aligned " WL_EVERY_16("k32") " satfinite?", "{d} {a} b scale", "9.7.15.5.2", kExact, "Starts d = a * b, or a * b + d, over 8-bit integer matrices, wrapping or clamped.", "", WL_OF_WARPGROUP},
    Form{Op::wgmma, "wgmma.mma_async", "s32 b1 b1", "sync aligned " WL_EVERY_16("k256") " and popc", "{d} {a} b scale", "9.7.15.5.2", kExact, "Starts d = the number of ones in a and b along k, or that + d.", "", WL_OF_WARPGROUP},
    Form{Op::wgmma, "wgmma.fence", "", "sync aligned", "", "9.7.15.7.1", kExact, "Orders accesses to registers before wgmma.mma_async.", "a fence that is missing", "waits=lanes"},
    Form{Op::wgmma, "wgmma.commit_group", "", "sync aligned", "", "9.7.15.7.2", kExact, "Closes the warp's group of products started so far.", "", "waits=lanes"},
    Form{Op::wgmma, "wgmma.wait_group", "", "sync aligned", "n", "9.7.15.7.3", kExact, "Waits until at most the n latest groups of products are open.", "", "waits=lanes"},
};

constexpr std::array kBeyond = {
    Form{Op::wgmma, "wgmma.mma_async.sp", "*", "*", "*", "9.7.15.6.4", kBounded, "Starts d = a * b + d with a sparse matrix a.", kSparseWgmma},
    Form{Op::tcgen05, "tcgen05.alloc", "*", "*", "*", "9.7.16.7.1", kExact, "Allocates tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.dealloc", "*", "*", "*", "9.7.16.7.1", kExact, "Frees tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.relinquish_alloc_permit", "*", "*", "*", "9.7.16.7.1", kExact, "Gives up allocating tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.ld", "*", "*", "*", "9.7.16.8.3", kExact, "Loads from tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.st", "*", "*", "*", "9.7.16.8.4", kExact, "Stores to tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.wait::ld", "*", "*", "*", "9.7.16.8.5", kExact, "Waits for tensor memory loads.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.wait::st", "*", "*", "*", "9.7.16.8.5", kExact, "Waits for tensor memory stores.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.cp", "*", "*", "*", "9.7.16.9.2", kExact, "Copies shared into tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.shift", "*", "*", "*", "9.7.16.9.3", kExact, "Shifts rows of tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.mma", "*", "*", "*", "9.7.16.10", kBounded, "Starts d = a * b + d in tensor memory.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.fence::before_thread_sync", "*", "*", "*", "9.7.16.11.1", kExact, "Orders tensor instructions.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.fence::after_thread_sync", "*", "*", "*", "9.7.16.11.1", kExact, "Orders tensor instructions.", kBlackwell},
    Form{Op::tcgen05, "tcgen05.commit", "*", "*", "*", "9.7.16.12.1", kExact, "Tells an mbarrier when tensor instructions are done.", kBlackwell},
};
// clang-format on

}  // namespace

const std::array<Family, 6> kMatrixFamilies = {
    {{"wmma", kWmma},
     {"mma", kMma},
     {"Sparse mma", kSparse},
     {"Matrix movement", kMatrixMoves},
     {"Warpgroup products", kWarpgroup},
     {"Recognised, not executed", kBeyond}}
};

}  // namespace wl::ptx

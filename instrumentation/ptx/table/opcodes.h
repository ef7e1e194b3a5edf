// The vocabulary of PTX and the one table of opcode forms that parser, emulator, documentation and tests
// read.
#pragma once

#include "instrumentation/ptx/table/notation.h"
#include "instrumentation/ptx/table/special_register.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace wl::ptx {

enum class Type : uint8_t {
    none,
    pred,
    b1,
    b2,
    b4,
    b8,
    b16,
    b32,
    b64,
    b128,
    u2,
    u4,
    u8,
    u16,
    u32,
    u64,
    s2,
    s4,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    f32,
    f64,
    tf32,
    e4m3,
    e5m2,
    e4m3x2,
    e5m2x2,
    u16x2,
    s16x2,
    f32x2,
    e2m1,
    e2m3,
    e3m2,
    ue8m0,
    e2m1x2,
    e2m3x2,
    e3m2x2,
    ue8m0x2,
    e2m1x4,
    e2m3x4,
    e3m2x4,
    e4m3x4,
    e5m2x4,
    texref,
    samplerref,
    surfref,
    count,
};
uint32_t bytes_of(Type t);  // in a register; 1 for pred and sub-byte types
std::string_view name_of(Type t);
Type type_from_name(std::string_view name);  // inverse of name_of; Type::none when there is no such type

enum class Space : uint8_t { none, generic, global, shared, local, constant, param };

enum class Op : uint16_t {
    invalid,
    unsupported,
    mark,
    // integer
    add,
    sub,
    mul,
    mad,
    mul24,
    mad24,
    sad,
    div,
    rem,
    abs,
    neg,
    min,
    max,
    popc,
    clz,
    bfind,
    fns,
    brev,
    bfe,
    bfi,
    bmsk,
    szext,
    dp4a,
    dp2a,
    addc,
    subc,
    madc,
    // floating point (add, sub, mul, mad, div, abs, neg, min, max above serve both)
    fma,
    rcp,
    sqrt,
    rsqrt,
    sin,
    cos,
    lg2,
    ex2,
    tanh,
    testp,
    copysign,
    // comparison, selection, logic, movement
    set,
    setp,
    selp,
    slct,
    and_,
    or_,
    xor_,
    not_,
    cnot,
    lop3,
    shf,
    shl,
    shr,
    mov,
    prmt,
    cvt,
    cvt_pack,
    cvta,
    isspacep,
    istypep,
    mapa,
    getctarank,
    // memory
    ld,
    ldu,
    st,
    st_async,
    st_bulk,
    prefetch,
    prefetchu,
    discard,
    applypriority,
    createpolicy,
    atom,
    red,
    red_async,
    cp_async,
    cp_async_commit_group,
    cp_async_wait_group,
    cp_async_wait_all,
    cp_async_mbarrier_arrive,
    cp_async_bulk,
    cp_reduce_async_bulk,
    ldmatrix,
    stmatrix,
    movmatrix,
    multimem,
    tex,
    tld4,
    txq,
    suld,
    sust,
    sured,
    suq,
    // control
    bra,
    brx_idx,
    call,
    ret,
    exit,
    trap,
    brkpt,
    pmevent,
    alloca,
    stacksave,
    stackrestore,
    // synchronisation and warp
    bar,
    bar_warp_sync,
    barrier_cluster,
    membar,
    fence,
    shfl,
    vote,
    match,
    activemask,
    redux,
    elect,
    mbarrier_init,
    mbarrier_inval,
    mbarrier_expect_tx,
    mbarrier_complete_tx,
    mbarrier_arrive,
    mbarrier_arrive_drop,
    mbarrier_test_wait,
    mbarrier_try_wait,
    mbarrier_pending_count,
    griddepcontrol,
    nanosleep,
    setmaxnreg,
    // matrix
    wmma_load,
    wmma_store,
    wmma_mma,
    mma,
    mma_sp,
    wgmma,
    tensormap,
    clusterlaunchcontrol,
    tcgen05,
    // SIMD video
    vadd,
    vsub,
    vabsdiff,
    vmin,
    vmax,
    vshl,
    vshr,
    vmad,
    vset,
    vadd2,
    vsub2,
    vavrg2,
    vabsdiff2,
    vmin2,
    vmax2,
    vset2,
    vadd4,
    vsub4,
    vavrg4,
    vabsdiff4,
    vmin4,
    vmax4,
    vset4,
    count,
};

enum class Rounding : uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi, rs };
enum class Compare : uint8_t {
    none,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    lo,
    ls,
    hi,
    hs,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};
enum class BoolOp : uint8_t { none, and_, or_, xor_, popc };
enum class AtomOp : uint8_t { none, and_, or_, xor_, cas, exch, add, inc, dec, min, max };
enum class Mode : uint8_t {
    none,
    lo,
    hi,
    wide,  // mul, mad
    up,
    down,
    bfly,
    idx,  // shfl
    all,
    any,
    uni,
    ballot,  // vote, match
    clamp,
    wrap,
    l,
    r,  // shf: l/r in `mode`, clamp/wrap in `mode2`; bmsk, szext, vshl, vshr: clamp/wrap in `mode`
    f4e,
    b4e,
    rc8,
    ecl,
    ecr,
    rc16,  // prmt
    finite,
    infinite,
    number,
    notanumber,
    normal,
    subnormal,  // testp
    sync,
    arrive,
    red,  // bar
    to,
    from,  // cvta.to.* ; `from` is the form without .to
    inc,
    dec,  // setmaxnreg
};

// What the words of a mnemonic mean. Every string_view points into the vocabulary's static storage.
struct Modifiers {
    Rounding rounding = Rounding::none;
    Compare compare = Compare::none;
    BoolOp bool_op = BoolOp::none;
    AtomOp atom_op = AtomOp::none;  // atom, red, redux, sured, multimem; the second operation of SIMD video
    Mode mode = Mode::none, mode2 = Mode::none;
    Space space = Space::none;         // generic when a memory instruction names none
    Space source_space = Space::none;  // cp.async: the second space named
    uint8_t vector = 1;                // .v2 .v4 .v8, .x1 .x2 .x4
    bool ftz = false, sat = false, approx = false, full = false, relu = false, satfinite = false,
         xorsign = false, nan = false, abs = false, noftz = false, oob = false;
    bool cc = false;                                                               // writes the carry flag
    bool uni = false, aligned = false, sync = false, trans = false, pair = false;  // pair: `d|p` destinations
    bool shift_amount = false;                                                     // bfind.shiftamt
    bool is_volatile = false, non_coherent = false, noinc = false, no_complete = false, parity = false;
    bool mmio = false;
    bool cluster = false;       // .shared::cluster
    bool cache_hint = false;    // .L2::cache_hint: one more operand, a 64-bit policy, at the end
    bool expect_tx = false;     // mbarrier.arrive.expect_tx: one more operand, the byte count
    std::string_view shape;     // "m16n8k16", "m8n8"
    std::string_view layout_a;  // "row" | "col"; wmma.load and wmma.store: their one layout
    std::string_view layout_b;
    std::string_view semantics, scope, cache,
        eviction;  // "relaxed", "cta"/"cluster"/"gpu"/"sys", "ca"/"cg"/..., "L1::no_allocate" ...
    std::string_view prefetch_size;  // "L2::128B"
    std::string_view geometry;       // textures: "1d", "2d", "a2d", "3d", ...
    std::string_view kind;    // first family-specific word: wmma.load "a"/"b"/"c", mma.b1 "popc", tld4 "r",
                              // suld "b", fence "proxy"
    std::string_view detail;  // second such word
    friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

// How far the emulator's result can be trusted against the ISA.
enum class Exactness : uint8_t { exact, bounded };

// One row of the table: one opcode in one group of types. A newcomer adds an opcode by one row here and one
// test vector. `types` and `modifiers` are blank-separated groups of alternatives joined by '|' (one may be
// of several words: xorsign.abs); a group that ends in '?' may be absent, any other must appear exactly once.
// Types stand in the order of the mnemonic, modifiers may stand in any order. "*" in a column allows
// anything: a family recognised by name only.
struct Form {
    Op op;
    std::string_view name;       // "fma", "cp.async"
    std::string_view types;      // one group a type of the mnemonic: cvt "f16|f32 s8|s16"
    std::string_view modifiers;  // "rn|rz|rm|rp ftz? sat?"
    // Roles, blank-separated, destinations first. A role that starts with 'd' is written. [a]: an address;
    // {a}: a register or a vector of them; |p: the second half of a `d|p` pair; a trailing '?': may be
    // absent.
    std::string_view operands;  // "d a b c"
    std::string_view section;   // "9.7.3.6" of the PTX ISA 9.0
    Exactness exactness;
    std::string_view semantics;     // one sentence
    std::string_view not_modelled;  // empty: nothing
    std::string_view does{};        // its traits, in the notation of notation.h
    Traits traits = notation::read_traits(types, operands, does);
};

// The rows of one family, in the order of the ISA's chapters.
struct Family {
    std::string_view title;  // "Integer arithmetic"
    std::span<const Form> forms;
};
std::span<const Family> families();

std::string_view name_of(Op op);              // the name in its first row; "unsupported", "mark", "invalid"
std::string_view name_of(SpecialRegister r);  // "tid.x"; "envreg" without its number

}  // namespace wl::ptx

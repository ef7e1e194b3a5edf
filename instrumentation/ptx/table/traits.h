// What an instruction does to registers, to memory and to other lanes, as its row of the table says it. Race
// checks, bank counts, poison, dataflow, slices, waits and checks of operands read this; none of them lists
// opcodes. notation.h has the words of the rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wl::ptx {

// How the bits of the sources go to the results.
enum class Flow : uint8_t {
    none,   // no results that matter
    clean,  // results do not come from the sources
    all,    // any bit of any source may change every bit of every result
    copy,   // the bits of all sources in a row become those of the results
    bit_and,
    bit_or,
    bit_xor,
    table,  // lop3
    shift_left,
    shift_right,
    funnel,
    permute,  // all with a mode
    select,
    carry,   // sums and low products: from the lowest bit upwards; upper halves, clamped sums and flags: all
    halves,  // of packed pairs each half by itself; of single values all
    pack,    // {a, b}: halves of a rounded pair
    extend,  // all when clamped
    field,
    insert,
    compare,  // a comparison combined with a predicate
    leave,    // the sources leave the kernel
    lost,     // or go where nobody follows them
    load,
    store,
    atomic,
    copy_async,
    reduce,  // over the block
    // of the whole warp, when all its lanes have come
    shuffle,
    ballot,
    across,
    load_rows,
    store_rows,
    transpose,
    load_fragment,
    store_fragment,
    product,
};

// What becomes of the memory at the instruction's addresses.
enum class Memory : uint8_t {
    none,
    load,
    store,
    update,    // read, changed and written at once
    copy,      // bytes at the second address go to the first, later
    mbarrier,  // the word of an mbarrier, by the rules of mbarriers
    opaque,    // a texture or surface
    hint,      // nothing
};

// How many bytes of it a lane moves.
enum class Extent : uint8_t {
    typed,     // the last type of the mnemonic, as often as its vector says
    operand,   // as many as its operand `size` says
    bulk,      // the same, many, and not by lanes: no bank conflicts
    rows,      // matrices of 8 rows of 16 bytes, each lane's address that of a row
    fragment,  // the matrix of a wmma fragment, at one address for the warp
};

enum class Waits : uint8_t {
    nothing,
    lanes,   // for every lane of its mask, or of the warp
    block,   // at a barrier of the block
    copies,  // for the thread's own copies
    phase,   // it asks whether a phase of an mbarrier is complete
};

enum class Control : uint8_t { none, jump, jump_table, call, leave, trap };

// What register an operand may be.
struct Width {
    enum class Of : uint8_t {
        any,       // of any width, but no predicate
        anything,  // a predicate too
        predicate,
        bytes,     // of `bytes` bytes
        first,     // of the first type of the mnemonic
        last,      // of its last
        twice,     // twice as wide as its first
        fragment,  // 8 bytes for f64, else 4
        shared,    // the elements of a vector share the last type's bits
    };
    Of of = Of::any;
    uint8_t bytes = 0;
    bool wider = false;  // or more
};

constexpr size_t kMostRoles = 12;
constexpr int8_t kNoRole = -1;

// Roles are meant by their place in the row's column of operands.
struct Traits {
    Flow flow = Flow::none;
    Memory memory = Memory::none;
    Extent extent = Extent::typed;
    Waits waits = Waits::nothing;
    Control control = Control::none;
    bool fence = false;        // orders the accesses around it
    bool sleeps = false;       // lets others go on
    bool nothing = false;      // the row says that there is nothing to be known
    bool has_pair = false;     // the second role is the other half of a `d|p` pair
    uint8_t destinations = 0;  // leading roles that are written, the pair's other half apart
    int8_t data = kNoRole;     // the registers that memory goes into or comes from
    int8_t address = kNoRole;  // of a copy: where it goes
    int8_t source = kNoRole;   // copy: the address that it comes from
    int8_t size = kNoRole, stride = kNoRole, fill = kNoRole;
    uint16_t steers = 0;  // bit of each role that decides something whatever becomes of the result
    std::array<Width, kMostRoles> widths{};
};

// Does a result need the operands of other lanes of the warp?
constexpr bool is_collective(Flow flow) {
    switch (flow) {
        case Flow::shuffle:
        case Flow::ballot:
        case Flow::across:
        case Flow::load_rows:
        case Flow::store_rows:
        case Flow::transpose:
        case Flow::load_fragment:
        case Flow::store_fragment:
        case Flow::product: return true;
        default: return false;
    }
}

}  // namespace wl::ptx

// The PTX that is put in for a mark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::gpu {

// What the snippets of one function share: names of registers that were added to it.
struct Names {
    std::string on;        // .pred: this block dumps
    std::string warp_on;   // .pred: this warp does
    std::string store_on;  // .pred: this warp's stores are dumped; empty: nobody's are
    std::string epoch;     // .u32: barriers that the thread has come to; empty: they are not counted
    int barrier = 15;      // a barrier that the kernel does not use
    bool host_visible = false;
    std::string tid;    // .u32: number of the thread in its block
    std::string block;  // .u64: linear number of the block
    // Of the entry alone: where the next record of the block's tiles goes (.u64) and how many bytes are left
    // for them (.u32), the same in all threads; of the warp's records, in all its lanes. Empty: each record
    // is asked for.
    std::string tile_next, tile_left, warp_next, warp_left;
    std::string all_here;  // .pred: every thread of the block came to the last meeting, no warp in parts
    uint32_t threads = 0;  // of a block
};

struct Numbers {
    uint32_t mark = 0, site = 0;  // in the listing
    uint32_t element = 1;         // bytes
    std::string counter;          // .u32 register that counts the iterations; empty: they are not counted
    bool by_epoch = false;        // which of them are wanted is said by Control's epochs, not its iterations
};

struct MatrixText {
    std::string address, rows, cols, ld;  // operands of the mark
    // What they are, where the text of the kernel says it.
    std::optional<uint32_t> known_rows = {}, known_cols = {}, known_ld = {};
    // Of a block's tile: between this one and the one before, or behind, nothing writes: the threads need not
    // meet again.
    bool meets_before = true, meets_behind = true;
};

// A register of a fragment.
struct Value {
    std::string text;    // operand of the mark
    uint32_t index = 0;  // in the fragment
};

// Marks of one fragment that stand together.
struct RegisterText {
    std::vector<Value> values;  // in the order of the registers
    std::string slot;           // .u64 register that keeps the record's address for marks that stand apart
    uint32_t count = 1;         // registers of the fragment
    uint32_t cell = 4;          // bytes of one lane's register
    bool floating = false;      // the operand is a register of type .f32 or .f64
    bool is_first() const { return values.front().index == 0; }
    bool is_last() const { return values.back().index + 1 == count; }
};

// At the beginning of a function: whether its block dumps. At that of the entry: what is whose of the block's
// part of the buffer.
std::string prologue_text(const Names& names, bool is_entry);

// What a warp stores to shared memory.
struct StoreText {
    std::string guard;                     // "@!%p1 ", which leaves lanes out; empty: none is
    std::string address;                   // statements that leave the address in `target`, of 64 bits
    bool generic = false;                  // the address may be another memory's
    std::vector<std::string> values = {};  // one store each: what a lane stores, in order
    std::string type;                      // of such a store, with its vector: "v4.f32"
    uint32_t cell = 4;                     // bytes of it
    bool again = false;                    // the value is read where it was left
    std::string pitch = "0";               // elements between the lines of a matrix
};
std::string store_text(const Names& names, const Numbers& numbers, const StoreText& store);
// A lane starts a copy of many bytes.
struct BulkText {
    std::string guard;    // as of a store
    std::string address;  // statements that leave where it goes to in `target` and comes from in `source`
    std::string size;     // bytes, a multiple of 16
};
std::string bulk_text(const Names& names, const Numbers& numbers, const BulkText& bulk);
// A warp comes to barrier `id`, or leaves it.
std::string barrier_text(
    const Names& names, const Numbers& numbers, const std::string& guard, const std::string& id
);
// It has come to one more.
std::string epoch_text(const Names& names, const std::string& guard);

std::string stage_text(const Names& names, const Numbers& numbers);
std::string block_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix);
std::string warp_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix);
// The first registers of a fragment claim the record, the last end it.
std::string register_text(const Names& names, const Numbers& numbers, const RegisterText& reg);

}  // namespace wl::gpu

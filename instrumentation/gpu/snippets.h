// The PTX that is put in for a mark.
#pragma once

#include <cstdint>
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
};

struct Numbers {
    uint32_t mark = 0, site = 0;  // in the listing
    uint32_t element = 1;         // bytes
    std::string counter;          // .u32 register that counts the iterations; empty: they are not counted
    bool by_epoch = false;        // which of them are wanted is said by Control's epochs, not its iterations
};

struct MatrixText {
    std::string address, rows, cols, ld;  // operands of the mark
};

struct RegisterText {
    std::string value;      // operand of the mark
    std::string slot;       // .u64 register that keeps the record's address; 0: none
    uint32_t index = 0;     // of the register in the fragment
    uint32_t count = 1;     // registers of the fragment
    uint32_t cell = 4;      // bytes of one lane's register
    bool floating = false;  // the operand is a register of type .f32 or .f64
};

// At the beginning of a function: whether its block dumps. Of the entry, where block marks follow: the
// mailbox's tickets are zero.
std::string prologue_text(const Names& names, bool mailbox);

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
// A warp comes to barrier `id`, or leaves it.
std::string barrier_text(
    const Names& names, const Numbers& numbers, const std::string& guard, const std::string& id
);
// It has come to one more.
std::string epoch_text(const Names& names, const std::string& guard);

std::string stage_text(const Names& names, const Numbers& numbers);
std::string block_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix);
std::string warp_tile_text(const Names& names, const Numbers& numbers, const MatrixText& matrix);
// The first register of a fragment claims the record, the last ends it.
std::string register_text(const Names& names, const Numbers& numbers, const RegisterText& reg);

}  // namespace wl::gpu

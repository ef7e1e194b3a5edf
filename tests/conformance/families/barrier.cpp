// Barriers of a block and fences: data passed between warps through shared memory.
#include "tests/conformance/families/families.h"

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

// Each thread publishes its value in shared memory; `between` runs; each reads the value of the thread 32 on.
struct Exchange {
    Kernel k;
    std::string slot, other;
};

Exchange begin(uint32_t block, uint32_t grid = 2) {
    Exchange e;
    e.k.block.x = block;
    e.k.grid.x = grid;
    e.slot = scratch(e.k, Space::shared, 4);
    const std::string value = inputs(e.k, {{Type::b32}}, 71)[0];
    const std::string base = new_register(e.k, Type::b64), next = new_register(e.k, Type::b32);
    e.other = new_register(e.k, Type::b64);
    line(e.k, "st.shared.b32 [" + e.slot + "], " + value);
    line(e.k, "mov.u64 " + base + ", scratch");
    line(e.k, "add.u32 " + next + ", %thread, 32");
    line(e.k, "and.b32 " + next + ", " + next + ", " + std::to_string(block - 1));
    line(e.k, "mad.wide.u32 " + e.other + ", " + next + ", 4, " + base);
    return e;
}

Case end(Exchange& e, const ptx::Form& form, const std::string& name) {
    copy_out(e.k, {".shared", e.other, 4}, Type::b32);
    Case c = finish(e.k, form, name);
    c.risky = true;
    return c;
}

// The vote of all threads of a block: true in all, in none, in all but one, in one, in some.
Case reduction(const ptx::Form& form, const Variant& v, const std::string& barrier, bool negated) {
    Kernel k;
    k.block.x = 64;
    k.grid.x = 5;
    Random random{73};
    std::vector<uint64_t> votes;
    for (uint32_t i = 0; i < threads(k); ++i) {
        const uint32_t block = i / 64, t = i % 64;
        votes.push_back(
            block == 0       ? 1
                : block == 1 ? 0
                : block == 2 ? t != 40
                : block == 3 ? t == 5
                             : below(random, 2)
        );
    }
    const std::string c = input(k, Type::pred, votes), d = new_register(k, v.types[0]);
    line(k, mnemonic(form, v) + " " + d + ", " + barrier + ", " + (negated ? "!" : "") + c);
    output(k, v.types[0], d);
    Case result = finish(k, form, mnemonic(form, v) + " " + barrier + (negated ? " !c" : ""));
    result.risky = true;
    return result;
}

// Warp 0 produces and arrives, warp 1 waits and reads.
Case producer(const ptx::Form& form, const Variant& v) {
    Exchange e = begin(64, 1);
    const std::string produces = new_register(e.k, Type::pred);
    line(e.k, "setp.lt.u32 " + produces + ", %thread, 32");
    line(e.k, "bar.sync 0");
    line(e.k, "@" + produces + " bra PRODUCER");
    line(e.k, "bar.sync 1, 64");
    line(e.k, "bra DONE");
    line(e.k, "PRODUCER:");
    line(e.k, mnemonic(form, v) + " 1, 64");
    line(e.k, "DONE:");
    return end(e, form, mnemonic(form, v) + " 1, 64");
}

std::vector<Case> bar_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form)) {
        if (has(v, "red")) {
            for (const char* barrier : {"0", "3", "5, 64"})
                for (const bool negated : {false, true})
                    cases.push_back(reduction(form, v, barrier, negated));
        } else if (has(v, "arrive")) {
            cases.push_back(producer(form, v));
        } else {
            for (const char* barrier : {"0", "15", "2, 64"}) {
                Exchange e = begin(64);
                line(e.k, mnemonic(form, v) + " " + barrier);
                cases.push_back(end(e, form, mnemonic(form, v) + " " + barrier));
            }
        }
    }
    return cases;
}

bool takes_operands(const ptx::Form& form) { return !form.operands.empty(); }

}  // namespace

std::vector<Case> barrier_cases(const ptx::Form& form) {
    if (form.op == Op::bar) return bar_cases(form);
    std::vector<Case> cases;
    const bool fence = form.op == Op::fence || form.op == Op::membar || form.op == Op::griddepcontrol ||
        form.op == Op::barrier_cluster;
    if (form.op == Op::bar_warp_sync) {
        Exchange e = begin(32);
        line(e.k, mnemonic(form, variants_of(form)[0]) + " 0xffffffff");
        cases.push_back(end(e, form, std::string(form.name)));
    }
    if (!fence || takes_operands(form)) return cases;
    for (const Variant& v : variants_of(form)) {
        Exchange e = begin(64);
        if (form.op == Op::barrier_cluster) {  // arrive and wait belong together
            if (has(v, "wait"))
                line(e.k, has(v, "aligned") ? "barrier.cluster.arrive.aligned" : "barrier.cluster.arrive");
            line(e.k, mnemonic(form, v));
            if (has(v, "arrive"))
                line(e.k, has(v, "aligned") ? "barrier.cluster.wait.aligned" : "barrier.cluster.wait");
        } else {
            line(e.k, mnemonic(form, v));
        }
        line(e.k, "bar.sync 0");
        cases.push_back(end(e, form, mnemonic(form, v)));
    }
    return cases;
}

}  // namespace wl::conformance

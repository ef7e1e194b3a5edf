// Asynchronous copies and mbarriers.
#include "tests/conformance/families/families.h"

namespace wl::conformance {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

// What closes and awaits the copy: each of the three instructions is the tested one in turn.
std::vector<std::string> completion_of(const ptx::Form& form) {
    if (form.op == Op::cp_async_wait_all) return {"cp.async.wait_all"};
    if (form.op == Op::cp_async_mbarrier_arrive) return {};
    return {"cp.async.commit_group", "cp.async.wait_group 0"};
}

struct AsyncCopy {
    std::string mnemonic;
    uint32_t bytes = 16;
    std::string fill;   // operand behind the size: a register or nothing
    std::string label;  // of the case's name
};

Case copy_case(const ptx::Form& form, const AsyncCopy& copy, bool policy) {
    Kernel k;
    k.grid.x = 2;
    const std::vector<std::byte> from = random_bytes(size_t{threads(k)} * copy.bytes, 61);
    const std::string source = element_address(k, buffer(k, {Type::b8, from, false}), copy.bytes);
    const std::string target = scratch(k, Space::shared, copy.bytes);
    copy_in(k, {".shared", target, copy.bytes}, random_bytes(from.size(), 62));
    std::string operands = " [" + target + "], [" + source + "], " + std::to_string(copy.bytes);
    if (copy.fill == "size") {
        std::vector<uint64_t> sizes;
        for (uint32_t i = 0; i < threads(k); ++i) sizes.push_back(i % (copy.bytes + 1));
        operands += ", " + input(k, Type::b32, sizes);
    } else if (copy.fill == "ignore") {
        std::vector<uint64_t> ignored;
        for (uint32_t i = 0; i < threads(k); ++i) ignored.push_back(i % 3 == 0);
        operands += ", " + input(k, Type::pred, ignored);
    }
    if (policy) {
        const std::string reg = new_register(k, Type::b64);
        line(k, "createpolicy.fractional.L2::evict_last.b64 " + reg + ", 1.0");
        operands += ", " + reg;
    }
    line(k, copy.mnemonic + operands);
    for (const std::string& statement : completion_of(form)) line(k, statement);
    copy_out(k, {".shared", target, copy.bytes}, Type::b8);
    return finish(k, form, std::string(form.name) + " " + copy.label);
}

// Two groups in flight: after wait_group 1 the first has landed; after wait_group 0 both.
Case groups_case(const ptx::Form& form) {
    Kernel k;
    const std::vector<std::byte> from = random_bytes(size_t{threads(k)} * 16, 63);
    const std::string source = element_address(k, buffer(k, {Type::b8, from, false}), 16),
                      target = scratch(k, Space::shared, 16);
    line(k, "cp.async.ca.shared.global [" + target + "], [" + source + "], 8");
    line(k, "cp.async.commit_group");
    line(k, "cp.async.ca.shared.global [" + target + "+8], [" + source + "+8], 8");
    line(k, "cp.async.commit_group");
    line(k, "cp.async.wait_group 1");
    copy_out(k, {".shared", target, 8}, Type::b8);
    line(k, "cp.async.wait_group 0");
    copy_out(k, {".shared", target, 16}, Type::b8);
    return finish(k, form, std::string(form.name) + " two groups");
}

// One thread works on an mbarrier of `count` arrivals; what it sees is stored as 32-bit words.
struct Script {
    Kernel k;
    std::string words;  // address of the next word to store
    int stored = 0;
};

Script begin(uint32_t count, size_t bytes = 64) {
    Script s;
    s.k.block.x = 1;
    s.k.registers +=
        "    .shared .align 8 .b64 bar;\n    .reg .b64 %bar, %s, %u;\n    .reg .b32 %n;\n    .reg .pred "
        "%p;\n";
    s.words = zeroed(s.k, Type::b32, bytes);
    line(s.k, "mov.u64 %bar, bar");
    line(s.k, "mbarrier.init.shared.b64 [%bar], " + std::to_string(count));
    return s;
}

void store(Script& s, const std::string& reg) {
    line(s.k, "st.global.b32 [" + s.words + "+" + std::to_string(4 * s.stored++) + "], " + reg);
}

void store_predicate(Script& s) {
    line(s.k, "selp.u32 %n, 1, 0, %p");
    store(s, "%n");
}

void store_pending(Script& s, const std::string& state) {
    line(s.k, "mbarrier.pending_count.b64 %n, " + state);
    store(s, "%n");
}

void store_phase(Script& s, const std::string& state) {
    line(s.k, "mbarrier.test_wait.shared.b64 %p, [%bar], " + state);
    store_predicate(s);
}

void store_half(Script& s, const std::string& reg, bool high) {
    if (s.k.registers.find("%low") == std::string::npos) s.k.registers += "    .reg .b32 %low, %high;\n";
    line(s.k, "mov.b64 {%low, %high}, " + reg);
    store(s, high ? "%high" : "%low");
}

// The opaque words as they are, after each statement on an mbarrier for 5 arrivals: the state that an arrival
// returned, of which an H200 writes the upper half only, and the mbarrier itself, which ordinary loads see
// after mbarrier.inval (before it they see what was there last).
Case opaque_case(const ptx::Form& form, const std::vector<std::string>& statements) {
    Script s = begin(5, 256);
    for (size_t last = 0; last < statements.size(); ++last) {
        if (last > 0) line(s.k, "mbarrier.init.shared.b64 [%bar], 5");
        for (size_t i = 0; i <= last; ++i) line(s.k, statements[i]);
        if (statements[last].find("%s,") != std::string::npos) store_half(s, "%s", true);
        line(s.k, "mbarrier.inval.shared.b64 [%bar]");
        line(s.k, "ld.shared.b64 %u, [%bar]");
        store_half(s, "%u", false);
        store_half(s, "%u", true);
    }
    Case c = finish(s.k, form, std::string(form.name) + " opaque word");
    c.risky = true;
    return c;
}

// The plain form of each operation: what the mbarrier's 64 bits are.
std::vector<std::string> opaque_script(const ptx::Form& form) {
    const std::string arrive = "mbarrier.arrive.shared.b64 %s, [%bar]", expect = "mbarrier.expect_tx",
                      complete = "mbarrier.complete_tx", here = ".relaxed.cta.shared::cta.b64 [%bar], ",
                      again = "mbarrier.inval.shared.b64 [%bar];\n    mbarrier.init.shared.b64 [%bar], ";
    switch (form.op) {
        case Op::mbarrier_init: return {again + "1", again + "2", again + "77", again + "1048575"};
        case Op::mbarrier_arrive: return {arrive, arrive + ", 3", arrive, arrive + ", 5", arrive};
        case Op::mbarrier_arrive_drop:
            return {"mbarrier.arrive_drop.shared.b64 %s, [%bar]", arrive + ", 4", arrive + ", 4", arrive};
        case Op::mbarrier_expect_tx:
            return {
                expect + here + "48", arrive + ", 5", complete + here + "16", complete + here + "32", arrive};
        case Op::mbarrier_complete_tx:
            return {
                complete + here + "7",
                expect + here + "1048575",
                complete + here + "1048568",
                arrive + ", 5"};
        default: return {};
    }
}

std::string space_of(const Variant& v) {
    for (std::string_view w : v.words)
        if (w.starts_with("shared")) return std::string(w);
    return "";
}

// The mbarrier's address as the mnemonic wants it.
std::string barrier_address(Script& s, const Variant& v) {
    if (!space_of(v).empty()) return "[%bar]";
    s.k.registers += "    .reg .b64 %generic;\n";
    line(s.k, "cvta.shared.u64 %generic, %bar");
    return "[%generic]";
}

void emit_arrival(Script& s, const ptx::Form& form, const Variant& v) {
    const std::string words = mnemonic(form, v), address = barrier_address(s, v);
    const std::string state = space_of(v) == "shared::cluster" ? "_" : "%s";
    if (has(v, "expect_tx")) {
        line(s.k, words + " " + state + ", " + address + ", 32");
        if (state != "_") store_phase(s, "%s");
        line(s.k, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 32");
    } else {
        line(s.k, words + " " + state + ", " + address + (has(v, "noComplete") ? ", 2" : ""));
    }
    if (state != "_") {
        store_pending(s, "%s");
        store_phase(s, "%s");
    }
    // The rest of the phase, then a whole further one: dropped arrivals are missing there.
    for (int i = 0; i < 6; ++i) {
        line(s.k, "mbarrier.arrive.shared.b64 %u, [%bar]");
        store_pending(s, "%u");
        store_phase(s, "%u");
    }
}

void emit_wait(Script& s, const ptx::Form& form, const Variant& v) {
    const std::string words = mnemonic(form, v), address = barrier_address(s, v);
    const bool parity = has(v, "parity");
    line(s.k, "mbarrier.arrive.shared.b64 %s, [%bar]");
    for (int i = 0; i < 4; ++i) {
        line(s.k, words + " %p, " + address + ", " + (parity ? std::to_string(i & 1) : "%s"));
        store_predicate(s);
        if (i == 1) line(s.k, "mbarrier.arrive.shared.b64 %u, [%bar], 2");
    }
}

void emit_transactions(Script& s, const ptx::Form& form, const Variant& v) {
    const std::string words = mnemonic(form, v), address = barrier_address(s, v);
    line(
        s.k,
        (form.op == Op::mbarrier_expect_tx ? words : "mbarrier.expect_tx.relaxed.cta.shared::cta.b64") +
            (form.op == Op::mbarrier_expect_tx ? " " + address : " [%bar]") + ", 48"
    );
    line(s.k, "mbarrier.arrive.shared.b64 %s, [%bar], 3");
    store_phase(s, "%s");
    for (const int bytes : {16, 32}) {
        line(
            s.k,
            (form.op == Op::mbarrier_complete_tx
                 ? words + " " + address
                 : "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar]") +
                ", " + std::to_string(bytes)
        );
        store_phase(s, "%s");
    }
}

// Threads copy, the mbarrier tells when all have landed.
Case arrive_by_copy(const ptx::Form& form, const Variant& v) {
    Kernel k;
    const bool noinc = has(v, "noinc");
    k.registers += "    .shared .align 8 .b64 bar;\n    .reg .b64 %bar, %s;\n    .reg .pred %p, %first;\n";
    const std::vector<std::byte> from = random_bytes(size_t{threads(k)} * 16, 64);
    const std::string source = element_address(k, buffer(k, {Type::b8, from, false}), 16),
                      target = scratch(k, Space::shared, 16);
    line(k, "mov.u64 %bar, bar");
    line(k, "setp.eq.u32 %first, %thread, 0");
    line(k, "@%first mbarrier.init.shared.b64 [%bar], 64");
    line(k, "bar.sync 0");
    line(k, "cp.async.ca.shared.global [" + target + "], [" + source + "], 16");
    std::string address = "%bar";
    if (space_of(v).empty()) {
        address = new_register(k, Type::b64);
        line(k, "cvta.shared.u64 " + address + ", %bar");
    }
    line(k, mnemonic(form, v) + " [" + address + "]");
    if (!noinc) line(k, "mbarrier.arrive.shared.b64 %s, [%bar]");
    line(k, "WAIT:");
    line(k, "mbarrier.test_wait.parity.shared.b64 %p, [%bar], 0");
    line(k, "@!%p bra WAIT");
    copy_out(k, {".shared", target, 16}, Type::b8);
    Case c = finish(k, form, mnemonic(form, v));
    c.risky = true;
    return c;
}

// One thread copies `bytes` into shared memory, waits for the phase and stores what came.
Case bulk_case(const ptx::Form& form, const Variant& v, uint32_t bytes) {
    Kernel k;
    k.block.x = 1;
    k.registers +=
        "    .shared .align 8 .b64 bar;\n    .shared .align 16 .b8 rows[4096];\n"
        "    .reg .b64 %bar, %s, %rows;\n    .reg .b32 %size;\n    .reg .pred %p;\n";
    const std::string from = buffer(k, {Type::b8, random_bytes(bytes + 16, 64), false}),
                      to = zeroed(k, Type::b32, bytes), number = std::to_string(bytes);
    line(k, "mov.u64 %bar, bar");
    line(k, "mov.u64 %rows, rows");
    line(k, "mov.u32 %size, " + number);
    line(k, "mbarrier.init.shared.b64 [%bar], 1");
    line(k, "mbarrier.arrive.expect_tx.shared.b64 %s, [%bar], " + number);
    std::string operands = " [%rows], [" + from + "+16], %size, [%bar]";
    if (has(v, "L2::cache_hint")) {
        const std::string policy = new_register(k, Type::b64);
        line(k, "createpolicy.fractional.L2::evict_last.b64 " + policy + ", 1.0");
        operands += ", " + policy;
    }
    line(k, mnemonic(form, v) + operands);
    line(k, "WAIT:");
    line(k, "mbarrier.test_wait.shared.b64 %p, [%bar], %s");
    line(k, "@!%p bra WAIT");
    const std::string word = new_register(k, Type::b32);
    for (uint32_t at = 0; at < bytes; at += 4) {
        line(k, "ld.shared.b32 " + word + ", [%rows+" + std::to_string(at) + "]");
        line(k, "st.global.b32 [" + to + "+" + std::to_string(at) + "], " + word);
    }
    Case c = finish(k, form, mnemonic(form, v) + " " + number);
    c.risky = true;
    return c;
}

// One thread copies `bytes` out of shared memory and waits for the group; of the instructions that close
// groups and wait for them it is the same.
Case bulk_out_case(const ptx::Form& form, const Variant& v, uint32_t bytes) {
    Kernel k;
    k.block.x = 1;
    k.registers += "    .shared .align 16 .b8 rows[4096];\n    .reg .b64 %rows;\n    .reg .b32 %size;\n";
    const std::string from = buffer(k, {Type::b8, random_bytes(bytes, 64), false}),
                      to = zeroed(k, Type::b32, bytes + 16), number = std::to_string(bytes);
    line(k, "mov.u64 %rows, rows");
    line(k, "mov.u32 %size, " + number);
    const std::string word = new_register(k, Type::b32);
    for (uint32_t at = 0; at < bytes; at += 4) {
        line(k, "ld.global.b32 " + word + ", [" + from + "+" + std::to_string(at) + "]");
        line(k, "st.shared.b32 [%rows+" + std::to_string(at) + "], " + word);
    }
    line(k, "fence.proxy.async.shared::cta");
    std::string operands = " [" + to + "+16], [%rows], %size";
    const bool copies = form.traits.extent == ptx::Extent::bulk;
    if (copies && has(v, "L2::cache_hint")) {
        const std::string policy = new_register(k, Type::b64);
        line(k, "createpolicy.fractional.L2::evict_last.b64 " + policy + ", 1.0");
        operands += ", " + policy;
    }
    const std::string words = mnemonic(form, v);
    line(k, (copies ? words : "cp.async.bulk.global.shared::cta.bulk_group") + operands);
    line(k, "cp.async.bulk.commit_group");
    line(k, (words.find(".wait_group") != std::string::npos ? words : "cp.async.bulk.wait_group") + " 0");
    return finish(k, form, words + " " + number);
}

bool is_bulk_out(const ptx::Form& form) {
    const std::string_view name = form.name;
    return name.ends_with(".commit_group") || name.ends_with(".wait_group") ||
        form.modifiers.starts_with("global ");
}

}  // namespace

std::vector<Case> async_copy_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (form.op == Op::cp_async) {
        for (const Variant& v : variants_of(form, 64))
            for (const uint32_t bytes : {4u, 8u, 16u})
                for (const char* fill : {"", "size", "ignore"}) {
                    if (has(v, "cg") && bytes != 16) continue;
                    const std::string words = mnemonic(form, v);
                    const std::string label =
                        words.substr(form.name.size() + 1) + " " + std::to_string(bytes) + " " + fill;
                    cases.push_back(copy_case(form, {words, bytes, fill, label}, has(v, "L2::cache_hint")));
                }
    } else if (form.op == Op::cp_async_commit_group || form.op == Op::cp_async_wait_group) {
        cases.push_back(groups_case(form));
    } else if (form.op == Op::cp_async_wait_all) {
        cases.push_back(copy_case(form, {"cp.async.ca.shared.global", 16, "", "one copy"}, false));
    } else if (form.op == Op::cp_async_mbarrier_arrive) {
        for (const Variant& v : variants_of(form)) cases.push_back(arrive_by_copy(form, v));
    } else if (form.op == Op::cp_async_bulk && form.not_modelled.find("not executed") == std::string_view::npos && is_bulk_out(form)) {
        for (const Variant& v : variants_of(form))
            for (const uint32_t bytes : {16u, 192u}) cases.push_back(bulk_out_case(form, v, bytes));
    } else if (form.traits.extent == ptx::Extent::bulk) {
        for (const Variant& v : variants_of(form))
            for (const uint32_t bytes : {16u, 192u}) cases.push_back(bulk_case(form, v, bytes));
    }
    return cases;
}

std::vector<Case> mbarrier_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (!form.name.starts_with("mbarrier.")) return cases;
    const std::vector<std::string> statements = opaque_script(form);
    const bool plain = form.modifiers.find("expect_tx") == std::string_view::npos &&
        form.modifiers.find("noComplete") == std::string_view::npos;
    if (!statements.empty() && plain) cases.push_back(opaque_case(form, statements));
    for (const Variant& v : variants_of(form, 16)) {
        Script s = begin(3);
        switch (form.op) {
            case Op::mbarrier_init:
                line(s.k, "mbarrier.inval.shared.b64 [%bar]");
                line(s.k, mnemonic(form, v) + " " + barrier_address(s, v) + ", 2");
                line(s.k, "mbarrier.arrive.shared.b64 %s, [%bar]");
                store_pending(s, "%s");
                store_phase(s, "%s");
                line(s.k, "mbarrier.arrive.shared.b64 %u, [%bar]");
                store_phase(s, "%s");
                break;
            case Op::mbarrier_inval: {
                line(s.k, mnemonic(form, v) + " " + barrier_address(s, v));
                line(s.k, "st.shared.u32 [%bar], 77");
                line(s.k, "ld.shared.u32 %n, [%bar]");
                store(s, "%n");
                break;
            }
            case Op::mbarrier_pending_count:
                for (int i = 0; i < 3; ++i) {
                    line(s.k, "mbarrier.arrive.shared.b64 %s, [%bar]");
                    line(s.k, mnemonic(form, v) + " %n, %s");
                    store(s, "%n");
                }
                break;
            case Op::mbarrier_expect_tx:
            case Op::mbarrier_complete_tx: emit_transactions(s, form, v); break;
            case Op::mbarrier_test_wait:
            case Op::mbarrier_try_wait: emit_wait(s, form, v); break;
            default: emit_arrival(s, form, v); break;
        }
        Case c = finish(s.k, form, mnemonic(form, v));
        c.risky = true;
        cases.push_back(c);
    }
    return cases;
}

}  // namespace wl::conformance

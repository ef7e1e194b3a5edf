// Addresses that no sane kernel computes, in every space and at every width: each access is suppressed and
// noted, or lies inside what the kernel was given. A value that only the host has is never read and never
// changes; the sanitizers' build shows the rest.
#include "tests/emulator/emulator_kernel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace wl::emulator::test {
namespace {

constexpr uint32_t kThreads = 64, kBlocks = 2;
constexpr uint64_t kSecret = 0x5ec3e75ec3e75ec3;

struct Wild {       // of one thread
    uint64_t wide;  // %rd20
    uint64_t other;
    uint32_t narrow;
    uint32_t size;
};

std::string with_address(std::string line, const std::string& address) {
    for (size_t at = line.find('#'); at != std::string::npos; at = line.find('#'))
        line.replace(at, 1, address);
    return line;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    return lines;
}

// One kernel each, with `#` for the address.
constexpr std::string_view kGeneric = R"(ld.global.nc.v4.u32 {%r40, %r41, %r42, %r43}, [#];
red.global.add.v4.f32 [#], {%f40, %f41, %f42, %f43};
prefetch.global.L2 [#];
cp.async.ca.shared.global [%r20], [#], 8;
cp.async.cg.shared.global [%r20], [#], 16;
cp.async.ca.shared.global [0], [#], 16, %r21;
cp.async.wait_all;
cvta.to.shared.u64 %rd43, %rd20; ld.shared.u32 %r43, [%rd43];
cvta.global.u64 %rd43, %rd20; st.u64 [%rd43], %rd41;
isspacep.local %p9, %rd20; @%p9 ld.u32 %r43, [%rd20];
wmma.load.a.sync.aligned.m16n16k16.global.row.f16 {%r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47}, [#], %r21;
wmma.load.c.sync.aligned.m16n16k16.row.f32 {%f40, %f41, %f42, %f43, %f44, %f45, %f46, %f47}, [#], %r22;
wmma.store.d.sync.aligned.m16n16k16.row.f32 [#], {%f40, %f41, %f42, %f43, %f44, %f45, %f46, %f47}, %r21;
ldmatrix.sync.aligned.m8n8.x4.b16 {%r40, %r41, %r42, %r43}, [#];
stmatrix.sync.aligned.m8n8.x4.b16 [#], {%r40, %r41, %r42, %r43};
mbarrier.init.b64 [#], 1;
mbarrier.arrive.b64 %rd40, [#];
mbarrier.test_wait.b64 %p9, [#], %rd40;
cp.async.mbarrier.arrive.b64 [#];
//@wl tile "t" 10 %rd20 4 8 %r21
)";
constexpr std::string_view kOther = R"(tex.2d.v4.u32.f32 {%r40, %r41, %r42, %r43}, [%rd1, {%f50, %f51}];
tex.1d.v4.u32.s32 {%r40, %r41, %r42, %r43}, [%rd1, {%r20}];
tex.2d.v4.u32.f32 {%r40, %r41, %r42, %r43}, [%rd20, {%f50, %f51}];
tld4.r.2d.v4.u32.f32 {%r40, %r41, %r42, %r43}, [%rd1, {%f50, %f51}];
suld.b.2d.v4.b32.clamp {%r40, %r41, %r42, %r43}, [%rd2, {%r20, %r21}];
suld.b.2d.b32.zero %r40, [%rd20, {%r20, %r21}];
sust.b.2d.v4.b32.clamp [%rd2, {%r20, %r21}], {%r40, %r41, %r42, %r43};
sust.b.2d.b64.zero [%rd2, {%r21, %r20}], %rd40;
sust.b.2d.b8.trap [%rd2, {%r20, %r21}], %h40;
sured.b.add.2d.u32.clamp [%rd2, {%r20, %r21}], %r40;
stacksave.u64 %rd44; alloca.u64 %rd45, 64; st.local.u64 [%rd45+56], %rd40; ld.local.u64 %rd40, [%rd45+64]; st.local.v4.u32 [%rd45+48], {%r40, %r41, %r42, %r43}; stackrestore.u64 %rd44;
{ .param .b64 a; st.param.b64 [a], %rd20; call.uni free, (a); }
{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd21; call.uni (r), malloc, (a); ld.param.b64 %rd45, [r]; } st.u64 [%rd45], %rd40; ld.u64 %rd40, [%rd45-8];
{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd20; st.param.b64 [b], %rd21; call.uni (r), vprintf, (a, b); }
)";

// `#`: the address. What is loaded goes to %rd40 to %rd43, %r40 to %r43.
std::vector<std::string> plain_accesses(const std::string& space, bool constant) {
    std::vector<std::string> lines;
    for (const char* type :
         {"u8 %r40",
          "s16 %r41",
          "u32 %r42",
          "u64 %rd40",
          "f64 %fd40",
          "v2.u64 {%rd41, %rd42}",
          "v4.u32 {%r40, %r41, %r42, %r43}",
          "v2.u8 {%h40, %h41}",
          "v4.f32 {%f40, %f41, %f42, %f43}"}) {
        const std::string words(type), name = words.substr(0, words.find(' ')),
                                       data = words.substr(words.find(' '));
        lines.push_back(fmt::format("ld{}.{}{}, [#];", space, name, data));
        if (!constant) lines.push_back(fmt::format("st{}.{} [#],{};", space, name, data));
        if (!constant && space != ".local")
            lines.push_back(fmt::format("ld.volatile{}.{}{}, [#];", space, name, data));
    }
    return lines;
}

std::vector<std::string> atomics(const std::string& space) {
    std::vector<std::string> lines;
    for (const char* what :
         {"add.u32 %r40, [#], 1",
          "cas.b64 %rd40, [#], %rd41, %rd42",
          "add.f64 %fd40, [#], %fd41",
          "add.noftz.f16x2 %r40, [#], %r41",
          "cas.b16 %h40, [#], %h41, %h40",
          "exch.b128 %q0, [#], %q1"})
        lines.push_back("atom" + space + "." + what + ";");
    for (const char* what :
         {"add.u64 [#], 1", "max.s32 [#], %r40", "add.f32 [#], %f40", "add.noftz.bf16 [#], %h40"})
        lines.push_back("red" + space + "." + what + ";");
    return lines;
}

std::vector<std::string> generic_accesses() {
    std::vector<std::string> lines = lines_of(kGeneric);
    for (const std::string& line : plain_accesses("", false)) lines.push_back(line);
    for (const std::string& line : plain_accesses(".global", false)) lines.push_back(line);
    for (const std::string& line : plain_accesses(".local", false)) lines.push_back(line);
    for (const std::string& line : plain_accesses(".const", true)) lines.push_back(line);
    for (const std::string& line : atomics("")) lines.push_back(line);
    for (const std::string& line : atomics(".global")) lines.push_back(line);
    return lines;
}

std::vector<std::string> shared_accesses() {
    std::vector<std::string> lines = plain_accesses(".shared", false);
    for (const std::string& line : atomics(".shared")) lines.push_back(line);
    for (const char* line :
         {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r40, %r41, %r42, %r43}, [#];",
          "stmatrix.sync.aligned.m8n8.x2.shared.b16 [#], {%r40, %r41};",
          "wmma.store.d.sync.aligned.m16n16k16.shared.col.f32 [#], {%f40, %f41, %f42, %f43, %f44, %f45, "
          "%f46, %f47}, %r21;",
          "wmma.load.b.sync.aligned.m16n16k16.shared.col.f16 {%r40, %r41, %r42, %r43, %r44, %r45, %r46, "
          "%r47}, [#], %r22;",
          "mbarrier.init.shared.b64 [#], 3;",
          "mbarrier.arrive.shared.b64 %rd40, [#];",
          "mbarrier.inval.shared.b64 [#];"})
        lines.emplace_back(line);
    return lines;
}

// Each line, and behind it everything that was loaded goes to the third array.
std::string wild_kernel(const std::vector<std::string>& lines) {
    std::string body =
        ".reg .b128 %q<2>;\n.local .align 16 .b8 stack[64];\nmov.u64 %rd50, stack;\nst.local.u64 [stack], "
        "%rd50;\n"
        "mul.wide.u32 %rd60, %r2, 24;\nadd.u64 %rd61, %rd0, %rd60;\nld.global.u64 %rd20, [%rd61];\n"
        "ld.global.u64 %rd21, [%rd61+8];\nld.global.u32 %r20, [%rd61+16];\nld.global.u32 %r21, [%rd61+20];\n"
        "and.b32 %r22, %r21, 31;\nmov.b32 %f50, %r20;\nmov.b32 %f51, %r21;\nmov.b128 %q0, {%rd0, %rd0};\n"
        "mov.b128 %q1, {%rd0, %rd0};\nmul.wide.u32 %rd62, %r2, 64;\nadd.u64 %rd62, %rd62, %rd3;\n";
    for (int k = 40; k < 48; ++k)
        body += fmt::format(
            "mov.u32 %r{0}, {0};\nmov.f32 %f{0}, 0f3F800000;\nmov.u64 %rd{0}, {0};\n"
            "mov.f64 %fd{0}, 0d3FF0000000000000;\nmov.u16 %h{0}, {0};\n",
            k
        );
    for (const std::string& line : lines)
        body += line +
            "\nst.global.v4.u32 [%rd62], {%r40, %r41, %r42, %r43};\n"
            "st.global.v2.u64 [%rd62+16], {%rd40, %rd41};\nst.global.v2.u64 [%rd62+32], {%rd42, %rd43};\n";
    return kernel(
        body,
        ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n"
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
        ".shared .align 16 .b8 s[512];\n.const .align 16 .b8 c[96];\n.global .align 16 .b8 g[100];\n"
    );
}

// Near the ends of what there is, of windows and of 2^64; on the host; anywhere.
uint64_t wild_address(std::mt19937_64& random, const std::vector<uint64_t>& bases, const uint64_t* host) {
    const auto near = static_cast<uint64_t>(static_cast<int64_t>(random() % 80) - 40);
    switch (random() % 6) {
        case 0: return random() >> random() % 64;
        case 1: return bases[random() % bases.size()] + near;
        case 2: return (uint64_t{random() % 9} << 56) + (random() % 2) * (random() % 1024) + near;
        case 3: return reinterpret_cast<uint64_t>(host) + random() % 2 * near;
        case 4: return (random() % 9 << 56) - random() % 32;
        default: return ~uint64_t{0} - random() % 64;
    }
}

Texture small_plane() {
    Texture t;
    t.name = "plane";
    t.extent = {3, 5, 1};
    t.dtype = DType::u32;
    return t;
}

struct Shot {
    std::vector<std::string> lines;
    uint64_t seed = 0;
};

// How many accesses were refused.
size_t fire(const Shot& shot) {
    std::mt19937_64 random(shot.seed);
    KernelRun run(wild_kernel(shot.lines), kThreads, kBlocks);
    const std::vector<uint64_t> secret(64, kSecret);
    const std::vector<uint8_t> odd(77, 0x5a);
    run.in("wild", std::vector<Wild>(kThreads * kBlocks));
    Texture t = small_plane();
    t.data = allocate(run.memory, t.name, std::vector<std::byte>(60, std::byte{1}));
    run.add(add_texture(run.memory, t));
    t.data = allocate(run.memory, "surface", std::vector<std::byte>(60, std::byte{2}));
    run.add(add_texture(run.memory, t));
    run.out<uint8_t>("loaded", size_t{kThreads} * kBlocks * 64);
    run.in("odd", odd);
    std::vector<uint64_t> bases = {
        0, kSharedBase, kSharedBase + 512, kLocalBase + 64, kLocalBase + (1 << 20)};
    for (const Allocation& a : run.memory.allocations) {
        if (a.name == "wild" || a.name == "loaded") continue;
        bases.push_back(a.base);
        bases.push_back(a.base + a.bytes.size());
    }
    std::vector<Wild> wild(kThreads * kBlocks);
    for (Wild& w : wild) {
        w.wide = wild_address(random, bases, &secret[random() % secret.size()]);
        w.other = wild_address(random, bases, &secret[random() % secret.size()]);
        w.narrow = static_cast<uint32_t>(random() % 2 == 0 ? random() % 640 : random() >> random() % 64);
        w.size = static_cast<uint32_t>(random() >> random() % 64);
    }
    run.memory.allocations[0].bytes = bytes_of(wild);
    run.options.budget = 1 << 20;
    run.options.record = shot.seed % 3 == 2;
    run.options.threads = 1 + static_cast<int>(shot.seed % 2);
    if (shot.seed % 3 == 0) run.options.checks = {false, false, false};
    run.go();
    EXPECT_EQ(run.result.blocks, uint64_t{kBlocks});
    EXPECT_EQ(std::count(secret.begin(), secret.end(), kSecret), 64);
    const auto loaded = run.get<uint64_t>("loaded");
    EXPECT_EQ(std::count(loaded.begin(), loaded.end(), kSecret), 0);
    const auto halves = run.get<uint32_t>("loaded");
    EXPECT_EQ(std::count(halves.begin(), halves.end(), static_cast<uint32_t>(kSecret)), 0);
    size_t refused = 0;
    for (const Incident& i : run.result.incidents)
        refused += i.kind != Incident::Kind::uninitialised_read && i.kind != Incident::Kind::race_shared;
    return refused;
}

// What no address makes wrong: hints, waits, reads of a texture, what asks for zero outside.
constexpr const char* kHarmless[] = {"prefetch", "wait_all", "[%rd1, {", ".zero"};

// A kernel that faults may end: each instruction gets a kernel of its own, so that all are reached.
void fire_each(const std::vector<std::string>& lines, const std::vector<std::string>& addresses) {
    for (const std::string& line : lines) {
        SCOPED_TRACE(line);
        size_t refused = 0;
        uint64_t seed = 0;
        for (const std::string& address : addresses) refused += fire({{with_address(line, address)}, ++seed});
        const bool harmless = std::any_of(std::begin(kHarmless), std::end(kHarmless), [&](const char* part) {
            return line.find(part) != std::string::npos;
        });
        EXPECT_GE(refused, harmless ? 0u : 1u);
    }
}

TEST(EmulatorWild, NoAddressReachesTheHost) {
    fire_each(generic_accesses(), {"%rd20", "%rd20-1", "%rd20+2147483647", "%rd20-2147483648"});
}
TEST(EmulatorWild, NoSharedAddressReachesTheHost) {
    fire_each(shared_accesses(), {"%rd20", "%r20", "%r20-8", "%r20+2147483647", "s-16", "s+500"});
}
TEST(EmulatorWild, NoHandleCoordinateOrPointerOfACallReachesTheHost) {
    fire_each(lines_of(kOther), {"", "", "", ""});
}
TEST(EmulatorWild, ManyInOneKernel) {
    std::vector<std::string> lines;
    for (const std::string& line : generic_accesses()) lines.push_back(with_address(line, "%rd20"));
    for (const std::string& line : shared_accesses()) lines.push_back(with_address(line, "%r20"));
    for (uint64_t seed = 1; seed < 7; ++seed) EXPECT_GT(fire({lines, seed}), 20u);
}

TEST(EmulatorWild, ACallOfAWildAddressEndsTheKernelAndIsSaid) {
    for (const uint64_t address :
         {uint64_t{0}, uint64_t{5} << 56, (uint64_t{5} << 56) + 1, ~uint64_t{0}, kGlobalBase}) {
        KernelRun run(kernel(
            "ld.global.u64 %rd20, [%rd0];\n{ proto: .callprototype _ (); call %rd20, (), proto; }\n",
            ".func f() { ret; }\n"
        ));
        run.in("target", std::vector<uint64_t>{address}).go();
        EXPECT_EQ(run.incidents(Incident::Kind::undefined_target).size(), 1u) << address;
    }
}

TEST(EmulatorWild, AnAccessWiderThanItsSurfaceIsOutside) {
    for (const char* mode : {"clamp", "trap"}) {
        KernelRun run(
            kernel(fmt::format(
                "mov.u32 %r20, 0;\nsust.b.1d.v4.b32.{} [%rd0, {{%r20}}], {{%r0, %r0, %r0, %r0}};\n", mode
            )),
            1
        );
        Texture t;
        t.name = "one";
        t.data = allocate(run.memory, t.name, std::vector<std::byte>(4));
        run.add(add_texture(run.memory, t)).go();
        EXPECT_EQ(run.incidents(Incident::Kind::out_of_bounds).size(), 1u);
    }
}

TEST(EmulatorWild, AVectorAtTheEndOfAnAllocationIsWholeOrNot) {
    for (const uint32_t size : {15u, 16u, 31u, 32u}) {
        KernelRun run(
            kernel("mul.wide.u32 %rd20, %r0, 16;\nadd.u64 %rd20, %rd20, %rd0;\n"
                   "mov.u32 %r40, 7;\nst.global.v4.u32 [%rd20], {%r40, %r40, %r40, %r40};\n"),
            2
        );
        run.out<uint8_t>("d", size).go();
        const auto found = run.incidents(Incident::Kind::out_of_bounds);
        EXPECT_EQ(found.size(), size == 32 ? 0u : 1u);
        const auto d = run.get<uint8_t>("d");
        for (uint32_t k = 0; k < size; ++k) EXPECT_EQ(d[k], k / 16 * 16 + 16 <= size && k % 4 == 0 ? 7 : 0);
    }
}

}  // namespace
}  // namespace wl::emulator::test

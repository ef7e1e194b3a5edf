// PTX ISA 9.0: fma.rn.f32, mma.sync.aligned.m16n8k16. Each thread, or warp, keeps enough sums apart that no
// instruction waits for the one before.
#include "instrumentation/gpu/ceilings.h"

#include "instrumentation/base/error.h"
#include "instrumentation/execution/reach.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace wl::gpu {
namespace {

constexpr uint64_t kBytes = uint64_t{1} << 30;
constexpr uint32_t kThreads = 256, kBlocks = 8;  // of a block; for each multiprocessor
constexpr double kLeastSeconds = 2e-3;
constexpr int kSums = 8, kRounds = 8;  // of a turn
constexpr double kFmaOperations = 2, kMmaOperations = 2.0 * 16 * 8 * 16;

// A loop of `turns` turns over `body`; what is kept in the registers `sums` is stored where it cannot be.
std::string loop_text(const char* target, const std::string& body, int sums) {
    std::string text = fmt::format(
        R"(.version 7.0
.target {}
.address_size 64
.visible .entry ceiling(.param .u64 out, .param .u32 turns) {{
    .reg .b64 place;
    .reg .b32 left, lane;
    .reg .f32 sum<{}>, all;
    .reg .pred more, never;
    ld.param.u64 place, [out];
    ld.param.u32 left, [turns];
    mov.u32 lane, %tid.x;
    cvt.rn.f32.u32 all, lane;
)",
        target,
        sums
    );
    for (int k = 0; k < sums; ++k) text += fmt::format("    mov.f32 sum{}, all;\n", k);
    text += "TURN:\n" + body +
        "    sub.u32 left, left, 1;\n    setp.ne.u32 more, left, 0;\n    @more bra TURN;\n";
    for (int k = 0; k < sums; ++k) text += fmt::format("    add.f32 all, all, sum{};\n", k);
    // As the sums run out of range, none is 1e30; who compiles this cannot know.
    return text +
        "    setp.eq.f32 never, all, 0f7149F2CA;\n    @never st.global.f32 [place], all;\n    ret;\n}\n";
}

std::string fma_text() {
    std::string body;
    for (int round = 0; round < kRounds; ++round)
        for (int k = 0; k < kSums; ++k) body += fmt::format("    fma.rn.f32 sum{0}, sum{0}, all, all;\n", k);
    return loop_text("sm_50", body, kSums);
}

std::string mma_text() {
    std::string body;
    for (int round = 0; round < kRounds; ++round)
        for (int k = 0; k < kSums; ++k)
            body += fmt::format(
                "    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{sum{0}, sum{1}, sum{2}, sum{3}}}, "
                "{{lane, lane, lane, lane}}, {{lane, lane}}, {{sum{0}, sum{1}, sum{2}, sum{3}}};\n",
                4 * k,
                4 * k + 1,
                4 * k + 2,
                4 * k + 3
            );
    return loop_text("sm_80", body, 4 * kSums);
}

int multiprocessors(const Session& s) {
    int value = 0;
    require(
        s.d,
        s.d.device_attribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, s.device),
        "counting multiprocessors"
    );
    return value;
}

// Operations a second of a loop whose turn is `operations` of a thread.
double rate(const Stream& stream, const std::string& text, double operations) {
    const Session& s = stream.session;
    const Loaded loaded(s, text, "ceiling");
    const Buffer out(s, sizeof(float));
    const auto blocks = kBlocks * static_cast<unsigned>(multiprocessors(s));
    CUdeviceptr place = out.address;
    uint32_t turns = 8;
    void* arguments[] = {&place, &turns};
    const auto work = [&] {
        return s.d.launch(
            loaded.function, blocks, 1, 1, kThreads, 1, 1, 0, stream.stream, arguments, nullptr
        );
    };
    while (timed(stream, work) < kLeastSeconds && turns < (1u << 28)) turns *= 2;
    return operations * turns * blocks * kThreads / least(stream, work);
}

double rate_or_none(const Stream& stream, const std::string& text, double operations) {
    try {
        return rate(stream, text, operations);
    } catch (const Unsupported&) { return 0; }  // a device before sm_80 has no such instruction
}

}  // namespace

Ceilings measure_ceilings(const Session& s, const Stream& stream) {
    Ceilings out;
    const Buffer from(s, kBytes), to(s, kBytes);
    if (to.address != 0) {
        const auto fill = [&] { return s.d.fill_later(to.address, 0xff, kBytes, stream.stream); };
        out.fill = static_cast<double>(kBytes) / least(stream, fill);
    }
    if (from.address != 0 && to.address != 0) {
        const auto copy = [&] { return s.d.copy(to.address, from.address, kBytes, stream.stream); };
        out.copy = 2 * static_cast<double>(kBytes) / least(stream, copy);
    }
    out.fma = rate_or_none(stream, fma_text(), kFmaOperations * kSums * kRounds);
    out.mma = rate_or_none(stream, mma_text(), kMmaOperations / 32 * kSums * kRounds);
    return out;
}

bool multiplies_matrices(const ptx::Module& module, const ptx::Function& entry) {
    const auto is_product = [](const ptx::Instruction& in) {
        return in.op == ptx::Op::mma || in.op == ptx::Op::mma_sp || in.op == ptx::Op::wmma_mma ||
            in.op == ptx::Op::wgmma;
    };
    const auto functions =
        execution::reachable_functions(module, static_cast<int>(&entry - module.functions.data()));
    return std::any_of(functions.begin(), functions.end(), [&](int f) {
        const ptx::Code& code = module.functions[static_cast<size_t>(f)].code;
        return std::any_of(code.begin(), code.end(), is_product);
    });
}

}  // namespace wl::gpu

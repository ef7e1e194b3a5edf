// Small PTX kernels for the emulator's tests: text around a body, arrays in and out, one call to run.
#pragma once

#include "instrumentation/emulator/run.h"
#include "instrumentation/ptx/module.h"

#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wl::emulator::test {

// A kernel with parameters p0..p7 (.u64), general registers of every kind, and `body`. %rd0..%rd7 hold the
// parameters, %r0 the thread's index, %r1 the block's, %r2 the global thread's.
inline std::string kernel(const std::string& body, const std::string& before = "") {
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + before + "\n.visible .entry k(";
    for (int p = 0; p < 8; ++p) text += fmt::format("{}.param .u64 p{}", p == 0 ? "" : ", ", p);
    text +=
        ")\n{\n.reg .pred %p<32>;\n.reg .b16 %h<64>;\n.reg .b32 %r<64>;\n.reg .f32 %f<64>;\n"
        ".reg .b64 %rd<64>;\n.reg .f64 %fd<64>;\n";
    for (int p = 0; p < 8; ++p) text += fmt::format("ld.param.u64 %rd{}, [p{}];\n", p, p);
    text +=
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r2, %r1, %r3, "
        "%r0;\n";
    return text + body + "\nret;\n}\n";
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

struct KernelRun {
    GlobalMemory memory;
    Launch launch;
    RunOptions options;
    ptx::Module module;
    std::shared_ptr<const Program> program;
    RunResult result;

    explicit KernelRun(const std::string& text, uint32_t threads = 32, uint32_t blocks = 1) :
        module(ptx::parse(text)), program(lower(module, "k")) {
        launch.block = {threads, 1, 1};
        launch.grid = {blocks, 1, 1};
        launch.params.resize(64);
        options.threads = 1;
    }
    // The next parameter: an array of the given values, or of `count` elements that nobody wrote.
    template <class T>
    KernelRun& in(const std::string& name, const std::vector<T>& values) {
        return add(allocate(memory, name, bytes_of(values)));
    }
    template <class T>
    KernelRun& out(const std::string& name, size_t count) {
        return add(allocate(memory, name, std::vector<std::byte>(count * sizeof(T)), false));
    }
    KernelRun& add(uint64_t parameter) {
        std::memcpy(launch.params.data() + 8 * used++, &parameter, 8);
        return *this;
    }
    KernelRun& go() {
        result = emulator::run(*program, launch, memory, options);
        return *this;
    }
    template <class T>
    std::vector<T> get(const std::string& name) const {
        for (const Allocation& a : memory.allocations) {
            if (a.name != name) continue;
            std::vector<T> values(a.bytes.size() / sizeof(T));
            std::memcpy(values.data(), a.bytes.data(), a.bytes.size());
            return values;
        }
        return {};
    }
    std::vector<Incident> incidents(Incident::Kind kind) const {
        std::vector<Incident> found;
        for (const Incident& i : result.incidents)
            if (i.kind == kind) found.push_back(i);
        return found;
    }
    size_t used = 0;
};

// Loads register `to` of `bits` bits from parameter `p` at the global thread's index; stores likewise.
inline std::string load(int p, const std::string& type, int size, const std::string& to) {
    return fmt::format(
        "mul.wide.u32 %rd60, %r2, {0};\nadd.u64 %rd61, %rd{1}, %rd60;\nld.global.{2} {3}, [%rd61];\n",
        size,
        p,
        type,
        to
    );
}
inline std::string store(int p, const std::string& type, int size, const std::string& from) {
    return fmt::format(
        "mul.wide.u32 %rd60, %r2, {0};\nadd.u64 %rd61, %rd{1}, %rd60;\nst.global.{2} [%rd61], {3};\n",
        size,
        p,
        type,
        from
    );
}

}  // namespace wl::emulator::test

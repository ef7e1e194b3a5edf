// Parsing and lowering, each once.
#include "instrumentation/runtime/module.h"

#include "instrumentation/base/device_limits.h"
#include "instrumentation/execution/reach.h"
#include "instrumentation/runtime/invalid_ptx.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace wl::runtime {
namespace {

bool is_taken(const std::vector<std::unique_ptr<Module>>& all, const Module& by, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const auto& other) {
        if (other.get() == &by || !other->parsed) return false;
        const auto& variables = other->parsed->variables;
        return std::any_of(variables.begin(), variables.end(), [&](const ptx::Variable& v) {
            return v.name == name;
        });
    });
}

bool speaks(const ptx::Function& f) {
    return f.name == "vprintf" || f.name == "__assertfail" ||
        std::any_of(f.code.begin(), f.code.end(), [](const ptx::Instruction& in) {
               return in.op == ptx::Op::trap;
           });
}

// On a GPU its body comes from the driver. A condition's handle is here the address of its word. The lines
// stay as many.
constexpr std::string_view kSetConditional =
    ".func cudaGraphSetConditional(.param .b64 handle, .param .b32 value) { .reg .b64 %rd<2>; .reg .b32 "
    "%r<2>; "
    "ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value]; st.global.u32 [%rd1], %r1; ret; }";

std::string with_conditions(std::string ptx) {
    const size_t begin = ptx.find(".extern .func cudaGraphSetConditional");
    const size_t end = begin == std::string::npos ? begin : ptx.find(';', begin);
    if (end == std::string::npos) return ptx;
    const auto lines =
        std::count(ptx.begin() + static_cast<int64_t>(begin), ptx.begin() + static_cast<int64_t>(end), '\n');
    ptx.replace(
        begin, end + 1 - begin, std::string(kSetConditional) + std::string(static_cast<size_t>(lines), '\n')
    );
    return ptx;
}

// The compiler's limit is that of every device; dynamic shared memory has a device's (refusals.cpp).
void require_static_shared(const ptx::Module& module) {
    constexpr uint64_t kMost = DeviceLimits{}.shared_static;
    uint64_t all = 0;
    for (const ptx::Variable& v : module.variables)
        all += v.space == ptx::Space::shared ? v.bytes + v.align : 0;
    for (const ptx::Function& f : module.functions)
        for (const ptx::Variable& v : f.variables)
            all += v.space == ptx::Space::shared ? v.bytes + v.align : 0;
    if (all <= kMost) return;
    for (size_t k = 0; k < module.functions.size(); ++k) {
        if (!module.functions[k].is_entry) continue;
        const uint64_t bytes = execution::static_shared_bytes(module, static_cast<int>(k));
        if (bytes > kMost)
            throw InvalidPtx(fmt::format(
                "ptxas: entry function '{}' uses too much shared data ({:#x} bytes, {:#x} max): arrays of "
                "fixed "
                "size may take 48 KiB; declare one as `extern __shared__` and give its bytes at the launch",
                module.functions[k].name,
                bytes,
                kMost
            ));
    }
}

}  // namespace

const ptx::Module& parsed(Module& module, const std::vector<std::unique_ptr<Module>>& all) {
    if (module.parsed) return *module.parsed;
    const std::vector<Image> images =
        module.is_library ? images_in(module.wrapper) : images_of(module.wrapper);
    ptx::Module made = ptx::parse(with_conditions(chosen(images, module.wrapper).ptx));
    require_static_shared(made);
    // Memory knows variables by name: of two modules each has its own.
    for (ptx::Variable& v : made.variables) {
        const bool placed = v.space == ptx::Space::global || v.space == ptx::Space::constant;
        if (!placed || !is_taken(all, module, v.name)) continue;
        module.renamed[v.name] = fmt::format("{} of module {}", v.name, module.number);
        v.name = module.renamed[v.name];
    }
    module.parsed = std::move(made);
    return *module.parsed;
}

const execution::Executable& ready(
    Module& module, const std::string& entry, const execution::Executor& executor
) {
    const auto known = module.ready.find(entry);
    if (known != module.ready.end()) return known->second;
    return module.ready.emplace(entry, executor.prepare(*module.parsed, entry)).first->second;
}

bool speaks(Module& module, const std::string& entry) {
    const auto known = module.speaking.find(entry);
    if (known != module.speaking.end()) return known->second;
    const auto& functions = module.parsed->functions;
    bool any = false;
    for (size_t k = 0; k < functions.size(); ++k) {
        if (!functions[k].is_entry || functions[k].name != entry) continue;
        for (const int f : execution::reachable_functions(*module.parsed, static_cast<int>(k)))
            any = any || speaks(functions[static_cast<size_t>(f)]);
    }
    return module.speaking[entry] = any;
}

std::vector<ParamPlace> params_of(const ptx::Function& entry) {
    std::vector<ParamPlace> out;
    uint64_t end = 0;
    for (const ptx::Variable& p : entry.params) {
        const uint64_t align = std::max<uint64_t>(p.align, 1);
        out.push_back({(end + align - 1) / align * align, p.bytes});
        end = out.back().offset + p.bytes;
    }
    return out;
}

uint64_t param_bytes(const ptx::Function& entry) {
    const std::vector<ParamPlace> all = params_of(entry);
    return all.empty() ? 0 : all.back().offset + all.back().bytes;
}

}  // namespace wl::runtime

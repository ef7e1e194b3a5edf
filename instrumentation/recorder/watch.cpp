// Handles become kernels, kernels are counted.
#include "instrumentation/recorder/watch.h"

#include "instrumentation/recorder/driver_calls.h"
#include "instrumentation/recorder/session.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace wl::recorder {

std::atomic<bool> armed{true};

namespace {

// Lives until the process is gone: libraries launch kernels from their last functions.
struct State {
    std::shared_mutex lock;
    std::unordered_map<const void*, std::shared_ptr<const Module>> modules;
    std::unordered_map<const void*, std::shared_ptr<Kernel>> by_handle;
    std::map<std::string, bool> meant;  // kernels that `warplens record` was asked about
    std::vector<std::string> texts;
    std::atomic<uint64_t> generation{1};  // of handles: another one may mean another kernel by the same
    std::atomic<uint64_t> launches{0}, of_meant{0}, wanted{0};
    std::vector<std::shared_ptr<Kernel>> kernels;
};
State& state() {
    static State* const kState = new State;
    return *kState;
}

constexpr size_t kMostTexts = size_t{256} << 20;  // bytes of PTX

std::shared_ptr<const Module> module_of(const void* handle) {
    const std::shared_lock lock(state().lock);
    const auto found = state().modules.find(handle);
    return found == state().modules.end() ? nullptr : found->second;
}

bool is_meant(const std::string& name) {
    State& s = state();
    const std::scoped_lock lock(session_lock());
    if (const auto known = s.meant.find(name); known != s.meant.end()) return known->second;
    const std::optional<Wanted> wanted = connect_once();
    if (!wanted) {
        armed = false;
        return false;
    }
    s.wanted = wanted->launch;
    const std::optional<Message> answer = ask(Tag::kernel, Packet{}.text(name));
    if (!answer) return false;
    return s.meant[name] = Unpacker{answer->bytes}.number() != 0;
}

std::shared_ptr<Kernel> add_kernel(
    const void* handle, std::shared_ptr<const Module> module, const char* name, bool is_kernel
) {
    State& s = state();
    const std::unique_lock lock(s.lock);
    std::shared_ptr<Kernel>& made = s.by_handle[handle];
    if (made != nullptr && made->name == name && made->module == module) return made;  // asked for once more
    made = std::make_shared<Kernel>();
    made->name = name, made->module = std::move(module), made->is_kernel = is_kernel;
    s.kernels.push_back(made);
    ++s.generation;
    return made;
}

// A handle that came by a way that is not watched.
std::shared_ptr<Kernel> stranger(CUfunction function) {
    const char* name = nullptr;
    CUmodule module = nullptr;
    if (calls().function_name == nullptr || calls().function_name(&name, function) != CUDA_SUCCESS) name = "";
    if (calls().function_module != nullptr && calls().function_module(&module, function) != CUDA_SUCCESS)
        module = nullptr;
    return add_kernel(function, module_of(module), name, false);
}

std::shared_ptr<Kernel> kernel_at(CUfunction function) {
    std::shared_ptr<Kernel> found;
    {
        const std::shared_lock lock(state().lock);
        const auto known = state().by_handle.find(function);
        if (known != state().by_handle.end()) found = known->second;
    }
    if (found == nullptr) found = stranger(function);
    found->meant = is_meant(found->name);
    return found;
}

// Of this thread the kernels launched last, by their handles: a launch costs a few nanoseconds more.
const std::shared_ptr<Kernel>& kernel_of(CUfunction function) {
    struct Recent {
        CUfunction function = nullptr;
        uint64_t generation = 0;
        std::shared_ptr<Kernel> kernel;
    };
    thread_local std::array<Recent, 64> recent;
    Recent& entry = recent[reinterpret_cast<uintptr_t>(function) / 16 % recent.size()];
    const uint64_t now = state().generation.load(std::memory_order_acquire);
    if (entry.function != function || entry.generation != now) entry = {function, now, kernel_at(function)};
    return entry.kernel;
}

// The PTX that became this module: the last that the program had made before it, else since.
std::string text_of(const Kernel& kernel) {
    const std::shared_lock lock(state().lock);
    const std::vector<std::string>& texts = state().texts;
    const size_t until = kernel.module ? kernel.module->texts : texts.size();
    for (size_t i = std::min(until, texts.size()); i-- > 0;)
        if (defines(texts[i], kernel.name)) return texts[i];
    for (size_t i = until; i < texts.size(); ++i)
        if (defines(texts[i], kernel.name)) return texts[i];
    return {};
}

// Who counts launches of what was never recorded says so when the program ends.
[[gnu::destructor]] void say_counts() {
    State& s = state();
    const std::scoped_lock lock(session_lock());
    if (!is_connected()) return;
    std::map<std::string, uint64_t> counts;
    for (const std::shared_ptr<Kernel>& k : s.kernels) counts[k->name] += k->launches;
    for (const auto& [name, n] : counts)
        if (n > 0) tell(Tag::count, Packet{}.text(name).number(n));
}

}  // namespace

void module_loaded(const void* handle, const void* data) {
    auto made = std::make_shared<Module>();
    made->image = image_at(data);
    if (!made->image.stays) {
        made->copy.assign(made->image.bytes.begin(), made->image.bytes.end());
        made->image.bytes = made->copy;
    }
    const std::unique_lock lock(state().lock);
    made->texts = state().texts.size();
    state().modules[handle] = made;
}

void module_loaded_from(const void* handle, const char* file) {
    auto made = std::make_shared<Module>();
    made->file = file;
    const std::unique_lock lock(state().lock);
    made->texts = state().texts.size();
    state().modules[handle] = made;
}

void module_is(const void* handle, const void* same) {
    const std::unique_lock lock(state().lock);
    if (const auto found = state().modules.find(same); found != state().modules.end())
        state().modules[handle] = std::shared_ptr(found->second);
}

void function_found(const void* handle, const void* module, const char* name, bool is_kernel) {
    add_kernel(handle, module_of(module), name, is_kernel);
}

void function_is(const void* handle, const void* kernel) {
    std::shared_ptr<Kernel> known;
    {
        const std::shared_lock lock(state().lock);
        const auto found = state().by_handle.find(kernel);
        if (found == state().by_handle.end()) return;
        known = found->second;
    }
    add_kernel(handle, known->module, known->name.c_str(), false);
}

void text_made(std::string ptx) {
    const std::unique_lock lock(state().lock);
    size_t bytes = ptx.size();
    for (const std::string& text : state().texts) bytes += text.size();
    if (bytes <= kMostTexts) state().texts.push_back(std::move(ptx));
}

std::optional<Turn> turn_of(CUfunction function) {
    const std::shared_ptr<Kernel>& kernel = kernel_of(function);
    State& s = state();
    const uint64_t number = s.launches.fetch_add(1, std::memory_order_relaxed) + 1;
    const uint64_t own = kernel->launches.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!kernel->meant) return std::nullopt;
    const uint64_t of_meant = s.of_meant.fetch_add(1, std::memory_order_relaxed) + 1;
    if (of_meant != s.wanted.load(std::memory_order_relaxed)) return std::nullopt;
    return Turn{kernel, number, own, text_of(*kernel)};
}

}  // namespace wl::recorder

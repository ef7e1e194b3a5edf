// One table, filled as the driver's functions are found.
#include "instrumentation/recorder/hooked.h"

#include "instrumentation/recorder/driver_calls.h"

#include <dlfcn.h>

namespace wl::recorder {
namespace {

std::array hooks = {
#define WL_ENTRY(name) Hook{#name, reinterpret_cast<void*>(&::name)},
    WL_HOOKED(WL_ENTRY)
#undef WL_ENTRY
};

// nvJitLink's functions carry a version: __nvJitLinkAddData_13_0.
std::string_view plain_name(std::string_view name) {
    if (!name.starts_with("__nvJitLink")) return name;
    name.remove_prefix(2);
    return name.substr(0, name.find('_'));
}

}  // namespace

void* behind(Hooked which) {
    Hook& hook = hooks[static_cast<size_t>(which)];
    if (void* const known = hook.real.load(std::memory_order_acquire); known != nullptr) return known;
    void* const found = driver_symbol(hook.name.data());
    hook.real = found != nullptr ? found : find_symbol()(RTLD_NEXT, hook.name.data());
    return hook.real.load();
}

Hook* hook_of(std::string_view name) {
    if (!name.starts_with("cu") && !name.starts_with("nv") && !name.starts_with("__nv")) return nullptr;
    const std::string_view plain = plain_name(name);
    for (Hook& hook : hooks)
        if (hook.name == plain) return &hook;
    return nullptr;
}

void* ours_for(Hook& hook, void* found) {
    if (found == nullptr || found == hook.ours) return found;
    hook.real = found;
    return hook.ours;
}

}  // namespace wl::recorder

// Found once, in the driver that the program uses.
#include "instrumentation/recorder/driver_calls.h"

#include <dlfcn.h>
#include <initializer_list>
#include <type_traits>

namespace wl::recorder {
namespace {

FindSymbol find_dlsym() {
    for (const char* version : {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"})
        if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<FindSymbol>(found);
    return nullptr;
}

Calls find_calls() {
    Calls out;
    const auto find = [&](auto& member, const char* name) {
        member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(driver_symbol(name));
        if (member == nullptr) out.missing = name;
    };
#define WL_RECORDER_FIND(member, function) find(out.member, #function);
    WL_RECORDER_CALLS(WL_RECORDER_FIND)
#undef WL_RECORDER_FIND
    find(out.download, "cuMemcpyDtoH_v2");
    find(out.variable, "cuModuleGetGlobal_v2");
    return out;
}

}  // namespace

FindSymbol find_symbol() {
    static const FindSymbol kFound = find_dlsym();
    return kFound;
}

void* driver_symbol(const char* name) {
    static void* const kDriver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    return kDriver == nullptr ? nullptr : find_symbol()(kDriver, name);
}

const Calls& calls() {
    static const Calls kFound = find_calls();
    return kFound;
}

}  // namespace wl::recorder

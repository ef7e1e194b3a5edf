// What stands around every exported function of the stand-in: wild and null arguments are refused with CUDA's
// errors, a child of a fork is told what a driver tells it, and no exception leaves. The functions themselves
// are linked under the names wl_impl_NAME; entries_*.cpp exports one entry for each name that NVIDIA's
// libraries have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace wl::guard {

enum class Api : uint8_t { runtime, driver, other };

// What is special about a function; of most, nothing is.
struct Rules {
    std::string_view name;
    uint32_t optional = 0;  // arguments, by bits: null means something
    uint32_t own = 0;       // the function looks at these itself: arrays, whose length another argument says
    bool anywhere = false;  // needs no device: also before cuInit, and in a child of a fork
    Api api = Api::other;
};
constexpr uint32_t args(auto... at) { return (0U | ... | (1U << at)); }

#include "shim/guard/rules.inc"

consteval Api api_of(std::string_view name) {
    // Of what nvcc's code calls, what needs the device; the rest comes before main.
    const bool uses = name.starts_with("__cudaLaunchKernel") ||
        (name.starts_with("__cuda") &&
         (name.ends_with("Work") || name.ends_with("Memory") || name.starts_with("__cudaTell")));
    if (name.starts_with("cuda") || uses) return Api::runtime;
    return name.starts_with("cu") ? Api::driver : Api::other;
}
consteval Rules rules_of(std::string_view name) {
    std::string_view plain = name;  // without what the default stream of each thread adds
    if (name.ends_with("_ptsz") || name.ends_with("_ptds")) plain.remove_suffix(5);
    Rules out{name};
    for (const Rules& special : kSpecial)
        if (special.name == plain) out = special;
    out.name = name;
    out.api = api_of(name);
    out.anywhere = out.anywhere || out.api == Api::other;
    return out;
}

// Errors of both APIs that have one number.
constexpr int kNone = 0, kInvalidValue = 1, kNotSupported = 801;

// `caller`: where the program goes on behind the call.
struct Entered {
    Entered(const Rules& rules, const void* caller);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    int error = kNone;  // this may not be called now
    const void* outer;
    const void* outer_caller;
    const char* outer_name;

private:
    void enter() const;
    void leave() const;
};
// Remembers the runtime's errors for cudaGetLastError.
int refused(const Rules& rules, int error);
// Of the exception that is being handled.
int caught(const Rules& rules);

bool is_missing(const void* implementation);  // it only says that it is not supported
bool holds_object(const void* at, size_t bytes);
bool takes_object(void* at, size_t bytes);
bool holds_text(const char* at);

// kNone, or the error of a handle that is out of date or none.
int error_of_graph(const void* handle);
int error_of_node(const void* handle);
int error_of_instance(const void* handle);
int error_of_array(const void* handle);
int error_of_pool(const void* handle);

template <class T>
int error_of_handle(const T* /*none that is looked at here*/) {
    return kNone;
}

template <class T>
concept Complete = requires {
    sizeof(T);
};

template <class A>
int error_of_argument(const Rules& rules, uint32_t bit, A argument) {
    if ((rules.own & bit) != 0) return kNone;
    if constexpr (std::is_pointer_v<A>) {
        using T = std::remove_pointer_t<A>;
        if constexpr (std::is_same_v<T, const char>) {
            if (argument == nullptr) return (rules.optional & bit) != 0 ? kNone : kInvalidValue;
            return holds_text(argument) ? kNone : kInvalidValue;
        } else if constexpr (std::is_function_v<T> || std::is_void_v<T>) {
            return kNone;
        } else if constexpr (Complete<T>) {
            if (argument == nullptr) return (rules.optional & bit) != 0 ? kNone : kInvalidValue;
            if constexpr (std::is_const_v<T>)
                return holds_object(argument, sizeof(T)) ? kNone : kInvalidValue;
            else
                return takes_object(argument, sizeof(T)) ? kNone : kInvalidValue;
        } else {
            return error_of_handle(argument);
        }
    }
    return kNone;
}

template <class... A>
int error_of_arguments(const Rules& rules, A... all) {
    uint32_t bit = 1;
    int error = kNone;
    ((error = error == kNone ? error_of_argument(rules, bit, all) : error, bit <<= 1), ...);
    return error;
}

template <class R>
R as(int error) {
    if constexpr (std::is_enum_v<R> || std::is_integral_v<R>) return static_cast<R>(error);
    if constexpr (!std::is_void_v<R> && !std::is_enum_v<R> && !std::is_integral_v<R>) return R{};
}

template <class Function>
struct Entry;
template <class R, class... A>
struct Entry<R(A...)> {
    template <R (*kImplementation)(A...), const Rules& kRules>
    static R call(A... all) {
        const Entered entered(kRules, __builtin_return_address(0));
        try {
            const bool checks =
                kRules.api != Api::other && !is_missing(reinterpret_cast<void*>(kImplementation));
            const bool first =
                kRules.api == Api::driver;  // the driver looks at its own state before all else
            int error = first ? entered.error : kNone;
            if (error == kNone && checks) error = error_of_arguments(kRules, all...);
            if (error == kNone && !first) error = entered.error;
            if (error != kNone) return as<R>(refused(kRules, error));
            return kImplementation(all...);
        } catch (...) { return as<R>(caught(kRules)); }
    }
};

}  // namespace wl::guard

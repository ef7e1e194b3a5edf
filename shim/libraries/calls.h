// What the libraries that stand in for cuBLAS, cuSPARSE, cuRAND and cuSOLVER have in common: every exported
// function answers by a status of its library, whatever it was given, and no exception leaves it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cxxabi.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace wl::libraries {

// The numbers that the library has for these.
struct Statuses {
    int no_handle, no_memory, invalid, failed, internal, not_supported;
};
extern const Statuses kStatuses;  // each library defines its own

// Thrown, and what the call answers. `why`: a note of the run, unless empty.
struct Failure {
    int status;
    std::string why = {};
};
inline void require(bool holds) {
    if (!holds) throw Failure{kStatuses.invalid};
}
// As it is, transposed or conjugated too: all of these libraries number them so.
inline void require_operation(int operation) { require(operation >= 0 && operation <= 2); }

void tell_note(const std::string& text);
void tell_plain(const char* function);  // it is answered by a plain version
// "cusparseFoo is not supported", once. `caller`: where the program goes on after the call.
int unsupported(const char* what, const void* caller);
[[noreturn]] void refuse(const char* what, const void* caller);  // likewise, as a Failure

template <std::invocable Body>
int answered(Body body) {
    try {
        return body();
    } catch (const abi::__forced_unwind&) {
        throw;  // the thread ends
    } catch (const Failure& f) {
        if (!f.why.empty()) tell_note(f.why);
        return f.status;
    } catch (const std::bad_alloc&) { return kStatuses.no_memory; } catch (const std::length_error&) {
        return kStatuses.no_memory;
    } catch (...) { return kStatuses.internal; }
}

// A plain value of the program's: it may not be there.
bool write_value(void* to, const void* from, size_t bytes);
bool read_value(void* to, const void* from, size_t bytes);
template <class T>
void give(T* to, const T& value) {
    require(write_value(to, &value, sizeof(T)));  // NOLINT(bugprone-sizeof-expression): handles are pointers
}

// The device can be used: not by a child of a fork whose parent used it.
bool has_device();

// The handles of a kind that a program has: numbers in the place of addresses, none of which x86-64 can have.
// So nothing that a program writes through one reaches the library. None is given twice.
void* new_handle();
template <class T>
struct Handles {
    std::mutex mutex;
    std::map<const void*, std::shared_ptr<T>> all;

    T* add(T value) {
        const auto made = std::make_shared<T>(std::move(value));
        const std::scoped_lock lock(mutex);
        T* const handle = static_cast<T*>(new_handle());
        all[handle] = made;
        return handle;
    }
    std::shared_ptr<T> find(const void* handle) {
        const std::scoped_lock lock(mutex);
        const auto found = all.find(handle);
        return found == all.end() ? nullptr : found->second;
    }
    std::shared_ptr<T> at(const void* handle, int status = kStatuses.no_handle) {
        auto found = find(handle);
        if (found == nullptr) throw Failure{status};
        return found;
    }
    bool drop(const void* handle) {
        const std::scoped_lock lock(mutex);
        return all.erase(handle) != 0;
    }
};

// Memory of the device or the host, as this lies there now. What leaves an allocation, or was freed, is a
// Failure that names `what`. `require_memory` changes no order: it copies nothing.
void require_memory(const void* at, int64_t count, size_t size, const char* what);
void fetch(void* to, const void* at, size_t bytes, const char* what);
void store(void* at, const void* from, size_t bytes, const char* what);
template <class T>
std::vector<T> fetched(const void* at, int64_t count, const char* what) {
    require_memory(at, count, sizeof(T), what);
    std::vector<T> out(static_cast<size_t>(count));
    fetch(out.data(), at, out.size() * sizeof(T), what);
    return out;
}

// As work of the stream, reported as answered by a plain version. What is done at once answers with its
// Failure; what may wait until somebody looks leaves a note.
enum class When : uint8_t { at_once, may_wait };
int submit(const char* function, void* stream, When when, std::function<void()> work);

// A factor. One of the host is read now; one of the device when it is asked for.
std::function<double()> scalar(const void* at, bool is_double, bool by_device);

}  // namespace wl::libraries

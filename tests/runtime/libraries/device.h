// Memory of the device for these programs, and how they report what came out.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <library_types.h>
#include <string>
#include <vector>

// A copy on the device.
template <class T>
struct OnDevice {
    T* at = nullptr;
    size_t count = 0;

    explicit OnDevice(const std::vector<T>& values) : count(values.size()) {
        cudaMalloc(reinterpret_cast<void**>(&at), count * sizeof(T));
        cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() { cudaFree(at); }

    std::vector<T> back() const {
        std::vector<T> out(count);
        cudaMemcpy(out.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return out;
    }
};

// How many of these came out right.
struct Count {
    int right = 0, all = 0;

    void add(bool is_right) { right += is_right ? 1 : 0, ++all; }
    void say(const char* what) const { std::printf("%s: %d of %d right\n", what, right, all); }
};

template <class T>
bool is_close(const std::vector<T>& got, const std::vector<double>& expected) {
    const double most = sizeof(T) == 4 ? 1e-5 : 1e-13;
    bool out = got.size() == expected.size();
    for (size_t k = 0; k < got.size() && out; ++k)
        out = std::abs(double(got[k]) - expected[k]) <= most * (1 + std::abs(expected[k]));
    return out;
}

inline void say(const char* what, int status) { std::printf("%s: %d\n", what, status); }

// Addresses that are nothing, as a program's mistakes make them.
inline void* wild() { return reinterpret_cast<void*>(0x12345678); }
inline void* freed() {
    void* out = nullptr;
    cudaMalloc(&out, 4096);
    cudaFree(out);
    return out;
}

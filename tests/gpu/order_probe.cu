// Programs whose order a GPU may show to be wrong, each with its right twin, N runs of each.
// usage: order_probe MODE wrong|right N   prints "WRONG N" where WRONG runs of N had a wrong answer.
//        order_probe modes                prints the modes.
// `warplens run -- ./order_probe MODE wrong 1` reports each of the wrong ones, but for `captured`, which may
// be meant: a note says what it does.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(x)                                                                \
    do {                                                                        \
        const cudaError_t e_ = (x);                                             \
        if (e_ != cudaSuccess) {                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(2);                                                            \
        }                                                                       \
    } while (0)

__device__ unsigned flag_of(const unsigned* flag) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
// Order what comes before, and what comes after; on a GPU a release leaves the reader's cache as it is.
__device__ void release_flag(unsigned* flag, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ unsigned acquire_flag(const unsigned* flag) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
// Work that takes a while: 2^20 clocks are about half a millisecond.
__device__ void work(long long clocks) {
    const long long begin = clock64();
    while (clock64() - begin < clocks) {}
}

template <class T>
T* device(size_t count) {
    T* out = nullptr;
    CHECK(cudaMalloc(&out, count * sizeof(T)));
    CHECK(cudaMemset(out, 0, count * sizeof(T)));
    CHECK(cudaDeviceSynchronize());
    return out;
}
template <class T>
T* pinned(size_t count) {
    T* out = nullptr;
    CHECK(cudaMallocHost(&out, count * sizeof(T)));
    memset(out, 0, count * sizeof(T));
    return out;
}
cudaStream_t stream() {
    cudaStream_t out = nullptr;
    CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    return out;
}

// ---- loads through the read-only cache of what another block writes

__global__ void stale(unsigned* x, unsigned* flags, unsigned* out, bool right) {
    if (blockIdx.x == 0) {
        unsigned before, after;
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(before) : "l"(x) : "memory");
        release_flag(flags, 1 + (before & 0x80000000u));
        while (flag_of(flags + 1) == 0) {}
        __threadfence();
        if (right)
            after = *x;
        else
            asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(after) : "l"(x) : "memory");
        *out = after;
    } else {
        while (acquire_flag(flags) == 0) {}
        *x = 7;
        release_flag(flags + 1, 1);
    }
}
bool read_only(bool right) {
    static auto *x = device<unsigned>(1), *flags = device<unsigned>(2), *out = device<unsigned>(1);
    CHECK(cudaMemset(x, 0, 4));
    CHECK(cudaMemset(flags, 0, 8));
    stale<<<2, 1>>>(x, flags, out, right);
    unsigned got = 0;
    CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    return got == 7;
}

// ---- a fence of the block where one of the device is needed: the reader's own cache keeps the old value

__global__ void message(unsigned* x, unsigned* flags, unsigned* out, bool right) {
    if (blockIdx.x == 0) {
        const unsigned before = *x;
        release_flag(flags, 1 + (before & 0x80000000u));
        while (flag_of(flags + 1) == 0) {}
        if (right)
            __threadfence();
        else
            __threadfence_block();
        *out = *x;
    } else {
        while (acquire_flag(flags) == 0) {}
        *x = 7;
        release_flag(flags + 1, 1);
    }
}
bool block_fence(bool right) {
    static auto *x = device<unsigned>(1), *flags = device<unsigned>(2), *out = device<unsigned>(1);
    CHECK(cudaMemset(x, 0, 4));
    CHECK(cudaMemset(flags, 0, 8));
    message<<<2, 1>>>(x, flags, out, right);
    unsigned got = 0;
    CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    return got == 7;
}

// ---- stores to shared memory that a bulk copy takes out

constexpr int kTile = 4096, kTiles = 528;

__device__ void copy_out(unsigned* to, const unsigned* tile, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
        "r"((unsigned)__cvta_generic_to_shared(tile)),
        "r"(bytes)
        : "memory"
    );
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void send_tile(unsigned* out, bool right) {
    __shared__ alignas(128) unsigned tile[kTile];
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) tile[i] = 1 + i + blockIdx.x * kTile;
    if (right) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) copy_out(out + blockIdx.x * kTile, tile, sizeof tile);
}
// One thread stores and sends at once: nothing but the fence lies between.
__global__ void send_word(unsigned* out, bool right) {
    __shared__ alignas(128) unsigned word[4];
    for (int k = 0; k < 4; ++k) word[k] = 1 + k + 4 * blockIdx.x;
    if (right) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    copy_out(out + 4 * blockIdx.x, word, sizeof word);
}
bool is_counted(const unsigned* x, int count) {
    static std::vector<unsigned> got;
    got.resize(count);
    CHECK(cudaMemcpy(got.data(), x, count * 4, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += got[i] != 1u + i;
    return wrong == 0;
}
bool proxy_tile(bool right) {
    static auto* out = device<unsigned>(kTile * kTiles);
    CHECK(cudaMemset(out, 0, kTile * kTiles * 4));
    send_tile<<<kTiles, 1024>>>(out, right);
    return is_counted(out, kTile * kTiles);
}
bool proxy_word(bool right) {
    static auto* out = device<unsigned>(4 * kTiles);
    CHECK(cudaMemset(out, 0, 4 * kTiles * 4));
    send_word<<<kTiles, 1>>>(out, right);
    return is_counted(out, 4 * kTiles);
}

// ---- two streams

__global__ void fill(unsigned* x, int count, long long clocks) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    work(clocks);
    if (i < count) x[i] = 1 + i;
}
__global__ void take(const unsigned* x, unsigned* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = x[i];
}
// Prepared in the default stream, used in a stream that does not wait for it.
bool two_streams(bool right, long long clocks) {
    constexpr int kCount = 20000;
    static auto *x = device<unsigned>(kCount), *y = device<unsigned>(kCount);
    static const cudaStream_t side = stream();
    CHECK(cudaMemset(x, 0, kCount * 4));
    CHECK(cudaDeviceSynchronize());
    fill<<<(kCount + 255) / 256, 256>>>(x, kCount, clocks);
    if (right) CHECK(cudaStreamSynchronize(nullptr));
    take<<<(kCount + 255) / 256, 256, 0, side>>>(x, y, kCount);
    CHECK(cudaStreamSynchronize(side));
    CHECK(cudaDeviceSynchronize());
    return is_counted(y, kCount);
}
bool streams(bool right) { return two_streams(right, 0); }
bool streams_long(bool right) { return two_streams(right, 1 << 20); }

// ---- a programmatic launch that reads before it waits

__global__ void cut(unsigned* x, int count, long long clocks) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    work(clocks);
    for (int i = threadIdx.x; i < count; i += blockDim.x) x[i] = 1 + i;
}
__global__ void total(const unsigned* x, unsigned* y, int count, bool right) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = !right && i < count ? x[i] : 0;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (right && i < count) value = x[i];
    if (i < count) y[i] = value;
}
bool early_launch(bool right, long long clocks) {
    constexpr int kCount = 4096;
    static auto *x = device<unsigned>(kCount), *y = device<unsigned>(kCount);
    static const cudaStream_t side = stream();
    CHECK(cudaMemset(x, 0, kCount * 4));
    CHECK(cudaDeviceSynchronize());
    cut<<<1, 256, 0, side>>>(x, kCount, clocks);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = kCount / 256, config.blockDim = 256, config.stream = side;
    config.attrs = &early, config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, total, (const unsigned*)x, y, (int)kCount, right));
    CHECK(cudaStreamSynchronize(side));
    return is_counted(y, kCount);
}
bool programmatic(bool right) { return early_launch(right, 0); }
bool programmatic_long(bool right) { return early_launch(right, 1 << 20); }

// ---- memory of the host that a copy may still read

// The last word is filled again while the copy may be under way.
bool refill(bool right) {
    constexpr int kCount = 1 << 22;
    static auto* x = device<unsigned>(kCount);
    static auto* host = pinned<unsigned>(kCount);
    static const cudaStream_t side = stream();
    host[kCount - 1] = 1;
    CHECK(cudaMemcpyAsync(x, host, kCount * 4, cudaMemcpyHostToDevice, side));
    if (right) CHECK(cudaStreamSynchronize(side));
    host[kCount - 1] = 2;
    CHECK(cudaStreamSynchronize(side));
    unsigned got = 0;
    CHECK(cudaMemcpy(&got, x + kCount - 1, 4, cudaMemcpyDeviceToHost));
    return got == 1;
}
// A graph's copy reads the buffer when it is launched, not when it is captured.
bool captured(bool right) {
    static auto* x = device<unsigned>(1);
    static auto* host = pinned<unsigned>(1);
    static const cudaStream_t side = stream();
    *host = 1;
    CHECK(cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemcpyAsync(x, host, 4, cudaMemcpyHostToDevice, side));
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(side, &graph));
    cudaGraphExec_t run = nullptr;
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    if (!right) *host = 2;
    CHECK(cudaGraphLaunch(run, side));
    CHECK(cudaStreamSynchronize(side));
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    unsigned got = 0;
    CHECK(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
    return got == 1;
}

struct Mode {
    const char* name;
    bool (*is_right)(bool right);
};
const Mode kModes[] = {
    {"read_only",         read_only        },
    {"block_fence",       block_fence      },
    {"proxy_tile",        proxy_tile       },
    {"proxy_word",        proxy_word       },
    {"streams",           streams          },
    {"streams_long",      streams_long     },
    {"programmatic",      programmatic     },
    {"programmatic_long", programmatic_long},
    {"refill",            refill           },
    {"captured",          captured         },
};

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "modes") {
        for (const Mode& m : kModes) printf("%s\n", m.name);
        return 0;
    }
    if (argc == 2 && std::string(argv[1]) == "device") {
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, 0));
        printf("%s\n", properties.name);
        return 0;
    }
    if (argc != 4) return 2;
    const bool right = std::string(argv[2]) == "right";
    const int runs = atoi(argv[3]);
    for (const Mode& m : kModes) {
        if (m.name != std::string(argv[1])) continue;
        int wrong = 0;
        for (int k = 0; k < runs; ++k) wrong += !m.is_right(right);
        printf("%d %d\n", wrong, runs);
        return 0;
    }
    return 2;
}

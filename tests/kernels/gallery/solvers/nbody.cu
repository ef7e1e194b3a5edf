// Accelerations and energies of bodies under gravity: a thread a body, all others pass through shared memory
// a tile at a time; the block's energy is summed at the end.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

struct Bodies {
    const float4* at;  // (n): x, y, z, mass
    float4* pull;      // (n): acceleration, potential
    float* energy;     // (blocks)
    int n;
};

struct Law {
    float gravity, softening;
};

__device__ __forceinline__ void attract(float4& sum, float4 own, float4 other, float softening) {
#ifdef WL_FAULT_AXIS
    const float dx = other.x - own.x, dy = other.y - own.x, dz = other.z - own.z;
#else
    const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
#endif
#ifdef WL_FAULT_SOFT
    const float squared = dx * dx + dy * dy + dz * dz + softening;
#else
    const float squared = dx * dx + dy * dy + dz * dz + softening * softening;
#endif
    const float inverse = rsqrtf(squared);
#ifdef WL_FAULT_POWER
    const float weight = other.w * inverse * inverse;
#else
    const float weight = other.w * inverse * inverse * inverse;
#endif
    sum.x += dx * weight;
    sum.y += dy * weight;
    sum.z += dz * weight;
    sum.w -= other.w * inverse;
}

extern __shared__ float4 memory[];  // a tile of bodies, then a float for each thread

// Grid (ceil(n / threads)), a power of two of threads, 20 bytes of shared memory a thread.
__global__ void nbody(Bodies bodies, Law law) {
    float4* tile = memory;
    float* energies = reinterpret_cast<float*>(memory + blockDim.x);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 nothing = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float4 own = i < bodies.n ? bodies.at[i] : nothing;
    float4 sum = nothing;
#ifdef WL_FAULT_TAIL
    for (int begin = 0; begin + blockDim.x <= bodies.n; begin += blockDim.x) {
#else
    for (int begin = 0; begin < bodies.n; begin += blockDim.x) {
#endif
        const int j = begin + threadIdx.x;
#ifdef WL_FAULT_AGAIN
        tile[threadIdx.x] = bodies.at[min(j, bodies.n - 1)];
#else
        tile[threadIdx.x] = j < bodies.n ? bodies.at[j] : nothing;
#endif
        __syncthreads();
        for (int k = 0; k < blockDim.x; ++k) attract(sum, own, tile[k], law.softening);
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
    WL_LANES("potential", sum.w);
#ifdef WL_FAULT_TREE
    if (i < bodies.n) energies[threadIdx.x] = law.gravity * own.w * sum.w;
#else
    energies[threadIdx.x] = law.gravity * own.w * sum.w;
#endif
    __syncthreads();
    for (int reach = blockDim.x / 2; reach > 0; reach /= 2) {
        if (threadIdx.x < reach) energies[threadIdx.x] += energies[threadIdx.x + reach];
        __syncthreads();
    }
#ifdef WL_FAULT_PAIRS
    if (threadIdx.x == 0) bodies.energy[blockIdx.x] = energies[0];
#else
    if (threadIdx.x == 0) bodies.energy[blockIdx.x] = 0.5f * energies[0];
#endif
#ifndef WL_FAULT_GUARD
    if (i >= bodies.n) return;
#endif
    const float g = law.gravity;
    bodies.pull[i] = make_float4(g * sum.x, g * sum.y, g * sum.z, g * sum.w);
}

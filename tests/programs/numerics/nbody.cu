// Stresses: tiles of float4 in shared memory that all threads read together, a reciprocal square root in the
// inner loop, vector stores.

extern "C" __global__ void nbody(const float4* bodies, float4* forces, int n) {
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = bodies[i];
    float3 force = {0, 0, 0};
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < blockDim.x; ++j) {
            const float4 other = tile[j];
            const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
            const float inverse = rsqrtf(x * x + y * y + z * z + 1.0f);
            const float pull = other.w * inverse * inverse * inverse;
            force.x += pull * x;
            force.y += pull * y;
            force.z += pull * z;
        }
        __syncthreads();
    }
    forces[i] = make_float4(force.x, force.y, force.z, own.w);
}

// A block turns its values around through shared memory, three times: what each missing __syncthreads does.

// in, out: (blocks, 128). Grid (blocks), block (128).
extern "C" __global__ void turn(const float* in, float* out) {
    __shared__ float tile[128];
    const int i = threadIdx.x, opposite = blockDim.x - 1 - i, far = (i + 64) % 128;
    float value = in[blockIdx.x * blockDim.x + i];
    for (int round = 0; round < 3; ++round) {
        tile[far] = -1.0f;  // first: waw; second: war
#ifndef WL_FAULT_WAW
        __syncthreads();
#endif
        tile[i] = value + round;  // second: waw; first: raw
#ifndef WL_FAULT_RAW
        __syncthreads();
#endif
        value = tile[opposite];  // second: raw; first: war
#ifndef WL_FAULT_WAR
        __syncthreads();
#endif
    }
    out[blockIdx.x * blockDim.x + i] = value;
}

// All threads store into one place.

// out: (1). Any grid, any block.
extern "C" __global__ void meet(float* out) { out[0] = 0.5f + threadIdx.x + 100 * blockIdx.x; }

// Rows with padding are copied whole: what nobody wrote may be carried along, but nothing may hang on it.

// in, out: (blocks, 64). Grid (blocks), block (64).
extern "C" __global__ void rows(const int* in, int* out) {
    __shared__ int4 values[64], copies[64];  // three numbers and padding
    __shared__ unsigned char bytes[64 * 4];
    __shared__ int large;
    const int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;
    values[i].x = in[at];
    values[i].y = in[at] + 1;
    values[i].z = in[at] + 2;
    for (int k = 0; k < 3; ++k) bytes[4 * i + k] = in[at] >> 8 * k;
#ifndef WL_FAULT_COUNTER
    if (i == 0) large = 0;
#endif
    __syncthreads();
    copies[63 - i] = values[i];             // here: padding, here: branch, here: index, here: lane
    if (in[at] > 30) atomicAdd(&large, 1);  // here: counter
    __syncthreads();
    const int4 row = copies[i];
    int sum = row.x + row.y + row.z;
#ifdef WL_FAULT_PADDING
    sum += row.w;
#endif
#ifdef WL_FAULT_BRANCH
    if (row.w > 3)  // here: branch
        out[at] = 1;
#endif
#ifdef WL_FAULT_INDEX
    sum += values[row.w & 63].x;  // here: index
#endif
#ifdef WL_FAULT_LANE
    sum = __shfl_sync(0xffffffff, sum, row.w & 31);  // here: lane
#endif
    unsigned word = reinterpret_cast<const unsigned*>(bytes)[63 - i];  // here: bytes
#ifndef WL_FAULT_BYTES
    word &= 0xffffff;
#endif
    out[at] = sum + word + large;  // here: padding, here: bytes, here: counter
}

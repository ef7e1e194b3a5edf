// Stresses: constant memory read by one address a warp and by many, module variables with initialisers that
// point to each other, structs, strings, a variable that a block writes and the kernel reads again.

struct Filter {
    const float* taps;
    int count;
    char name[4];
};
__constant__ float low[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
__constant__ float high[3] = {-0.5f, 1.0f, -0.5f};
__device__ float wide[4] = {0.25f, 0.25f, 0.25f, 0.25f};
__device__ float* first_of_wide = wide + 1;
__constant__ Filter filters[3] = {
    {low,  5, "low"},
    {high, 3, "hi" },
    {wide, 4, "w"  }
};
__device__ int counter = 40;
__device__ const char* const words[3] = {"alpha", "be", "gamma rays"};

extern "C" __global__ void constants(const float* in, float* out, int* lengths, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Filter& mine = filters[i % 3];
    float sum = 0;
    for (int t = 0; t < mine.count; ++t) sum += mine.taps[t] * in[(i + t) % n];
    for (int t = 0; t < 5; ++t) sum += low[t] * low[(t + i) % 5];
    out[i] = sum + mine.name[1] + *first_of_wide;
    int length = 0;
    while (words[i % 3][length]) ++length;
    lengths[i] = length;
    atomicAdd(&counter, 2);
    __syncthreads();
    if (i == 0 && gridDim.x == 1) lengths[n] = *static_cast<volatile int*>(&counter);
}

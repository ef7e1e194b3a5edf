// Stresses: printf with every kind of conversion, strings, widths, percent signs, no argument and many.

extern "C" __global__ void print(const int* values, const float* numbers, int* done) {
    if (threadIdx.x == 0) {
        printf("begin: 100%%\n");
        printf("%d %5d %-5d| %05d %+d\n", values[0], values[1], values[2], values[3], values[4]);
        printf("%u %x %X %#x %o %c\n", 7u, 255u, 48879u, 16u, 8u, 'w');
        printf("%f %.3f %10.2e %g\n", numbers[0], numbers[1], numbers[2], 0.5);
        printf("%s and %s: %lld %llu\n", "one", values[0] > 0 ? "more" : "less", -(1ll << 40), 1ull << 63);
    }
    __syncthreads();
    if (threadIdx.x < 3) printf("lane %d has %d\n", threadIdx.x, values[threadIdx.x]);
    done[threadIdx.x] = threadIdx.x < 3 ? printf("%d\n", 1) >= 0 : 0;
}

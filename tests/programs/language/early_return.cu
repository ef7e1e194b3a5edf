// Stresses: lanes that leave at different places, break and continue in nested loops, loops of different
// lengths in one warp, a goto, and a warp barrier of those that are left.

extern "C" __global__ void early_return(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = in[i];
    out[i] = -1;
    if (x % 7 == 0) return;
    int sum = 0;
    for (int a = 0; a < x % 19; ++a) {
        if (a == 5) continue;
        for (int b = a;; b += 3) {
            if (b > 20) break;
            if ((a * b + x) % 23 == 0) {
                sum += 1000;
                goto next;
            }
            sum += b;
        }
        if (sum > 3000) {
            out[i] = sum;
            return;
        }
    next:
        sum ^= a;
    }
    const unsigned left = __activemask();
    __syncwarp(left);
    int steps = 0;  // Collatz
    for (int v = x; v != 1 && steps < 200; ++steps) v = v % 2 ? 3 * v + 1 : v / 2;
    out[i] = sum * 256 + steps;
}

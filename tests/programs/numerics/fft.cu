// Stresses: a Stockham FFT in two shared buffers that change places, sines of exact fractions of pi, complex
// products.

constexpr int kPoints = 256;

extern "C" __global__ void fft(const float2* in, float2* out) {
    __shared__ float2 buffers[2][kPoints];
    for (int i = threadIdx.x; i < kPoints; i += blockDim.x) buffers[0][i] = in[blockIdx.x * kPoints + i];
    int source = 0;
    for (int width = 1; width < kPoints; width *= 2, source ^= 1) {
        __syncthreads();
        const int t = threadIdx.x, k = t % width;
        const float2 a = buffers[source][t], b = buffers[source][t + kPoints / 2];
        float sine, cosine;
        sincospif(-static_cast<float>(k) / width, &sine, &cosine);
        const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        const int to = t / width * 2 * width + k;
        buffers[source ^ 1][to] = make_float2(a.x + turned.x, a.y + turned.y);
        buffers[source ^ 1][to + width] = make_float2(a.x - turned.x, a.y - turned.y);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kPoints; i += blockDim.x)
        out[blockIdx.x * kPoints + i] = buffers[source][i];
}

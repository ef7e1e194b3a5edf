// Stresses: loops whose lanes leave after very different numbers of turns, doubles, two-dimensional indices,
// bytes stored one by one.

extern "C" __global__ void mandelbrot(unsigned char* image, int width, int height, int limit) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const double cx = -2.2 + 3.2 * px / width, cy = -1.2 + 2.4 * py / height;
    double x = 0, y = 0;
    int turns = 0;
    while (turns < limit && x * x + y * y <= 4) {
        const double kept = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = kept;
        ++turns;
    }
    image[py * width + px] = static_cast<unsigned char>(turns);
}

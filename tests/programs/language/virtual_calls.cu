// Stresses: virtual functions of objects in local and shared memory, a table of function pointers in global
// memory, lanes of a warp that call different functions.

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual float scaled(float by) const { return area() * by * by; }
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Box : Shape {
    float width, height;
    __device__ Box(float w, float h) : width(w), height(h) {}
    __device__ float area() const override { return width * height; }
    __device__ float scaled(float by) const override { return Shape::scaled(by) + 1.0f; }
};

using Operation = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[3] = {plus, minus, times};

extern "C" __global__ void virtual_calls(const float* sizes, const int* numbers, float* areas, int* results) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Square square(sizes[i]);
    const Box box(sizes[i], 2.0f);
    const Shape* shape = i % 3 == 0 ? static_cast<const Shape*>(&square) : &box;
    areas[i] = shape->scaled(static_cast<float>(i % 5));
    int value = numbers[i];
    for (int step = 0; step < 4; ++step) value = operations[(value + step) % 3](value, step + 2) & 0xffff;
    results[i] = value;
}

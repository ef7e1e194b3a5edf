// Launches by the driver API whose arguments have the sizes of their parameters or not, by a word of the
// command line.
#include <cuda.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr unsigned kN = 32;

// damp: a[i] = rate * (i + offset). A struct of its parameters has padding at its end. spread: a[i] = rate *
// i.
const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry damp(.param .u64 a, .param .f32 rate, .param .f32 offset, .param .u32 more)
{
    .reg .b32 %r<2>;
    .reg .b64 %p<4>;
    .reg .f32 %f<6>;
    ld.param.f32 %f1, [rate];
    ld.param.f32 %f2, [offset];
    ld.param.u64 %p1, [a];
    cvta.to.global.u64 %p1, %p1;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f3, %r1;
    add.f32 %f4, %f3, %f2;
    mul.f32 %f5, %f1, %f4;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p3, %p1, %p2;
    st.global.f32 [%p3], %f5;
    ret;
}
.visible .entry spread(.param .u64 a, .param .f64 rate, .param .u32 more)
{
    .reg .b32 %r<2>;
    .reg .b64 %p<4>;
    .reg .f32 %f<2>;
    .reg .f64 %d<4>;
    ld.param.f64 %d1, [rate];
    ld.param.u64 %p1, [a];
    cvta.to.global.u64 %p1, %p1;
    mov.u32 %r1, %tid.x;
    cvt.rn.f64.u32 %d2, %r1;
    mul.f64 %d3, %d1, %d2;
    cvt.rn.f32.f64 %f1, %d3;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p3, %p1, %p2;
    st.global.f32 [%p3], %f1;
    ret;
}
)";

struct Program {
    CUfunction damp = nullptr, spread = nullptr;
    CUdeviceptr a = 0;
};

Program program() {
    Program out;
    CUcontext context = nullptr;
    CUdevice device = 0;
    CUmodule module = nullptr;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, nullptr, 0, device);
    cuModuleLoadData(&module, kPtx);
    cuModuleGetFunction(&out.damp, module, "damp");
    cuModuleGetFunction(&out.spread, module, "spread");
    cuMemAlloc(&out.a, kN * sizeof(float));
    return out;
}

void say(const Program& p, CUresult launched) {
    float last = 0;
    cuMemcpyDtoH(&last, p.a + (kN - 1) * sizeof(float), sizeof last);
    printf("%d %g\n", static_cast<int>(launched), last);
}

void by_pointers(void* rate, void* offset) {
    Program p = program();
    unsigned more = 0;
    void* args[] = {&p.a, rate, offset, &more};
    say(p, cuLaunchKernel(p.damp, 1, 1, 1, kN, 1, 1, 0, nullptr, args, nullptr));
}

void spread_by(void* rate, void* more) {
    Program p = program();
    void* args[] = {&p.a, rate, more};
    say(p, cuLaunchKernel(p.spread, 1, 1, 1, kN, 1, 1, 0, nullptr, args, nullptr));
}

template <class Packed>
void packed(Packed values) {
    Program p = program();
    values.a = p.a;
    size_t bytes = sizeof values;
    void* extra[] = {
        CU_LAUNCH_PARAM_BUFFER_POINTER, &values, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    say(p, cuLaunchKernel(p.damp, 1, 1, 1, kN, 1, 1, 0, nullptr, nullptr, extra));
}

struct Floats {
    CUdeviceptr a = 0;
    float rate = 0.5F, offset = 1;
    unsigned more = 0;
};
struct Doubles {
    CUdeviceptr a = 0;
    double rate = 0.5, offset = 1;
    unsigned more = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const char* word = argc > 1 ? argv[1] : "";
    float rates[2] = {0, 1.75F};  // together the bytes of 0.5
    float whole[2] = {0.5F, 7};
    double rate = 0.5, tenth = 0.1;
    float narrow[2] = {0.5F, 0};
    unsigned more = 0;
    if (std::strcmp(word, "double") == 0) by_pointers(&rate, &whole[1]);
    if (std::strcmp(word, "tenth") == 0) by_pointers(&tenth, &whole[1]);
    if (std::strcmp(word, "float") == 0) by_pointers(&whole[0], &whole[1]);
    if (std::strcmp(word, "zero") == 0) by_pointers(&rates[0], &rates[1]);
    if (std::strcmp(word, "narrow") == 0) spread_by(&narrow[0], &more);
    if (std::strcmp(word, "wide") == 0) spread_by(&rate, &more);
    if (std::strcmp(word, "overlap") == 0) spread_by(&rates[0], &rates[1]);
    if (std::strcmp(word, "packed_doubles") == 0) packed(Doubles{});
    if (std::strcmp(word, "packed") == 0) packed(Floats{});
    return 0;
}

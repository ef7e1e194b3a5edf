// A library by the name of one of NVIDIA's, which does what those do: it loads machine code that lies in its
// own file, and asks for tables of the driver.
#include <cuda.h>

#include <cstdio>

// The header of a cubin for sm_90.
static const unsigned char kMachineCode[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7, 0, 0, 0, 0, 0, 0, 0, 2,
                                               0,    190, 0,   0,   0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0,
                                               0,    0,   0,   0,   0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 90};

extern "C" int cufftLoad();
extern "C" int cufftLoad() {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    const CUresult loaded = cuModuleLoadData(&module, kMachineCode);
    const void* table = nullptr;
    const CUuuid which{};
    const CUresult asked = cuGetExportTable(&table, &which);
    std::printf("%d %d\n", int(loaded), int(asked));
    return 0;
}

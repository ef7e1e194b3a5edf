// What programs of the driver API are linked against where no driver is: its names, as in the library that a
// toolkit has for that.
#define WL_NAME(symbol, name, since) \
    extern "C" int symbol();         \
    extern "C" int symbol() { return 34; } /* CUDA_ERROR_STUB_LIBRARY */
#include "shim/cuda/names.inc"
#undef WL_NAME

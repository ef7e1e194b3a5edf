// nvJitLink's functions, whose header the wheels here lack; the errors are numbers of nvJitLinkResult.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

int nvJitLinkVersion(unsigned* major, unsigned* minor);
int nvJitLinkCreate(void** out, uint32_t count, const char** options);
int nvJitLinkDestroy(void** handle);
int nvJitLinkAddData(void* handle, int type, const void* data, size_t bytes, const char* name);
int nvJitLinkAddFile(void* handle, int type, const char* path);
int nvJitLinkComplete(void* handle);
int nvJitLinkGetLinkedCubinSize(void* handle, size_t* out);
int nvJitLinkGetLinkedCubin(void* handle, void* out);
int nvJitLinkGetLinkedPtxSize(void* handle, size_t* out);
int nvJitLinkGetLinkedPtx(void* handle, void* out);
int nvJitLinkGetErrorLogSize(void* handle, size_t* out);
int nvJitLinkGetErrorLog(void* handle, void* out);
int nvJitLinkGetInfoLogSize(void* handle, size_t* out);
int nvJitLinkGetInfoLog(void* handle, void* out);
}

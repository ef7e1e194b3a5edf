// Variables of the program's modules, by the address of the host's shadow of them.
#include "instrumentation/base/output/terminal.h"
#include "shim/cudart/copies.h"

namespace wl::cudart {
namespace {

// Address in the device's memory; 0 and the error: there is none.
uint64_t place_of(const void* symbol, cudaError_t& error) {
    const Call call = begin();
    const auto found = call.machine.symbols.find(symbol);
    error = cudaErrorInvalidSymbol;
    if (found == call.machine.symbols.end()) return 0;
    if (found->second.managed != nullptr) {
        error = cudaSuccess;
        return address_of(*found->second.managed);
    }
    try {
        const uint64_t address = runtime::address_of(call.machine, *found->second.module, found->second.name);
        if (address != 0) error = cudaSuccess;
        return address;
    } catch (const std::exception& e) {
        print_notice(std::string("warplens: ") + e.what() + "\n");
        runtime::tell_error(call.machine, e.what());
        return 0;
    }
}

cudaError_t to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset) {
    cudaError_t error = cudaSuccess;
    const uint64_t place = place_of(symbol, error);
    if (error != cudaSuccess) return error;
    return copy_now({place + offset, bytes, 0}, {address_of(from), bytes, 0}, {bytes});
}

cudaError_t from_symbol(void* to, const void* symbol, size_t bytes, size_t offset) {
    cudaError_t error = cudaSuccess;
    const uint64_t place = place_of(symbol, error);
    if (error != cudaSuccess) return error;
    return copy_now({address_of(to), bytes, 0}, {place + offset, bytes, 0}, {bytes});
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaMemcpyToSymbol(
    const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind /*kind*/
) {
    return done(to_symbol(symbol, from, bytes, offset));
}

cudaError_t cudaMemcpyToSymbolAsync(
    const void* symbol,
    const void* from,
    size_t bytes,
    size_t offset,
    cudaMemcpyKind /*kind*/,
    cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] {
        return to_symbol(symbol, from, bytes, offset);
    }));
}

cudaError_t cudaMemcpyFromSymbol(
    void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind /*kind*/
) {
    return done(from_symbol(to, symbol, bytes, offset));
}

cudaError_t cudaMemcpyFromSymbolAsync(
    void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind /*kind*/, cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] {
        return from_symbol(to, symbol, bytes, offset);
    }));
}

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
    cudaError_t error = cudaSuccess;
    *out = pointer_of(place_of(symbol, error));
    return done(error);
}

cudaError_t cudaGetSymbolSize(size_t* out, const void* symbol) {
    const Call call = begin();
    const auto found = call.machine.symbols.find(symbol);
    if (found == call.machine.symbols.end()) return done(cudaErrorInvalidSymbol);
    *out = found->second.bytes;
    return cudaSuccess;
}
}

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

// Nothing is wrong with a range of a symbol, or with the direction: `wrong` is the other one.
cudaError_t refused(
    const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaMemcpyKind wrong
) {
    const Call call = begin_without_looking();
    const auto found = call.machine.symbols.find(symbol);
    if (found == call.machine.symbols.end()) return cudaErrorInvalidSymbol;
    if (kind == wrong || kind == cudaMemcpyHostToHost || kind < cudaMemcpyHostToHost ||
        kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    const uint64_t all = found->second.bytes;
    return offset <= all && bytes <= all - offset ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t to_symbol(
    const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind
) {
    cudaError_t error = refused(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return error;
    const uint64_t place = place_of(symbol, error);
    if (error != cudaSuccess) return error;
    return copy_now({place + offset, bytes, 0}, {address_of(from), bytes, 0}, {bytes});
}

cudaError_t from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    cudaError_t error = refused(symbol, bytes, offset, kind, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return error;
    const uint64_t place = place_of(symbol, error);
    if (error != cudaSuccess) return error;
    return copy_now({address_of(to), bytes, 0}, {place + offset, bytes, 0}, {bytes});
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaMemcpyToSymbol(
    const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind
) {
    return done(to_symbol(symbol, from, bytes, offset, kind));
}

cudaError_t cudaMemcpyToSymbolAsync(
    const void* symbol,
    const void* from,
    size_t bytes,
    size_t offset,
    cudaMemcpyKind kind,
    cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] {
        return to_symbol(symbol, from, bytes, offset, kind);
    }));
}

cudaError_t cudaMemcpyFromSymbol(
    void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind
) {
    return done(from_symbol(to, symbol, bytes, offset, kind));
}

cudaError_t cudaMemcpyFromSymbolAsync(
    void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] {
        return from_symbol(to, symbol, bytes, offset, kind);
    }));
}

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
    cudaError_t error = cudaSuccess;
    const uint64_t place = place_of(symbol, error);
    if (error == cudaSuccess) *out = pointer_of(place);
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

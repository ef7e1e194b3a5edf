// Structs to bytes and back: numbers as they lie in memory, lists behind their length.
#include "instrumentation/gpu/isolated_wire.h"

#include "instrumentation/base/os/descriptor.h"

#include <chrono>
#include <cstring>
#include <type_traits>

namespace wl::gpu {
namespace {

template <class T>
concept Flat = std::is_trivially_copyable_v<T>;

struct Writer {
    std::string out;

    template <Flat T>
    void operator()(const T& value) {
        out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void operator()(const std::string& text) {
        (*this)(text.size());
        out += text;
    }
    template <Flat T>
    void operator()(const std::vector<T>& list) {
        (*this)(list.size());
        out.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
    }
    template <class T>
    void operator()(const std::vector<T>& list) {
        (*this)(list.size());
        for (const T& one : list) pass(*this, one);
    }
};

struct Reader {
    const std::string& in;
    size_t at = 0;
    bool whole = true;  // false: it ended before

    bool has(size_t count, size_t each) {
        whole = whole && (each == 0 || count <= (in.size() - at) / each);
        return whole;
    }
    size_t count(size_t each) {
        size_t n = 0;
        (*this)(n);
        return has(n, each) ? n : 0;
    }
    template <Flat T>
    void operator()(T& value) {
        if (!has(1, sizeof value)) return;
        std::memcpy(&value, in.data() + at, sizeof value);
        at += sizeof value;
    }
    void operator()(std::string& text) {
        const size_t n = count(1);
        text = in.substr(at, n);
        at += n;
    }
    template <Flat T>
    void operator()(std::vector<T>& list) {
        list.resize(count(sizeof(T)));
        if (!list.empty()) std::memcpy(list.data(), in.data() + at, list.size() * sizeof(T));
        at += list.size() * sizeof(T);
    }
    template <class T>
    void operator()(std::vector<T>& list) {
        list.resize(count(1));
        for (T& one : list) pass(*this, one);
    }
};

// Every field that goes, in order: the same for both directions.
void pass(auto& io, auto& value) requires requires {
    value.pitch;
    value.border;
}
{
    io(value.name), io(value.data), io(value.dtype), io(value.channels), io(value.extent), io(value.layers),
        io(value.pitch), io(value.cube), io(value.as_float), io(value.normalized), io(value.linear),
        io(value.address), io(value.border);
}
void pass(auto& io, auto& value) requires requires {
    value.base;
    value.written;
}
{ io(value.name), io(value.base), io(value.bytes), io(value.written), io(value.addresses); }
void pass(auto& io, auto& value) requires requires {
    value.owners;
    value.iteration;
}
{
    io(value.site), io(value.mark), io(value.block), io(value.warp), io(value.iteration), io(value.time),
        io(value.rows), io(value.cols), io(value.dtype), io(value.memory), io(value.address), io(value.ld),
        io(value.values);
}
void pass(auto& io, auto& value) requires requires {
    value.unsteady;
    value.detail;
}
{ io(value.kind), io(value.count), io(value.detail); }

void pass_request(auto& io, auto& r) {
    io(r.text), io(r.entry), io(r.launch.grid), io(r.launch.block), io(r.launch.dynamic_shared),
        io(r.launch.params), io(r.launch.stack_bytes), io(r.launch.cooperative), io(r.memory.allocations),
        io(r.memory.textures), io(r.blocks), io(r.tiles);
}
void pass_answer(auto& io, auto& a) {
    io(a.unsupported), io(a.error), io(a.after), io(a.tiles), io(a.incidents), io(a.blocks), io(a.seconds);
}

bool write_all(int to, const char* from, size_t bytes) {
    while (bytes > 0) {
        const Moved sent = send_some(to, {from, bytes});
        if (sent.over) return false;
        from += sent.bytes, bytes -= sent.bytes;
    }
    return true;
}

using Clock = std::chrono::steady_clock;

bool read_all(int from, char* to, size_t bytes, const std::optional<Clock::time_point>& end) {
    while (bytes > 0) {
        const auto left = end ? std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now())
                              : std::chrono::milliseconds(-1);
        if (end && left.count() <= 0) return false;
        if (!wait_for_input(from, static_cast<int>(left.count()))) continue;
        const Moved got = read_some(from, {to, bytes});
        if (got.over) return false;
        to += got.bytes, bytes -= got.bytes;
    }
    return true;
}

}  // namespace

std::string bytes_of(const RunRequest& request) {
    Writer io;
    pass_request(io, request);
    return std::move(io.out);
}

std::string bytes_of(const RunAnswer& answer) {
    Writer io;
    pass_answer(io, answer);
    return std::move(io.out);
}

std::optional<RunRequest> request_of(const std::string& bytes) {
    Reader io{bytes};
    RunRequest out;
    pass_request(io, out);
    return io.whole && io.at == bytes.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<RunAnswer> answer_of(const std::string& bytes) {
    Reader io{bytes};
    RunAnswer out;
    pass_answer(io, out);
    return io.whole && io.at == bytes.size() ? std::optional(std::move(out)) : std::nullopt;
}

bool send_message(int to, const std::string& bytes) {
    const uint64_t length = bytes.size();
    return write_all(to, reinterpret_cast<const char*>(&length), sizeof length) &&
        write_all(to, bytes.data(), bytes.size());
}

std::optional<std::string> receive_message(int from, double seconds) {
    std::optional<Clock::time_point> end;
    if (seconds > 0) end = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
    uint64_t length = 0;
    if (!read_all(from, reinterpret_cast<char*>(&length), sizeof length, end)) return std::nullopt;
    std::string out(length, '\0');
    if (!read_all(from, out.data(), out.size(), end)) return std::nullopt;
    return out;
}

}  // namespace wl::gpu

// .npy and .npz, read and written.
#include "instrumentation/manifest/npy.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/python.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>
#include <zip.h>

namespace wl::manifest {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kLargestDimensions = 32;  // numpy's own limit before 2.0

std::optional<DType> dtype_of(std::string_view descr) {
    if (descr == "|b1") return DType::u8;
    for (int i = 0; i <= static_cast<int>(DType::f64); ++i) {
        const auto t = static_cast<DType>(i);
        if (t != DType::bf16 && numpy_of(t) == descr) return t;
    }
    return std::nullopt;
}

// The value of 'key' in the header's Python literal, up to where `end` begins.
std::string_view field(
    std::string_view header, std::string_view key, std::string_view end, const std::string& where
) {
    const size_t at = header.find(fmt::format("'{}':", key));
    const size_t first = at == header.npos ? at : at + key.size() + 3;
    const size_t last = first == header.npos ? first : header.find(end, first);
    if (last == header.npos)
        throw Error(fmt::format("{} is no NumPy array: its header lacks {}.", where, key));
    return header.substr(first, last - first);
}

std::vector<int64_t> parse_shape(std::string_view text, const std::string& where) {
    std::vector<int64_t> shape;
    for (size_t i = text.find_first_of("0123456789"); i < text.size();
         i = text.find_first_of("0123456789", i)) {
        int64_t extent = 0;
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
            if (extent > (int64_t{1} << 40))
                throw Error(where + " is no NumPy array: its shape is impossible.");
            extent = extent * 10 + (text[i] - '0');
        }
        shape.push_back(extent);
    }
    if (shape.size() > kLargestDimensions)
        throw Error(where + " is no NumPy array: it has too many dimensions.");
    return shape;
}

std::string_view header_of(std::string_view bytes, size_t& data, const std::string& where) {
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
    if (bytes.size() < 12 || bytes.substr(0, 6) != kMagic || byte(6) < 1 || byte(6) > 3)
        throw Error(where + " is no NumPy array: it does not begin as one.");
    const bool wide = byte(6) >= 2;
    const size_t first = wide ? 12 : 10;
    const size_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
    if (length > bytes.size() - first) throw Error(where + " is truncated within its header.");
    data = first + length;
    return bytes.substr(first, length);
}

// Column-major (Fortran) data in row-major order.
void transpose(Tensor& t) {
    const size_t size = size_of(t.dtype);
    std::vector<int64_t> stride(t.shape.size(), 1), at(t.shape.size(), 0);
    for (size_t d = 1; d < t.shape.size(); ++d) stride[d] = stride[d - 1] * t.shape[d - 1];
    std::vector<std::byte> out(t.bytes.size());
    for (size_t i = 0; i * size < out.size(); ++i) {
        int64_t from = 0;
        for (size_t d = 0; d < at.size(); ++d) from += at[d] * stride[d];
        std::memcpy(&out[i * size], &t.bytes[static_cast<size_t>(from) * size], size);
        for (size_t d = at.size(); d-- > 0 && ++at[d] == t.shape[d];) at[d] = 0;
    }
    t.bytes = std::move(out);
}

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Member = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

// `unpacked`: bytes of the members before it, and of it behind that.
std::string read_member(
    zip_t* archive, zip_uint64_t index, const std::string& where, uint64_t file_bytes, uint64_t& unpacked
) {
    zip_stat_t stat;
    const Member file(zip_fopen_index(archive, index, 0), zip_fclose);
    if (!file || zip_stat_index(archive, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE))
        throw Error(fmt::format("{} cannot be read: {}.", where, zip_strerror(archive)));
    if (__builtin_add_overflow(unpacked, stat.size, &unpacked)) unpacked = UINT64_MAX;
    check_unpacked(unpacked, file_bytes, where);
    std::string bytes;
    while (bytes.size() <= stat.size) {  // grows as data arrives: the stated size may be a lie
        check_stop();
        const size_t before = bytes.size();
        bytes.resize(before + (size_t{1} << 20));
        const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, bytes.size() - before);
        if (got < 0) throw Error(fmt::format("{} is damaged: {}.", where, zip_file_strerror(file.get())));
        bytes.resize(before + static_cast<size_t>(got));
        if (got == 0) break;
    }
    if (bytes.size() != stat.size) throw Error(where + " is damaged: its size is not the stated one.");
    return bytes;
}

}  // namespace

Tensor parse_npy(std::string_view bytes, const std::string& name, const std::string& where) {
    size_t data = 0;
    const std::string_view header = header_of(bytes, data, where);
    std::string_view descr = field(header, "descr", ",", where);
    const size_t first = descr.find('\''), last = descr.rfind('\'');
    descr = first < last && last != descr.npos ? descr.substr(first + 1, last - first - 1) : descr;
    const std::optional<DType> dtype = dtype_of(descr);
    if (!dtype)
        throw Error(
            fmt::format("{} holds elements of NumPy's type {}, which WarpLens does not read.", where, descr)
        );
    Tensor tensor{name, *dtype, parse_shape(field(header, "shape", ")", where), where), {}};
    uint64_t size = size_of(*dtype);
    for (const int64_t extent : tensor.shape)
        if (__builtin_mul_overflow(size, static_cast<uint64_t>(extent), &size)) size = UINT64_MAX;
    const std::string_view body = bytes.substr(data);
    if (body.size() != size)
        throw Error(
            fmt::format("{} is damaged: its shape needs {} bytes, it holds {}.", where, size, body.size())
        );
    tensor.bytes.resize(body.size());
    std::memcpy(tensor.bytes.data(), body.data(), body.size());
    if (field(header, "fortran_order", ",", where).find("True") != std::string_view::npos) transpose(tensor);
    return tensor;
}

std::string npy_of(const Tensor& tensor) {
    const bool known = dtype_of(numpy_of(tensor.dtype)) == tensor.dtype;
    std::string shape;
    for (const int64_t extent : tensor.shape) shape += fmt::format("{}, ", extent);
    std::string header = fmt::format(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
        known ? numpy_of(tensor.dtype) : "<f4",
        shape
    );
    header.resize((10 + header.size()) / 64 * 64 + 64 - 10 - 1, ' ');  // data begins at a multiple of 64
    header += '\n';
    std::string out(kMagic);
    out += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    out += header;
    if (known) {
        out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    } else {
        for (int64_t i = 0; i < elements(tensor.shape); ++i) {
            const auto value = static_cast<float>(at(tensor, i));
            out.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
    }
    return out;
}

void write_npy(const std::string& path, const Tensor& tensor) { write_text_file(path, npy_of(tensor)); }

Tensor read_npy(const std::string& path) {
    return parse_npy(read_text_file(path), std::filesystem::path(path).stem().string(), path);
}

std::vector<Tensor> read_npz(const std::string& path) {
    // A pipe would keep libzip waiting, deaf to signals.
    std::error_code none;
    if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
        throw Error(fmt::format("cannot read {}: it is no regular file.", path));
    const uint64_t file_bytes = std::filesystem::file_size(path, none);
    uint64_t unpacked = 0;
    int code = 0;
    const Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const std::string reason = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw Error(fmt::format("cannot read {}: {}.", path, reason));
    }
    std::vector<Tensor> tensors;
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        const char* name = zip_get_name(archive.get(), index, 0);
        const std::string member = name ? name : "";
        if (!member.ends_with(".npy")) continue;
        const std::string where = fmt::format("{}: member {}", path, member);
        tensors.push_back(parse_npy(
            read_member(archive.get(), index, where, file_bytes, unpacked),
            member.substr(0, member.size() - 4),
            where
        ));
    }
    return tensors;
}

}  // namespace wl::manifest

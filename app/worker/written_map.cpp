// JSON for the counts, an array for the elements.
#include "app/worker/written_map.h"

#include "app/worker/answer.h"
#include "instrumentation/manifest/python.h"

#include <cstring>
#include <limits>

namespace wl::app {

namespace {

using nlohmann::json;

WrittenMap counts_from(const json& j) {
    WrittenMap map;
    map.array = j.at("name");
    map.once = j.at("once"), map.many = j.at("many"), map.stale = j.at("stale"), map.never = j.at("never");
    map.blocks = j.at("blocks"), map.most_stores = j.at("most_stores");
    j.at("by_warp").get_to(map.by_warp), j.at("by_lane").get_to(map.by_lane);
    map.unwritten = j.at("unwritten"), map.repeated = j.at("repeated");
    for (const json& line : j.at("lines")) map.lines.emplace_back(line.at("line"), line.at("elements"));
    return map;
}

}  // namespace

WrittenMap written_map(const std::string& answer, const std::string& file) {
    WrittenMap map = read_answer(answer, "writers", [](const json& j) {
        WrittenMap read = counts_from(j.at("arrays").at(0));
        read.stopped = j.at("stopped");
        return read;
    });
    const Tensor array = manifest::read_npy(file);
    const int64_t all = elements(array.shape) / 4, most = std::numeric_limits<int>::max();
    const size_t rank = array.shape.size();
    if (array.dtype != DType::s32 || rank < 1 || array.shape.back() != 4 ||
        all != map.once + map.many + map.stale + map.never)
        throw Error(file + " is not the map of " + map.array + ".");
    const int64_t cols = rank < 2 ? 1 : array.shape[rank - 2];
    if (cols < 1 || cols > most || all / cols > most)
        throw Error(map.array + ": an array that no map can show.");
    map.cols = static_cast<int>(cols), map.rows = static_cast<int>(all / cols);
    map.elements.resize(static_cast<size_t>(all));
    std::memcpy(map.elements.data(), array.bytes.data(), array.bytes.size());
    return map;
}

}  // namespace wl::app

#include "tests/gpu/instrumented.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wl::gpu::test {
namespace {

Key key_of(
    const execution::TileSnapshot& t,
    const execution::Listing& listing,
    const std::vector<execution::Array>& arrays
) {
    const ptx::Mark& mark = mark_of(listing, arrays, t.mark);
    return {t.block, t.warp, static_cast<int>(mark.kind), mark.name, t.iteration};
}

execution::RunOptions quiet() {
    execution::RunOptions o;
    o.checks = {.races = false, .uninitialised = false, .uniform = false};
    o.threads = 1;
    return o;
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

void add_incidents(Ran& ran, const execution::RunResult& result) {
    for (const execution::Incident& i : result.incidents) ran.incidents.insert(static_cast<int>(i.kind));
}

}  // namespace

Subject subject(const std::string& path, const manifest::BindOptions& bind) {
    diagnosis::Options options;
    options.reference = false;
    capture::Capture c;
    Subject s{diagnosis::make_experiment(manifest::bind(manifest::load(path), bind), options, c)};
    s.plain = s.executor.prepare(s.experiment.module, s.experiment.entry);
    return s;
}

diagnosis::Prepared prepared(const Subject& s) {
    return diagnosis::prepare_launch(
        s.experiment.problem, ptx::entry_of(s.experiment.module, s.experiment.entry)
    );
}

Ran run_plain(const Subject& s, int64_t end_block, const execution::RunOptions* recorded) {
    Ran ran;
    diagnosis::Prepared p = prepared(s);
    execution::RunOptions o = quiet();
    if (recorded != nullptr) o.record = true, o.recording = recorded->recording, o.arrays = recorded->arrays;
    for (int64_t b = 0; b < end_block; ++b) o.blocks.push_back(b);
    o.on_tile = [&](execution::TileSnapshot&& t) {
        Key key = key_of(t, *s.plain.listing, o.arrays);
        ran.tiles.emplace(std::move(key), std::move(t));
    };
    const execution::RunResult result = s.plain.run(p.launch, p.memory, o);
    add_incidents(ran, result);
    for (const capture::BlockRecord& record : result.records)
        for (const capture::Event& e : record.events) ran.events.push_back({record.block, e.time, e});
    ran.memory = std::move(p.memory);
    return ran;
}

Ran run_instrumented(const Subject& s, Plan plan, Control control) {
    diagnosis::Prepared p = prepared(s);
    plan.threads = static_cast<uint32_t>(count(p.launch.block));
    const Instrumented made = instrument(s.experiment.module, *s.plain.listing, plan);
    const ptx::Module module = ptx::parse(ptx::print(made.module));
    const execution::Executable executable = s.executor.prepare(module, s.experiment.entry);
    Ran ran;
    ran.notes = made.notes;
    if (control.part == 0) share_out(control, made.dumped, (plan.threads + 31) / 32);
    control.records =
        execution::allocate(p.memory, "records", std::vector<std::byte>(control.capacity, std::byte{0xff}));
    execution::allocate(p.memory, kControl, bytes_of(control));
    p.launch = launch_of(made, p.launch);
    const execution::RunResult result = executable.run(p.launch, p.memory, quiet());
    add_incidents(ran, result);
    std::memcpy(&control, execution::find_named(p.memory, kControl)->bytes.data(), sizeof control);
    ran.dropped = control.dropped;
    Dump dump = decode(
        execution::find_named(p.memory, "records")->bytes, control.records, *s.plain.listing, made.dumped
    );
    ran.incomplete = dump.incomplete;
    for (execution::TileSnapshot& t : dump.tiles) {
        Key key = key_of(t, *s.plain.listing, plan.arrays);
        ran.tiles.emplace(std::move(key), std::move(t));
    }
    ran.stages = std::move(dump.stages), ran.events = std::move(dump.events);
    ran.memory = std::move(p.memory);
    return ran;
}

Control all_blocks(uint64_t blocks, uint64_t capacity) {
    Control control;
    control.end_block = blocks, control.capacity = capacity;
    return control;
}

std::vector<execution::Array> arrays_of(const Subject& s) {
    return execution::arrays_of(
        s.experiment.module, *s.plain.listing, manifest::launch_of(s.experiment.problem).shared
    );
}

}  // namespace wl::gpu::test

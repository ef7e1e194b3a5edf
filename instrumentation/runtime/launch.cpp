// One launch: refused, left out because it would change nothing, or executed and judged.
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/global/late_accesses.h"
#include "instrumentation/emulator/observe/part_exited.h"
#include "instrumentation/runtime/carry.h"
#include "instrumentation/runtime/describe.h"
#include "instrumentation/runtime/failed.h"
#include "instrumentation/runtime/findings.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/meant_pointer.h"
#include "instrumentation/runtime/name_memory.h"
#include "instrumentation/runtime/record.h"
#include "instrumentation/runtime/residents.h"
#include "instrumentation/runtime/waits.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <span>

namespace wl::runtime {
namespace {

using execution::Incident;

struct Clock {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
double seconds(const Clock& clock) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock.start).count();
}

std::string shape_key(const Kernel& kernel, const Request& r) {
    return fmt::format(
        "{} {} {},{},{} {},{},{} {}",
        static_cast<const void*>(kernel.module),
        kernel.entry,
        r.grid.x,
        r.grid.y,
        r.grid.z,
        r.block.x,
        r.block.y,
        r.block.z,
        r.shared
    );
}

std::string exact_key(const std::string& shape, const Request& r) {
    return shape + " " + std::string(reinterpret_cast<const char*>(r.params.data()), r.params.size());
}

// Warp instructions of a block: programs have blocks that work for long, and what makes no progress at all is
// seen at once.
constexpr uint64_t kBudget = uint64_t{1} << 30;

diagnosis::Options options_of(const Machine& m) {
    diagnosis::Options o;
    const Settings& s = m.settings;
    o.threads = s.threads, o.races = s.races, o.uninitialised = s.uninitialised,
    o.budget = s.budget != 0 ? s.budget : kBudget, o.schedule_seed = s.schedule, o.reference = false,
    o.executor = m.executor, o.arch = "compute_80";
    return o;
}

Failure failure_of(const std::vector<Incident>& incidents) {
    for (const Incident& i : incidents) {
        if (i.kind == Incident::Kind::assertion) return Failure::assertion;
        if (i.kind == Incident::Kind::trap) return Failure::launch_failure;
        if (diagnosis::never_ends(i.kind)) return Failure::endless;
    }
    return Failure::none;
}

// What makes two launches of a kernel wrong in the same way.
std::string signature(const Kernel& kernel, const std::vector<Incident>& incidents) {
    std::string out = kernel.entry;
    for (const Incident& i : incidents)
        out += fmt::format(" {}:{}:{}", static_cast<int>(i.kind), i.first.site, i.second.site);
    return out;
}

bool is_recorded(const Machine& m, const Kernel& kernel, int number) {
    const std::string& wanted = m.settings.launch;
    const bool none = wanted.empty() || m.settings.record.empty() || m.settings.record == kDescribe;
    if (none || std::filesystem::exists(m.settings.record)) return false;
    if (wanted.find_first_not_of("0123456789") == std::string::npos) return wanted == std::to_string(number);
    return kernel.shown == wanted || kernel.shown.substr(0, kernel.shown.find('(')) == wanted;
}

// Somebody wants to know of this launch itself: it is executed at once, also where it would change nothing.
bool is_wanted(const Machine& m, const Kernel& kernel, int number) {
    return is_recorded(m, kernel, number) || is_described(m, kernel, number);
}

void write(const Machine& m, const capture::Capture& c, Launched& told) {
    told.findings = static_cast<int64_t>(c.findings.size());
    if (m.settings.folder.empty() || c.findings.empty()) return;
    const std::string name = fmt::format("launch-{}-{}.wlcap", process_id(), told.number);
    capture::write_capture(c, (std::filesystem::path(m.settings.folder) / name).string());
    told.capture = name;
}

struct Execution {
    Machine& m;
    Kernel& kernel;
    const Request& request;
    const execution::Executable& executable;
    execution::Launch launch;
    order::OperationPointer operation;
};

execution::RunOptions options_to_run(const Machine& m) {
    execution::RunOptions options = run_options(options_of(m), "run");
    options.marks = false;
    return options;
}

// Findings of what was run; those that a launch before showed are only counted.
void judge(
    const Execution& x,
    std::shared_ptr<const execution::GlobalMemory> before,
    execution::RunResult& result,
    const std::vector<order::Race>& races,
    Launched& told
) {
    Machine& m = x.m;
    name_memory(m.memory, x.request.params, result.incidents);
    const bool first = m.explained.insert(x.kernel.entry).second;
    const bool wanted = is_recorded(m, x.kernel, told.number);
    const bool is_clean = result.incidents.empty() && races.empty();
    if (!wanted && is_clean && (!first || !m.settings.uninitialised)) return;
    std::string key = signature(x.kernel, result.incidents);
    for (const order::Race& r : races) key += " " + key_of(m, r);
    if (const auto known = m.known.find(key); known != m.known.end() && !wanted) {
        if (known->second.number != 0)
            told.same_as = known->second.number, told.same_as_process = known->second.process;
        return;
    }
    const Asked asked{
        *x.kernel.module->parsed, x.kernel.entry, x.kernel.shown, told.number, x.launch, std::move(before)};
    const diagnosis::Experiment e = experiment_of(asked, options_of(m));
    capture::Capture c = wanted ? recorded(e, x.executable, result) : explained(e, x.executable, result);
    const Suspected suspected{x.executable, asked, result, options_to_run(m)};
    say_what_was_meant(suspected, m.meant, c.findings);
    for (capture::Finding& f : findings_of(m, races)) c.findings.push_back(std::move(f));
    c.verdict = analysis::verdict_of(c);
    write(m, c, told);
    if (!is_clean) m.known[key] = {c.findings.empty() ? 0 : told.number, process_id()};
    if (!wanted) return;
    if (launches::is_launch_file(m.settings.record))
        launches::write_launch(
            record_of(asked, m.memory.global, m.shapes[shape_key(x.kernel, x.request)], m.settings.command),
            m.settings.record
        );
    else
        capture::write_capture(c, m.settings.record);
    told.recorded = true;
}

// As memory is now. Of the last snapshot stays what nobody changed since, unless somebody keeps it.
std::shared_ptr<const execution::GlobalMemory> snapshot_of(Machine& m) {
    const bool fresh = m.snapshot == nullptr || m.snapshot.use_count() > 1 || m.memory.global.heap != nullptr;
    if (fresh)
        m.snapshot = std::make_shared<execution::GlobalMemory>(execution::copy_of(m.memory.global));
    else
        bring_up_to_date(*m.snapshot, m.snapshot_version, m.memory);
    m.snapshot_version = m.memory.version;
    return m.snapshot;
}

void note_written(DeviceMemory& memory, const std::optional<execution::Reached>& reached) {
    if (!reached) return note_change_somewhere(memory);
    for (const uint64_t base : reached->written) note_change(memory, base);
}

void note_idle(
    Repeats& repeats,
    const DeviceMemory& memory,
    const std::optional<execution::Reached>& reached,
    bool changed
) {
    if (changed && (!reached || !reached->repeatable)) return;
    repeats.idle_at = memory.version;
    repeats.reached.reset();
    if (!reached) return;
    repeats.reached = reached->read;
    repeats.reached->insert(repeats.reached->end(), reached->written.begin(), reached->written.end());
}

Failure execute(const Execution& x, Repeats& repeats, Launched& told) {
    Machine& m = x.m;
    const bool again = repeats.count > 1;
    drop_flags(m.memory);
    const std::shared_ptr<const execution::GlobalMemory> before = snapshot_of(m);
    execution::RunOptions options = options_to_run(m);
    options.before = before.get();
    options.touched = x.operation != nullptr;
    emulator::AccessKeeper accesses;
    execution::RunResult result = x.executable.run(x.launch, m.memory.global, options);
    emulator::drop_part_exited(result.incidents);  // no source tells whether they returned
    place_new_variables(m);
    const bool quiet = result.printed.empty() && result.incidents.empty() && m.memory.global.heap == nullptr;
    const bool changed = !again || is_changed(*before, m.memory, result.reached);
    if (changed) note_written(m.memory, result.reached);
    repeats.calm = quiet;
    if (quiet) note_idle(repeats, m.memory, result.reached, changed);
    std::optional<std::vector<uint64_t>> written;
    if (result.reached) written = result.reached->written;
    carry_out(m.memory, written);
    for (const execution::Printed& p : result.printed) m.printed += p.text;
    told.seconds = result.seconds;
    const Failure failure = failure_of(result.incidents);
    told.instructions = result.warp_instructions;
    told.said = taken_for_wait_of_others(
        m, *x.executable.listing, *x.kernel.module->parsed, *before, result.incidents
    );
    if (!told.said.empty()) told.state = "unsupported";
    judge(x, before, result, compare_launch(m, x.operation, {result, accesses.last}, repeats), told);
    if (is_described(m, x.kernel, told.number))
        describe(
            m,
            x.kernel,
            {*x.kernel.module->parsed, x.kernel.entry, x.kernel.shown, told.number, x.launch, before},
            result
        );
    return failure;
}

Launched described(const Kernel& kernel, const Request& request, int number) {
    Launched told;
    told.number = number, told.kernel = kernel.shown, told.grid = request.grid, told.block = request.block,
    told.shared = request.shared;
    return told;
}

void tell(Machine& m, Launched told) {
    Event event;
    event.kind = Event::Kind::launch, event.launched = std::move(told);
    tell(m.settings, event);
}

Failure launch_now(
    Machine& m, Kernel& kernel, const Request& request, int number, const order::OperationPointer& operation
) {
    if (m.sticky_error != Failure::none) return m.sticky_error;
    Launched told = described(kernel, request, number);
    const auto leave = [&](const char* state, std::string said, Failure failure) {
        told.state = state, told.said = std::move(said);
        tell(m, std::move(told));
        return failure;
    };
    try {
        const ptx::Function& entry = ptx::entry_of(parsed(*kernel.module, m.modules), kernel.entry);
        const execution::Executable& executable = ready(*kernel.module, kernel.entry, m.executor);
        if (Refusal r = refused(kernel, entry, executable.static_shared, request);
            r.failure != Failure::none) {
            if (operation != nullptr) note_failed_launch(m, kernel, *operation, request.params, r.said);
            return leave("refused", std::move(r.said), r.failure);
        }
        const std::string shape = shape_key(kernel, request);
        const uint64_t of_shape = ++m.shapes[shape];
        place_variables(m, *kernel.module, kernel.entry);
        carry_in(m.memory);
        Repeats& repeats = m.repeats[exact_key(shape, request)];
        ++repeats.count;
        const bool wanted = is_wanted(m, kernel, number);
        if (!wanted && is_idle(repeats, m.memory)) {
            report(m, compare(m, operation, repeats.touched, repeats.fences));
            return leave("repeated", "", Failure::none);
        }
        if (!wanted && m.settings.first > 0 && of_shape > static_cast<uint64_t>(m.settings.first))
            return leave("left out", "", Failure::none);
        const Execution x{
            m,
            kernel,
            request,
            executable,
            {.grid = request.grid,
              .block = request.block,
              .dynamic_shared = static_cast<uint32_t>(request.shared),
              .params = request.params,
              .stack_bytes = m.stack_bytes,
              .cooperative = request.cooperative,
              .programmatic = request.programmatic},
            operation
        };
        told.state = "begun";
        tell(m, told);
        told.state = "run";
        const Clock clock;
        const Failure failure = execute(x, repeats, told);
        told.seconds = seconds(clock);
        m.sticky_error = failure;
        tell(m, std::move(told));
        return failure;
    } catch (const Unsupported& u) {
        return leave("unsupported", u.what(), Failure::unsupported);
    } catch (const std::exception& e) { return leave("unsupported", e.what(), Failure::invalid_kernel); }
}

}  // namespace

bool is_idle(const Repeats& repeats, const DeviceMemory& memory) {
    if (!repeats.reached) return repeats.idle_at == memory.version;
    return is_as_at(memory, repeats.idle_at, *repeats.reached);
}

Refusal refused_shape(Machine& m, Kernel& kernel, const Request& request) {
    const ptx::Function& entry = ptx::entry_of(parsed(*kernel.module, m.modules), kernel.entry);
    return refused(kernel, entry, ready(*kernel.module, kernel.entry, m.executor).static_shared, request);
}

std::optional<std::vector<std::byte>> params_from(Machine& m, Kernel& kernel, void** args) {
    const ptx::Function* entry = ptx::find_entry(parsed(*kernel.module, m.modules), kernel.entry);
    if (entry == nullptr) throw Error("the program's PTX has no kernel " + kernel.shown);
    std::vector<std::byte> out(param_bytes(*entry));
    const std::vector<ParamPlace> places = params_of(*entry);
    std::vector<const void*> from(places.size());
    if (!read_host(from.data(), args, from.size() * sizeof from[0])) return std::nullopt;
    for (size_t k = 0; k < places.size(); ++k)
        if (!read_host(out.data() + places[k].offset, from[k], places[k].bytes)) return std::nullopt;
    return out;
}

namespace {

// So many blocks of it fit on the device at once; nothing: it cannot be made ready.
std::optional<uint64_t> blocks_at_once(Machine& m, Kernel& kernel, const Request& r) {
    try {
        parsed(*kernel.module, m.modules);
        const uint64_t own = ready(*kernel.module, kernel.entry, m.executor).static_shared;
        return emulator::resident_blocks(r.block, static_cast<uint32_t>(own + r.shared));
    } catch (const std::exception&) { return std::nullopt; }  // launch_now says why
}

// Where it may wait for work that comes later, it is resident: other work goes on before it has ended.
Failure begin_launch(
    Machine& m, Kernel& kernel, const Request& request, int number, const order::OperationPointer& operation
) {
    if (operation == nullptr || !has_company(m)) return launch_now(m, kernel, request, number, operation);
    const std::optional<uint64_t> most = blocks_at_once(m, kernel, request);
    if (!most || !may_poll(*kernel.module->ready.at(kernel.entry).listing)) {
        const Failure failure = launch_now(m, kernel, request, number, operation);
        go_on(m, {});
        return failure;
    }
    const auto result = std::make_shared<Failure>(Failure::none);
    const auto work = [&m, &kernel, request, number, operation, result] {
        *result = launch_now(m, kernel, request, number, operation);
    };
    begin_resident(m, {operation, count(request.grid), *most, work});
    return *result;
}

}  // namespace

Failure launch(Machine& m, Kernel& kernel, const Request& request) {
    if (m.sticky_error != Failure::none) return m.sticky_error;
    const int number = ++m.launches;
    note_addresses(m.memory, request.params);
    if (request.programmatic)
        catch_up(m);  // whether it may begin early is known once the one before was executed
    const order::OperationPointer operation = issue(m, &kernel, number, request.programmatic);
    if (operation != nullptr && holds_back(m)) {
        const auto work = [&m, &kernel, request, number, operation] {
            begin_launch(m, kernel, request, number, operation);
        };
        hold(m, operation, work, blocks_at_once(m, kernel, request).value_or(UINT64_MAX));
        return Failure::none;
    }
    const auto known = m.repeats.find(exact_key(shape_key(kernel, request), request));
    if (known != m.repeats.end() && !is_wanted(m, kernel, number) && can_wait(m, kernel, known->second)) {
        Launched told = described(kernel, request, number);
        told.state = "unread";
        tell(m, std::move(told));
        defer(m, [&m, &kernel, request, number, operation] {
            launch_now(m, kernel, request, number, operation);
        });
        return Failure::none;
    }
    catch_up(m);
    return begin_launch(m, kernel, request, number, operation);
}

}  // namespace wl::runtime

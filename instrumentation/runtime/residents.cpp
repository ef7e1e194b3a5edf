#include "instrumentation/runtime/residents.h"

#include "instrumentation/capture/capture.h"
#include "instrumentation/emulator/schedule/others.h"
#include "instrumentation/runtime/carry.h"
#include "instrumentation/runtime/machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace wl::runtime {

// Guards the states; all else belongs to whose turn it is.
struct Residents {
    struct Resident {
        enum class State : uint8_t { waits, runs, ended };
        ResidentLaunch launch;
        State state = State::waits;
        bool has_waited = false;  // what it changed since is not noted by its end alone
        bool given_up = false;
        std::string why;
        std::thread thread;
    };
    std::mutex lock;
    std::condition_variable changed;
    std::vector<std::shared_ptr<Resident>> all;
};

namespace {

using Resident = Residents::Resident;

using State = Resident::State;
using Launches = std::vector<std::shared_ptr<Resident>>;

thread_local const Resident* own = nullptr;

Residents& residents_of(Machine& m) {
    if (m.ordering.residents == nullptr) m.ordering.residents = std::make_shared<Residents>();
    return *m.ordering.residents;
}

double share_of(const ResidentLaunch& l) {
    return static_cast<double>(std::min(l.blocks, l.most_blocks)) / static_cast<double>(l.most_blocks);
}

double room_left(const Machine& m) {
    double left = 1;
    if (m.ordering.residents != nullptr)
        for (const auto& r : m.ordering.residents->all) left -= share_of(r->launch);
    return std::max(left, 0.0);
}

void live(Residents& rs, Resident& r, uint64_t most_blocks, const Issuing& issued) {
    issuing() = issued;
    own = &r;
    emulator::Others others([&rs, &r] {
        std::unique_lock lock(rs.lock);
        if (r.given_up) return false;
        r.state = State::waits;
        rs.changed.notify_all();
        rs.changed.wait(lock, [&r] { return r.state == State::runs; });
        return !r.given_up;
    });
    others.most_blocks = most_blocks;
    {
        std::unique_lock lock(rs.lock);
        rs.changed.wait(lock, [&r] { return r.state == State::runs; });
    }
    r.launch.work();
    const std::scoped_lock lock(rs.lock);
    r.state = State::ended;
    rs.changed.notify_all();
}

// Its turn: it ends, or waits.
void run(Machine& m, const std::shared_ptr<Resident>& r) {
    Residents& rs = *m.ordering.residents;
    carry_in(m.memory);
    const std::optional<Contents> before =
        r->has_waited ? std::optional(contents_outside(m.memory)) : std::nullopt;
    {
        std::unique_lock lock(rs.lock);
        r->state = State::runs;
        rs.changed.notify_all();
        rs.changed.wait(lock, [&r] { return r->state != State::runs; });
    }
    r->has_waited = r->has_waited || r->state == State::waits;
    if (r->has_waited) note_change_somewhere(m.memory);
    if (before)
        carry_out(m.memory, changed_since(m.memory, *before));
    else if (r->state == State::waits)  // else its end has done so
        carry_out(m.memory);
    if (r->state != State::ended) return;
    r->thread.join();
    std::erase(rs.all, r);
}

uint64_t hash_of(const Machine& m) {
    uint64_t out = 0;
    for (const execution::Allocation& a : m.memory.global.allocations)
        out = out * 31 + capture::content_hash(a.bytes);
    return out;
}

Launches among(const Machine& m, const order::Clock& until) {
    Launches out;
    if (m.ordering.residents == nullptr) return out;
    for (const auto& r : m.ordering.residents->all)
        if (order::holds(until, r->launch.operation->at)) out.push_back(r);
    return out;
}

}  // namespace

bool may_poll(const execution::Listing& listing) {
    constexpr std::array<const char*, 6> kParts{
        "atom.", "ld.volatile", ".acquire", ".relaxed", "ld.mmio", ".acq_rel"};
    return std::any_of(listing.sites.begin(), listing.sites.end(), [&](const capture::Site& s) {
        return std::any_of(kParts.begin(), kParts.end(), [&](const char* part) {
            return s.text.find(part) != std::string::npos;
        });
    });
}

bool has_company(const Machine& m) {
    return is_followed(m) && (m.ordering.timelines.streams.size() > 1 || m.memory.host_is_reached);
}

bool has_room(const Machine& m, uint64_t most_blocks) {
    return room_left(m) * static_cast<double>(most_blocks) >= 1;
}

void begin_resident(Machine& m, ResidentLaunch launch) {
    Residents& rs = residents_of(m);
    const auto most =
        static_cast<uint64_t>(std::floor(room_left(m) * static_cast<double>(launch.most_blocks)));
    const auto made = std::make_shared<Resident>();
    made->launch = std::move(launch);
    rs.all.push_back(made);
    made->thread = std::thread(live, std::ref(rs), std::ref(*made), std::max<uint64_t>(most, 1), issuing());
    run(m, made);
    if (rs.all.size() > 1) go_on(m, {});
}

bool has_residents(const Machine& m) {
    return m.ordering.residents != nullptr && !m.ordering.residents->all.empty();
}

order::Clock resident_clock(const Machine& m, const order::Operation& but) {
    order::Clock out;
    for (const auto& r : m.ordering.residents->all) {
        const order::Operation& o = *r->launch.operation;
        if (o.at == but.at) continue;
        order::join(out, o.before);
        order::add(out, o.at);
    }
    return out;
}

bool is_behind_resident(const Machine& m, const order::Operation& operation) {
    return !among(m, operation.before).empty();
}

bool is_resident(const Machine& m, const order::Clock& until) { return !among(m, until).empty(); }

bool go_on(Machine& m, const order::Clock& until) {
    while (has_residents(m)) {
        const uint64_t before = hash_of(m);
        const Launches round = m.ordering.residents->all;
        for (const auto& r : round) run(m, r);
        const bool ended = m.ordering.residents->all.size() < round.size();
        if (!ended && hash_of(m) == before) break;
    }
    return among(m, until).empty();
}

void give_up(Machine& m, const order::Clock& until, const std::string& why) {
    for (const auto& r : among(m, until)) {
        r->given_up = true, r->why = why;
        run(m, r);
    }
}

void end_residents(Machine& m, const std::string& why) {
    if (!has_residents(m) || own != nullptr) return;
    order::Clock all;
    for (const auto& r : m.ordering.residents->all) order::add(all, r->launch.operation->at);
    if (!go_on(m, all)) give_up(m, all, why);
}

bool is_given_up(std::string& why) {
    if (own == nullptr || !own->given_up) return false;
    why = own->why;
    return true;
}

}  // namespace wl::runtime

// Events as lines of JSON, appended in one write each.
#include "instrumentation/runtime/report.h"

#include "instrumentation/base/output/json_text.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace wl::runtime {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 9> kKinds{
    "launch", "started", "unsupported", "error", "note", "plain", "order", "copied", "ended"};

bool is_launch(const Event& e) { return e.kind == Event::Kind::launch || e.kind == Event::Kind::order; }

std::string path_in(const std::string& folder) {
    return (std::filesystem::path(folder) / "report.jsonl").string();
}

json extent(Dim3 d) { return {d.x, d.y, d.z}; }
Dim3 extent_of(const json& j) {
    return {j.at(0).get<uint32_t>(), j.at(1).get<uint32_t>(), j.at(2).get<uint32_t>()};
}

json json_of(const Launched& l) {
    return {
        {"number",          l.number         },
        {"kernel",          l.kernel         },
        {"grid",            extent(l.grid)   },
        {"block",           extent(l.block)  },
        {"shared",          l.shared         },
        {"state",           l.state          },
        {"said",            l.said           },
        {"seconds",         l.seconds        },
        {"instructions",    l.instructions   },
        {"findings",        l.findings       },
        {"capture",         l.capture        },
        {"same_as",         l.same_as        },
        {"same_as_process", l.same_as_process},
        {"recorded",        l.recorded       }
    };
}

Launched launched_of(const json& j) {
    Launched l;
    l.number = j.at("number"), l.kernel = j.at("kernel"), l.grid = extent_of(j.at("grid")),
    l.block = extent_of(j.at("block")), l.shared = j.at("shared"), l.state = j.at("state"),
    l.said = j.at("said"), l.seconds = j.at("seconds"), l.instructions = j.value("instructions", uint64_t{0}),
    l.findings = j.at("findings"), l.capture = j.at("capture"), l.same_as = j.at("same_as"),
    l.same_as_process = j.at("same_as_process"), l.recorded = j.at("recorded");
    return l;
}

std::string dumped(const json& j) { return json_text(j, -1); }

}  // namespace

int64_t process_id() { return getpid(); }

std::string settings_text(const Settings& s) {
    return dumped({
        {"folder",        s.folder       },
        {"races",         s.races        },
        {"uninitialised", s.uninitialised},
        {"budget",        s.budget       },
        {"schedule",      s.schedule     },
        {"threads",       s.threads      },
        {"first",         s.first        },
        {"hold",          s.hold         },
        {"launch",        s.launch       },
        {"record",        s.record       },
        {"command",       s.command      }
    });
}

Settings settings_of(const std::string& text) {
    const json j = json::parse(text, nullptr, false);
    Settings s;
    if (!j.is_object()) return s;
    s.folder = j.value("folder", s.folder), s.races = j.value("races", s.races),
    s.uninitialised = j.value("uninitialised", s.uninitialised), s.budget = j.value("budget", s.budget),
    s.schedule = j.value("schedule", s.schedule), s.threads = j.value("threads", s.threads),
    s.first = j.value("first", s.first), s.hold = j.value("hold", s.hold),
    s.launch = j.value("launch", s.launch), s.record = j.value("record", s.record),
    s.command = j.value("command", s.command);
    return s;
}

void tell(const Settings& settings, const Event& event) {
    if (settings.folder.empty()) return;
    json j{
        {"event",   kKinds[static_cast<size_t>(event.kind)]},
        {"process", process_id()                           }
    };
    if (is_launch(event))
        j["launch"] = json_of(event.launched);
    else
        j["text"] = event.text;
    if (!event.place.empty()) j["place"] = event.place;
    const std::string line = dumped(j) + "\n";
    const int file = open(path_in(settings.folder).c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;  // whoever listened is gone
    [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
    close(file);
}

std::vector<Event> read_report(const std::string& folder) {
    std::vector<Event> out;
    std::ifstream lines(path_in(folder));
    for (std::string line; std::getline(lines, line);) {
        const json j = json::parse(line, nullptr, false);
        if (!j.is_object()) continue;
        Event event;
        const std::string kind = j.at("event");
        for (size_t k = 0; k < kKinds.size(); ++k)
            if (kind == kKinds[k]) event.kind = static_cast<Event::Kind>(k);
        event.process = j.at("process");
        event.text = j.value("text", "");
        event.place = j.value("place", "");
        if (is_launch(event))
            event.launched = launched_of(j.at("launch")), event.launched.process = event.process;
        out.push_back(std::move(event));
    }
    return out;
}

}  // namespace wl::runtime

"""clang-tidy over our own sources, in parallel; skips a file whose inputs were found clean before, in any clone.

Most of its time went into reading the same headers again for every file. They are modules of clang's here, read once
for each set of flags (build/release/lint/modules) and then loaded.
"""

import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDERS = ("app", "bench", "fuzz", "instrumentation", "shim", "tests")
# Of code generation, which nothing here looks at: without them files share their modules.
CODE_ONLY = ("-fPIC", "-fPIE", "-fno-tree-loop-distribute-patterns")
# What other people's headers look at; all of our own macros, WL_*, are left out of what tells modules apart.
MACROS = ("-DFMT_SHARED", "-DGTEST_HAS_PTHREAD=1", "-DTOML_HEADER_ONLY=0", "-DTOML_SHARED_LIB=1")
# Read by many of our files and long. <cassert> and imgui.h are not among them: they ask for macros when included.
HEADERS = """
    algorithm array atomic bit cctype cerrno charconv chrono climits cmath csignal cstddef cstdint cstdio cstdlib
    cstring ctime deque exception filesystem fstream functional future initializer_list iostream iterator limits map
    memory mutex new numbers numeric optional random regex set span sstream stdexcept string string_view system_error
    thread tuple type_traits unordered_map unordered_set utility variant vector
    CLI/CLI.hpp fmt/format.h gtest/gtest.h nlohmann/json.hpp
""".split()


def dependencies(build):
    """What ninja learned from the compiler: object file -> all that it was made of."""
    table, current = {}, None
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        if line.startswith("    "):
            table[current].append(line.strip())
        elif ":" in line:
            current = line.split(":")[0]
            table[current] = []
    return table


def own_headers(build, paths):
    resolved = {(build / path).resolve() for path in paths if not path.startswith("/usr/")}
    return [path for path in resolved if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / ".env")]


def write_modules(folder, table):
    """HEADERS, each where the compiler found it; of several of a name (experimental/) the shortest path."""
    found = {path for paths in table.values() for path in paths if path.startswith("/usr/")}
    modules = {}
    for name in HEADERS:
        place = min((path for path in found if path.endswith("/" + name)), key=len, default=None)
        if place:
            modules.setdefault(name.split("/")[0] if "/" in name else "standard", []).append(f'  header "{place}"')
    lines = []
    for name, places in modules.items():
        lines += [f"module {name} [system] {{", *places, "  export *", "}"]
    (folder / "module.modulemap").write_text("\n".join(lines) + "\n")


def lint_command(folder, command):
    """The words of a compilation as clang-tidy gets them."""
    compiler, *words = shlex.split(command)
    kept = [word for word in words if not word.startswith("-O") and word not in CODE_ONLY + MACROS]
    own = [word[2:].split("=")[0] for word in kept if word.startswith("-D") and word != "-DNDEBUG"]
    module = ["-fmodules", "-fno-implicit-module-maps", f"-fmodule-map-file={folder}/module.modulemap"]
    module += [f"-fmodules-cache-path={folder}/modules", *(f"-fmodules-ignore-macro={name}" for name in own)]
    return [compiler, *module, *MACROS, *kept]


def compilations(build):
    """File -> its entries for clang-tidy, which goes through all entries of a file: one for each set of flags that
    its targets have. `output` is the object file, as ninja names it."""
    files = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if pathlib.Path(entry["file"]).relative_to(ROOT).parts[0] not in FOLDERS:
            continue
        words = lint_command(build / "lint", entry.pop("command"))
        at = words.index("-o")
        entry["output"] = words[at + 1]
        entry["arguments"] = words[:at] + words[at + 2 :]
        others = files.setdefault(entry["file"], [])
        if all(entry["arguments"] != other["arguments"] for other in others):
            others.append(entry)
    return files


def of_modules(word):
    return word.startswith("-fmodule") or word == "-fno-implicit-module-maps"


def write_commands(folder, files):
    entries = sum(files.values(), [])
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    plain = [entry | {"arguments": [w for w in entry["arguments"] if not of_modules(w)]} for entry in entries]
    (folder / "plain" / "compile_commands.json").write_text(json.dumps(plain))


def key_of(file, entries, headers):
    digest = hashlib.sha256(VERSION)
    for entry in entries:
        digest.update(" ".join(entry["arguments"]).replace(str(ROOT), "").encode())
    configs = [folder / ".clang-tidy" for folder in file.parents if folder == ROOT or ROOT in folder.parents]
    for path in [file, *sorted(headers), *filter(pathlib.Path.exists, configs)]:
        digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()


def lint(build, file, key):
    name = file.relative_to(ROOT)
    stamp = CACHE / key
    if stamp.exists():
        return name, "unchanged", ""
    for commands in ("lint", "lint/plain"):  # again with its headers read as they are: a module may be at fault
        command = ["clang-tidy", "--quiet", "-p", build / commands, file]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode == 0:
            CACHE.mkdir(parents=True, exist_ok=True)
            stamp.touch()
            return name, "clean", ""
    return name, "failed", result.stdout + result.stderr


def main(build, only):
    files = compilations(build)
    if only:
        wanted = {str(pathlib.Path(path).resolve()) for path in only}
        files = {file: entries for file, entries in files.items() if file in wanted}
    table = dependencies(build)
    (build / "lint" / "plain").mkdir(parents=True, exist_ok=True)
    write_modules(build / "lint", table)
    write_commands(build / "lint", files)
    counts = {"clean": 0, "unchanged": 0, "failed": 0}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for file, entries in files.items():
            headers = {path for entry in entries for path in own_headers(build, table.get(entry["output"], []))}
            path = pathlib.Path(file)
            jobs.append(pool.submit(lint, build, path, key_of(path, entries, headers)))
        for job in jobs:
            name, outcome, text = job.result()
            counts[outcome] += 1
            if outcome != "unchanged":
                print(f"lint: {name}: {outcome}", flush=True)
            if text:
                print(text, flush=True)
    print(f"lint: {counts['clean']} clean, {counts['unchanged']} unchanged since clean, {counts['failed']} failed")
    if not files:
        sys.exit("lint: no source file to check")
    sys.exit(1 if counts["failed"] else 0)


ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "warplens" / "lint"
VERSION = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])

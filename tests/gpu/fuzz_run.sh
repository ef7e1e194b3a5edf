#!/usr/bin/env bash
# A million mutants under AddressSanitizer and UBSan, on a machine with many cores that need not have our compiler or
# libraries: `mutants` is built there in a root that tests/gpu/fuzz_pack.sh packed.
# usage: tests/gpu/fuzz_run.sh PACK OUT COMMIT [SECONDS [SHARE]]     from the repository's root, as root
# OUT gets fuzz.json (the record), jobs.txt (a line a job), findings.tar.gz and build.log. SECONDS: the whole may take;
# SHARE: of the million, in percent.
set -uo pipefail
begin=$(date +%s)
pack="$(cd "$1" && pwd)"
mkdir -p "$2"
out="$(cd "$2" && pwd)"
commit="$3"
end=$((begin + ${4:-570}))
share=${5:-100}
cores=$(nproc)
root=/tmp/fuzz-root

mkdir -p "$root"
for part in "$pack"/*.tar.xz; do tar -xJf "$part" -C "$root"; done
work="$(cat "$root/where")" # the folder that the pack's build.ninja was made for
mkdir -p "$work"
[ "$PWD" = "$work" ] || cp -a . "$work/"
cp -a "$root$work/." "$work/"
tar -xzf "$pack/asan.tar.gz" -C "$work"
mount --bind "$work" "$root$work"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/bin HOME=/tmp LC_ALL=C bash -c "cd $work && $1"; }

find "$work/build/asan" -name '*.ninja' -exec touch {} +
in_root "ninja -C build/asan -j $cores mutants" >"$out/build.log" 2>&1 || { tail -n 40 "$out/build.log"; exit 1; }
built=$(date +%s)
echo "built in $((built - begin)) s"

# KIND FIRST COUNT: the dearest kinds first, so that all cores end together.
jobs() {
    local kind count size first
    while read -r kind count size; do
        for ((first = 0; first < count * share / 100; first += size)); do echo "$kind $((1000000 + first)) $size"; done
    done <<'END'
captures 60000 1000
launches 60000 1000
manifests 440000 10000
ptx 440000 10000
END
}
jobs >"$work/build/jobs"
# Address space randomisation of 32 bits is more than this sanitizer's shadow takes: setarch -R.
in_root "mkdir -p /tmp/findings && xargs -P $cores -L 1 setarch -R bash -c '
    left=\$(($end - 20 - \$(date +%s)))
    [ \$left -gt 0 ] || exit 0
    timeout \$((left + 30)) build/asan/fuzz/mutants \$0 --first \$1 --count \$2 --seconds \$left --findings /tmp/findings' <build/jobs" \
    >"$out/jobs.txt" 2>"$out/problems.txt"
head -c 200000 "$out/problems.txt" >"$out/problems.head" && mv "$out/problems.head" "$out/problems.txt"
tar -czf "$out/findings.tar.gz" -C "$root/tmp" findings
python3 - "$out" "$commit" "$cores" "$((built - begin))" <<'END'
import json, subprocess, sys, time
out, commit, cores, built = sys.argv[1:]
kinds = {}
for line in open(out + "/jobs.txt"):
    if not line.startswith("{"):
        continue
    job = json.loads(line)
    kind = kinds.setdefault(job["kind"], {k: 0 for k in ("tried", "accepted", "refused", "crashes", "hangs", "wrong", "seconds", "slowest")})
    for key in kind:
        kind[key] = max(kind[key], job[key]) if key == "slowest" else round(kind[key] + job[key], 2)
device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
record = {"device": "host of " + device, "cores": int(cores), "date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit,
          "command": "bash tests/gpu/fuzz_run.sh PACK OUT " + commit, "sanitizers": "g++ 12, ASan and UBSan, -O1, _GLIBCXX_ASSERTIONS",
          "build_seconds": int(built), "kinds": kinds,
          "all": {k: sum(kind[k] for kind in kinds.values()) for k in ("tried", "accepted", "refused", "crashes", "hangs", "wrong")}}
json.dump(record, open(out + "/fuzz.json", "w"), indent=1)
print(json.dumps(record))
END
sort "$out/problems.txt" | cut -c1-150 | head -n 40
echo "$(($(date +%s) - begin)) s in all"

#!/usr/bin/env bash
# A million mutants under AddressSanitizer and UBSan, on a machine with many cores that has nothing of ours.
# usage: tests/gpu/fuzz_run.sh PACK OUT COMMIT [SECONDS [SHARE]]     as root; PACK: of tests/gpu/fuzz_pack.sh
# OUT gets fuzz.json (the record), jobs.txt (a line a job), problems.txt and findings.tar.gz. SECONDS: the whole may take;
# SHARE: of the million, in percent.
set -uo pipefail
begin=$(date +%s)
mkdir -p "$2"
out="$(cd "$2" && pwd)"
commit="$3"
end=$((begin + ${4:-570}))
share=${5:-100}
cores=$(nproc)
root=/tmp/fuzz-root

mkdir -p "$root"
tar -xJf "$1/root.tar.xz" -C "$root"
xz -dc "$1/mutants.xz" >"$root/mutants"
chmod +x "$root/mutants"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
echo "unpacked in $(($(date +%s) - begin)) s, $cores cores"

# KIND FIRST COUNT: kinds in turn, the dearest first, so that all cores end together.
jobs() {
    local kind count size first
    while read -r kind count size; do
        for ((first = 0; first < count * share / 100; first += size)); do echo "$kind $((1000000 + first)) $size"; done
    done <<'END'
captures 25000 250
launches 35000 500
ptx 440000 4000
manifests 500000 4000
END
}
jobs >"$root/tmp/jobs"
# Address space randomisation of 32 bits is more than this sanitizer's shadow takes: setarch -R.
chroot "$root" /usr/bin/env -i PATH=/usr/bin HOME=/tmp LC_ALL=C bash -c "mkdir -p /tmp/findings && xargs -P $cores -L 1 setarch -R bash -c '
    left=\$(($end - 10 - \$(date +%s)))
    [ \$left -gt 0 ] || exit 0
    timeout \$((left + 8)) /mutants \$0 --first \$1 --count \$2 --seconds \$left --findings /tmp/findings' </tmp/jobs" \
    >"$out/jobs.txt" 2>"$out/problems.txt"
head -c 200000 "$out/problems.txt" >"$out/problems.head" && mv "$out/problems.head" "$out/problems.txt"
tar -czf "$out/findings.tar.gz" -C "$root/tmp" findings
python3 - "$out" "$commit" "$cores" <<'END'
import json, subprocess, sys, time
out, commit, cores = sys.argv[1:]
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
          "kinds": kinds,
          "all": {k: sum(kind[k] for kind in kinds.values()) for k in ("tried", "accepted", "refused", "crashes", "hangs", "wrong")}}
json.dump(record, open(out + "/fuzz.json", "w"), indent=1)
print(json.dumps(record))
END
sort "$out/problems.txt" | cut -c1-150 | head -n 40
echo "$(($(date +%s) - begin)) s in all"

#!/usr/bin/env bash
# Packs `mutants`, built under sanitizers, with the libraries, programs and seeds that it needs, as a root to chroot into: for
# tests/gpu/fuzz_run.sh, on a machine that has nothing of ours.
# usage: tests/gpu/fuzz_pack.sh PACK     from the root of a repository, after cmake --preset asan; cmake --build --preset asan -t mutants
set -euo pipefail
repository="$PWD"
mkdir -p "$1"
pack="$(cd "$1" && pwd)"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT

# with_libraries FILE...: by the same paths, links followed.
with_libraries() {
    local file
    for file in "$@" $(for f in "$@"; do ldd "$f" | grep -o '/[^ ]*'; done | sort -u); do
        mkdir -p "$root$(dirname "$file")"
        cp -nL "$file" "$root$file"
    done
}
mkdir -p "$root"/{tmp,proc,dev,usr/bin}
ln -s usr/bin "$root/bin"
programs=(bash env cat ls mkdir rm cp mv true sleep setarch xargs timeout nproc date)
with_libraries "${programs[@]/#//usr/bin/}" "$repository/build/asan/fuzz/mutants"
find "$root" -type f -exec strip --strip-all {} + 2>/dev/null || true
xz -T0 -6 -c "$root$repository/build/asan/fuzz/mutants" >"$pack/mutants.xz"
rm "$root$repository/build/asan/fuzz/mutants"
for part in fuzz/seeds instrumentation/probe; do
    mkdir -p "$root$repository/$(dirname "$part")"
    cp -r "$repository/$part" "$root$repository/$part"
done
tar -C "$root" -cf - . | xz -T0 -6 >"$pack/root.tar.xz"
ls -l "$pack"

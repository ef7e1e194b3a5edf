#!/usr/bin/env bash
# The test suite under AddressSanitizer and UBSan (PRESET asan), or its tests with threads under ThreadSanitizer (tsan), on a
# machine with many cores: built inside ROOT (g++, headers and libraries of Debian 12; the file ROOT/where names the folder in
# it that holds the repository and its configured build/PRESET), run by the machine's own CUDA compiler and Python.
# usage: tests/gpu/sanitize_run.sh ROOT OUT SECONDS PRESET [-R PATTERN]     as root
# TARGETS: what is built; all of it, if not set. OUT gets PRESET-build.log, PRESET.log (what tests that failed printed) and PRESET.txt (their names).
set -uo pipefail
root="$1" out="$2" end=$(($(date +%s) + $3)) preset="$4"
shift 4
cores=$(nproc)
work="$(cat "$root/where")"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/bin LC_ALL=C bash -c "cd $work && $1"; }

find "$root$work/build/$preset" -name '*.ninja' -exec touch {} +
in_root "ninja -C build/$preset -k 0 -j $((cores + 4)) ${TARGETS:-all mutants}" >"$out/$preset-build.log" 2>&1
echo "$preset: built in $SECONDS s, $(grep -c '^FAILED' "$out/$preset-build.log") steps failed, $cores cores"
grep -A3 '^FAILED' "$out/$preset-build.log" | cut -c1-300 | head -n 20

[ -e "$work" ] || { mkdir -p "$(dirname "$work")" && ln -s "$root$work" "$work"; }
# Libraries of the root that the machine lacks. The loader's cache names them: programs of the machine keep their own.
libraries="$root/suite"
mkdir -p "$libraries"
known="$(ldconfig -p)"
for library in "$root"/usr/lib/x86_64-linux-gnu/*.so.*; do
    grep -q "^[[:space:]]*$(basename "$library") " <<<"$known" || cp -Lf "$library" "$libraries/"
done
echo "$libraries" >/etc/ld.so.conf.d/suite.conf && ldconfig
preload=""
[ "$preset" = asan ] || preload="$root/usr/lib/x86_64-linux-gnu/libtsan.so.2"
export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1" UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="halt_on_error=1:ignore_noninstrumented_modules=1:suppressions=$work/tests/sanitizers/thread.supp"
begin=$SECONDS
(cd "$work" && timeout $((end - $(date +%s))) setarch -R env ${preload:+LD_PRELOAD="$preload"} \
    ctest --test-dir "build/$preset" -j "$cores" --timeout 250 \
    --output-on-failure -E '^(Limits|Layers|format)' "$@") >"$out/$preset.log" 2>&1
sed -n '/The following tests FAILED/,$p' "$out/$preset.log" >"$out/$preset.txt"
echo "$preset: ran $((SECONDS - begin)) s; $(grep -cE ' Passed ' "$out/$preset.log") passed, $(grep -cE 'Skipped ' "$out/$preset.log") skipped, \
$(grep -cE '\*\*\*(Failed|Timeout|Exception)' "$out/$preset.log") failed; reports of a sanitizer: \
$(grep -cE 'ERROR: AddressSanitizer|runtime error:|WARNING: ThreadSanitizer' "$out/$preset.log")"

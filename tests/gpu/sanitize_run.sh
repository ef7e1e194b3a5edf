#!/usr/bin/env bash
# Tests of the engine under AddressSanitizer and UBSan, where tests/gpu/fuzz_run.sh was run before: those that are
# linked with it and start no program (there is neither Python nor a compiler of CUDA in that root).
# usage: tests/gpu/sanitize_run.sh OUT SECONDS
# OUT gets tests.txt (a line a program: its exit status, how many tests passed), failures.txt, and warplens.xz, the
# program itself under the sanitizers, for the tests that start it.
set -uo pipefail
out="$(cd "$1" && pwd)"
end=$(($(date +%s) + $2))
cores=$(nproc)
root=/tmp/fuzz-root
work="$(cat "$root/where")"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/bin HOME=/tmp LC_ALL=C bash -c "cd $work && $1"; }
left() { echo $((end - $(date +%s))); }

in_root "ninja -C build/asan -j $cores warplens" >"$out/build_program.log" 2>&1
in_root "strip -o /tmp/warplens build/asan/app/warplens && xz -T0 -3 -c /tmp/warplens" >"$out/warplens.xz"
tests=$(sed -n 's/^wl_test(\([a-z0-9_]*\) .*/\1_test/p' tests/*/tests.cmake | grep -vE '^(layers|limits|every_action)_test' | sort)
in_root "timeout $(($(left) * 6 / 10)) ninja -C build/asan -k 0 -j $cores $(echo $tests)" >"$out/build_tests.log" 2>&1
in_root "cd build/asan/tests && ls | grep '_test\$' | ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
    timeout $(left) xargs -P $cores -n 1 setarch -R bash -c '
        timeout 100 ./\$0 --gtest_brief=1 >/tmp/\$0.log 2>&1
        echo \$? \$0 \$(grep -E \"PASSED|FAILED  \\\\]\" /tmp/\$0.log | head -n 3)'" >"$out/tests.txt" 2>&1
sort -n -o "$out/tests.txt" "$out/tests.txt"
while read -r status name _; do
    [ "$status" = 0 ] || { echo "== $name: $status"; grep -E 'ERROR: |SUMMARY|runtime error|Failure|FAILED|    #[0-9] ' "$root/tmp/$name.log" | head -n 25; }
done <"$out/tests.txt" >"$out/failures.txt"
echo "$(grep -c '^0 ' "$out/tests.txt") of $(echo "$tests" | wc -w) test programs passed; $(left) s are left"
cut -c1-160 "$out/failures.txt" | head -n 60

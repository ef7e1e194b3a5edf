#!/usr/bin/env bash
# Packs what builds and runs `mutants`, and tests, on a machine that has nothing of ours: compiler, headers and libraries of this
# one as a root to chroot into, and the rules of a sanitized build. What tests/gpu/fuzz_run.sh takes.
# usage: tests/gpu/fuzz_pack.sh PACK     from the root of a repository built by ./dev build mutants
set -euo pipefail
repository="$PWD"
mkdir -p "$1"
pack="$(cd "$1" && pwd)"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
lib=/usr/lib/x86_64-linux-gnu
gcc=/usr/lib/gcc/x86_64-linux-gnu/12
wheels="$repository/.env/wheels"

# add FILE...: with every link on the way to what it is.
add() {
    local file target
    for file in "$@"; do
        [ -e "$file" ] || continue
        mkdir -p "$root$(dirname "$file")"
        cp -a "$file" "$root$file"
        if [ -L "$file" ]; then
            target="$(readlink "$file")"
            [ "${target#/}" != "$target" ] || target="$(realpath "$(dirname "$file")")/$target"
            add "$(realpath -s "$target")"
        fi
    done
}
libraries_of() { for file in "$@"; do ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true; done | sort -u; }

mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{tmp,proc,dev}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
programs=(bash sh dash env cat ls mkdir rm cp mv ln touch sleep grep sed date nproc setarch chmod tail head sort wc timeout
    tee readlink true tar gzip dirname basename xargs find xz strip x86_64-linux-gnu-strip ninja c++ g++ g++-12 x86_64-linux-gnu-g++-12 as
    x86_64-linux-gnu-as ar x86_64-linux-gnu-ar ranlib x86_64-linux-gnu-ranlib gcc-ar-12 x86_64-linux-gnu-gcc-ar-12
    gcc-ranlib-12 x86_64-linux-gnu-gcc-ranlib-12 ld x86_64-linux-gnu-ld x86_64-linux-gnu-ld.bfd mold ld.mold)
add "${programs[@]/#//usr/bin/}" /etc/alternatives/c++ "$gcc/cc1plus" "$gcc/collect2" "$gcc/liblto_plugin.so" \
    "$gcc"/crt*.o "$gcc"/libgcc.a "$gcc"/libgcc_eh.a "$gcc"/libgcc_s.so "$gcc"/libstdc++.so "$gcc"/libsanitizer.spec \
    "$gcc"/libasan.so "$gcc"/libubsan.so "$gcc"/libasan_preinit.o /lib64/ld-linux-x86-64.so.2 \
    "$lib"/{crt1.o,Scrt1.o,crti.o,crtn.o,libc.so,libc_nonshared.a,libm.so,libm.so.6,libmvec.so.1,libpthread.a,libdl.a,librt.a} \
    /usr/share/fonts/opentype/inter/Inter-{Regular.otf,SemiBold.otf} \
    /usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf
for name in dw elf zip EGL OpenGL stb tomlplusplus fmt xxhash crypto sqlite3 zstd z GLX GLdispatch; do add "$lib/lib$name".so*; done
copy() { tar --ignore-failed-read -cf - "$@" 2>/dev/null | tar -xf - -C "$root"; }
copy /usr/include/{c++/12,x86_64-linux-gnu,linux,asm-generic,gtest,X11} /usr/include/*.h "$lib"/lib{gtest*.a,X11.so*,Xext.so*}
# Other headers: those that the release build read.
ninja -C build/release -t deps | sed -n 's/^    //p' | sort -u >"$root/tmp/headers"
copy $(grep '^/usr' "$root/tmp/headers")
sed -n 's|^.*\.env/wheels/||p' "$root/tmp/headers" | while read -r header; do
    mkdir -p "$root$wheels/$(dirname "$header")"
    cp -L "$wheels/$header" "$root$wheels/$header"
done
mkdir -p "$root$wheels/imgui/install/lib"
cp "$wheels"/imgui/install/lib/lib*.a "$root$wheels/imgui/install/lib/"
add $(libraries_of $(find "$root/usr" -type f \( -perm -u+x -o -name '*.so*' \) -printf '/usr/%P\n'))
find "$root" -type f -perm -u+x -size +50k -exec strip --strip-unneeded {} + 2>/dev/null || true

cat >"$root/usr/bin/cmake" <<'END'
#!/bin/bash
# What rules of a build ask of cmake.
verb="$2"
shift 2
case "$verb" in
    rm | touch) exec "$verb" "$@" ;;
    copy | copy_if_different) exec cp "$@" ;;
    make_directory) exec mkdir -p "$@" ;;
    : | true) ;;
    *) echo "cmake -E $verb is not here" >&2; exit 1 ;;
esac
END
chmod +x "$root/usr/bin/cmake"
printf 'int main() { return 0; }\n' >"$root/tmp/try.cpp"
chroot "$root" /usr/bin/env -i PATH=/usr/bin c++ -fsanitize=address,undefined -fuse-ld=mold /tmp/try.cpp -o /tmp/try "$lib/libfmt.so"
chroot "$root" /tmp/try
rm "$root"/tmp/*
printf '%s\n' "$repository" >"$root/where"
tar -C "$root" -cf - . | xz -T0 -6 >"$pack/root.tar.xz"

# No rule that configures again: there is no CMake there.
cmake --preset asan -DCCACHE=OFF -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold >/dev/null
cp build/asan/build.ninja "$root/build.ninja"
python3 - build/asan/build.ninja <<'END'
import re, sys
text = open(sys.argv[1]).read()
text = re.sub(r"build build\.ninja: RERUN_CMAKE .*?\n\n", "", text, flags=re.S)
open(sys.argv[1], "w").write(text)
END
find build/asan -type f ! -name '*.o' ! -name '*.a' ! -path '*/CMakeFiles/3*' -size -20M -print0 |
    tar -czf "$pack/asan.tar.gz" --null -T -
cp "$root/build.ninja" build/asan/build.ninja
ls -l "$pack"

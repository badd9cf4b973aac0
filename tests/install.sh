#!/usr/bin/env bash
# install.sh FOLDER [C compiler]: installs the shared and the static library, builds somebody else's
# project (tests/consumer) against each through find_package and pkg-config, as C and as C++, and
# looks at what the shared library exports. Builds in FOLDER, which is kept for the next time.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
cc=${2:-cc}
case $(basename "$cc") in
*clang*) cxx=${cc/clang/clang++} ;;
*) cxx=${cc/%gcc/g++} ;;
esac
[ "$cxx" != "$cc" ] || cxx=c++
# shellcheck source=lib/claims.sh
. "$top/tests/lib/claims.sh" "$build/none"
export CC=$cc CXX=$cxx
unset CFLAGS CXXFLAGS LDFLAGS
version=$(sed -n 's/^project(meshbayes VERSION \([0-9.]*\).*/\1/p' "$top/CMakeLists.txt")

# Both libraries come from one set of objects, so the second build only links; they are those of the
# release builds, which a compiler cache has.
install_to() { # install_to PREFIX ON|OFF
    cmake -S "$top" -B "$build/library" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS="$2" \
        -DMB_TESTS=OFF -DMB_BENCH=OFF -DMB_EXAMPLES=OFF &&
        cmake --build "$build/library" -j 2 &&
        cmake --install "$build/library" --prefix "$1"
}

not_strict() { grep -e -Wall "$build/library/CMakeFiles/meshbayes_lib.dir/flags.make" && refuted grep -e -Werror "$build/library/CMakeFiles/meshbayes_lib.dir/flags.make"; }

# Three rows about -1 and three about 4 under a prior of one row at their middle: (1.5 + 3 * -1)/4 and
# (1.5 + 3 * 4)/4.
expected() { # expected OUTPUT-FILE
    printf 'mean 1: -0.375\nmean 2: 3.375\nmeshbayes %s: ok\n' "$version" | diff - "$1"
}

by_find_package() { # by_find_package PREFIX
    rm -rf consumer && cmake -S "$top/tests/consumer" -B consumer -DCMAKE_PREFIX_PATH="$1" &&
        refuted grep '^MPI_' consumer/CMakeCache.txt && cmake --build consumer && ./consumer/consumer_c >c.txt && ./consumer/consumer_cxx >cxx.txt &&
        expected c.txt && expected cxx.txt
}

by_pkg_config() { # by_pkg_config PREFIX [--static]
    local flags library
    library=$(dirname "$(find "$1" -name meshbayes.pc)")
    flags=$(PKG_CONFIG_PATH=$library pkg-config "${@:2}" --cflags --libs meshbayes)
    # shellcheck disable=SC2086
    "$cc" -Wall -Wextra -Werror "$top/tests/consumer/main.c" $flags -Wl,-rpath,"${library%/pkgconfig}" -o c.out &&
        "$cxx" -Wall -Wextra -Werror -x c++ "$top/tests/consumer/main.c" -x none $flags -Wl,-rpath,"${library%/pkgconfig}" -o cxx.out &&
        ./c.out >c.txt && ./cxx.out >cxx.txt && expected c.txt && expected cxx.txt
}

# Processes of a cluster: alone as one, in C.
with_mpi() { grep -q '^MPI_C_LIB_NAMES:STRING=.' "$build/library/CMakeCache.txt"; }
needs_mpi() { readelf -d "$(find "$work/shared" -name "$1")" | grep -E 'NEEDED.*\[libmpi'; }
one_process() { "$@" >ranks.txt && [ "$(cat ranks.txt)" = "process 0 of 1" ]; }
ranks_by_find_package() { # ranks_by_find_package PREFIX
    rm -rf consumer && cmake -S "$top/tests/consumer" -B consumer -DCMAKE_PREFIX_PATH="$1" -DRANKS=ON &&
        cmake --build consumer --target consumer_ranks && one_process ./consumer/consumer_ranks
}
ranks_by_pkg_config() { # ranks_by_pkg_config PREFIX
    local flags library
    library=$(dirname "$(find "$1" -name meshbayes.pc)")
    flags=$(PKG_CONFIG_PATH=$library pkg-config --cflags --libs meshbayes-mpi)
    # shellcheck disable=SC2086
    "$cc" "$top/tests/consumer/ranks.c" $flags -Wl,-rpath,"${library%/pkgconfig}" -o ranks.out && one_process ./ranks.out
}

# The shared library, linked again without src/bind, is this much smaller; other compilers make other code.
growth_is_small() { # growth_is_small MOST
    local line size
    line=$(sed "s| -o [^ ]*| -o $work/with.so|" "$build/library/CMakeFiles/meshbayes_lib_shared.dir/link.txt")
    (cd "$build/library" && eval "$line" && eval "$(sed "s|with.so|without.so|; s| [^ ]*/src/bind/[^ ]*\.o||g" <<<"$line")")
    size=$(size "$work/with.so" "$work/without.so" | awk 'NR == 2 { n = $1 + $2 } NR == 3 { print n - $1 - $2 }')
    echo "$size bytes"
    [ "$size" -gt 10000 ] && [ "$size" -le "$1" ]
}

# Every object of the static library, needed or not: nothing may be missing from the flags.
whole_archive() { # whole_archive PREFIX
    local flags library
    library=$(dirname "$(find "$1" -name meshbayes.pc)")
    flags=$(PKG_CONFIG_PATH=$library pkg-config --cflags --libs meshbayes)
    # shellcheck disable=SC2086
    "$cc" "$top/tests/consumer/main.c" -Wl,--whole-archive "${library%/pkgconfig}/libmeshbayes.a" -Wl,--no-whole-archive $flags -o all.out &&
        ./all.out >c.txt && expected c.txt
}

pkg_version() { [ "$(PKG_CONFIG_PATH=$(dirname "$(find "$1" -name meshbayes.pc)") pkg-config --modversion meshbayes)" = "$version" ]; }

refuses_version() { # refuses_version PREFIX VERSION
    mkdir -p other && printf 'cmake_minimum_required(VERSION 3.20)\nproject(o C)\nfind_package(meshbayes %s REQUIRED)\n' "$2" >other/CMakeLists.txt
    refuted cmake -S other -B other/build -DCMAKE_PREFIX_PATH="$1" && rm -rf other/build &&
        sed -i "s/ $2 / ${version%.*} /" other/CMakeLists.txt && cmake -S other -B other/build -DCMAKE_PREFIX_PATH="$1"
}

library() { find "$work/shared" -name libmeshbayes.so; }
# Names that follow MB_API in the headers: variables are lists, functions end at their bracket.
public_names() {
    cat "$work"/shared/include/meshbayes/*.h | sed 's:/\*.*\*/::' | awk '
        /^(extern )?MB_API/ { on = 1 }
        on { text = text " " $0 }
        on && /;/ { print text; text = ""; on = 0 }' |
        sed -E 's/[[:space:]]+/ /g' | while read -r line; do
        case $line in
        extern*) grep -oE '\bmb_[a-z0-9_]+ ?[,;]' <<<"$line" ;;
        *) grep -oE '\bmb_[a-z0-9_]+\(' <<<"$line" | head -n 1 ;;
        esac
    done | tr -d ' ,;(' | sort -u
}
exported() { find "$work/shared" -name 'libmeshbayes*.so' -exec nm -D --defined-only {} + | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u; }
has_version_node() { nm -D --defined-only "$(library)" | pipe_has " mb_bind_fit@@MESHBAYES_${version%.*}$"; }
exports_only_public() { exported >exported.txt && public_names >public.txt && test -s public.txt && [ -z "$(comm -23 exported.txt public.txt | tee /dev/stderr)" ]; }
exports_all_public() { [ -z "$(comm -13 exported.txt public.txt | tee /dev/stderr)" ]; }
# mb_fail_ is what MB_FAIL calls.
names_are_public() { [ -z "$(grep -vE '^mb_[a-z0-9_]*[a-z0-9]$' exported.txt | grep -vx mb_fail_ | tee /dev/stderr)" ]; }
has_internals() { nm "$build/library/libmeshbayes.so" >all.txt && grep -E ' [tr] mb_[a-z0-9_]+_$' all.txt; }
# The door: what the program itself goes through.
door() { grep -E '^mb_(network|fit|posterior)_' exported.txt; }
door_is_there() { [ "$(door | tee /dev/stderr | wc -l)" -ge 12 ]; }
# Names that the program refers to, itself or through files of the library that it refers to.
reached() {
    local before=-1 now=0
    nm -u "$build"/library/libmeshbayes_*.a "$build"/library/CMakeFiles/meshbayes*.dir/app/*.o 2>/dev/null |
        awk 'NF == 2 { print $2 }' | sort -u >used.txt
    find "$build/library/CMakeFiles/meshbayes_lib.dir" -name '*.o' -exec nm -A {} + |
        awk '{ file = $1; sub(/:.*/, "", file); print ($(NF - 1) == "U" ? "U" : "D"), file, $NF }' >edges.txt
    while ((now != before)); do
        before=$now
        awk 'FNR == NR { used[$1] = 1; next } $1 == "D" && $3 in used { file[$2] = 1 } { line[FNR] = $0 }
            END { for (name in used) print name
                for (k in line) { split(line[k], part, " "); if (part[1] == "U" && part[2] in file) print part[3] } }' \
            used.txt edges.txt | sort -u >more.txt
        mv more.txt used.txt
        now=$(wc -l <used.txt)
    done
}
# mb_fit_node is for callers with several nodes, the others for those without files.
door_is_used() {
    reached && test -s edges.txt &&
        [ "$(door | comm -23 - used.txt | tee /dev/stderr | tr '\n' ' ')" = "mb_fit_node mb_posterior_copy mb_posterior_parse mb_posterior_text " ] &&
        [ "$(door | comm -12 - used.txt | wc -l)" -ge 12 ]
}
# Functions of the users' header that neither a how-to page nor an example, a program or
# the consumer names.
unused() {
    grep -hoE '\bmb_[a-z0-9_]+' -r "$top"/{examples,docs/howto,app,daemon,experiments,tests/consumer} \
        "$top"/docs/*.md | sort -u >named.txt
    sed -n '/^MB_API/,/;/p' "$top/include/meshbayes/meshbayes.h" | grep -oE '\bmb_[a-z0-9_]+\(' | tr -d '(' |
        sort -u | comm -12 - exported.txt | comm -23 - named.txt
}
header_is_used() { [ "$(sed -n '/^MB_API/,/;/p' "$top/include/meshbayes/meshbayes.h" | wc -l)" -gt 100 ] && [ -z "$(unused | tee /dev/stderr)" ]; }
has_soname() { readelf -d "$(library)" | pipe_has -F "soname: [libmeshbayes.so.${version%.*}]"; }
headers_stand_alone() {
    local header
    for header in "$work"/shared/include/meshbayes/*.h; do
        [ "$(basename "$header")" != mpi.h ] || continue
        printf '#include <meshbayes/%s>\n' "${header#"$work"/shared/include/meshbayes/}" >one.c
        "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$work/shared/include" -fsyntax-only one.c || return 1
        "$cxx" -x c++ -std=c++11 -Wall -Wextra -Werror -I"$work/shared/include" -fsyntax-only one.c || return 1
    done
}
# The experiments, in a folder that has nothing to do with the source tree.
paper_at() { # paper_at PREFIX: finds the data that ship
    (mkdir elsewhere && cd elsewhere &&
        "$1/bin/meshbayes" paper ionosphere --quick --runs 1 --protocols paper --networks networks --out out >said.txt &&
        cat said.txt && refuted grep skipped said.txt && grep "^networks: 3 of $1/share/meshbayes/networks;" said.txt &&
        test -s out/ionosphere/result.json) && rm -r elsewhere
}
lists_paper() { "$1/bin/meshbayes" help >said.txt && grep '^  paper ' said.txt; }
completion_is_installed() {
    local share=$work/shared/share
    bash -n "$share/bash-completion/completions/meshbayes" && test -s "$share/zsh/site-functions/_meshbayes" && test -s "$share/fish/vendor_completions.d/meshbayes.fish"
}
page_is_installed() { grep -q '^.SH EXIT STATUS' "$work"/shared/share/man/man1/meshbayes.1; }

claim "the shared library installs" install_to "$work/shared" ON
claim "warnings of a user's compiler are no errors" not_strict
case $(basename "$cc") in
*clang*) ;;
*) claim "bindings take at most 40 KB of it" growth_is_small 40960 ;;
esac
claim "the shared library exports nothing but what the headers declare" exports_only_public
claim "everything the headers declare is exported" exports_all_public
claim "exported names start with mb_, internal ones are hidden" names_are_public
claim "there are internal names to hide" has_internals
claim "it exports at least 12 functions of networks, fits and posteriors" door_is_there
claim "the program uses each of them but those for nodes and texts in memory" door_is_used
claim "every function of meshbayes.h is used by a page, an example or a program" header_is_used
claim "the shared library has a soname of major and minor version" has_soname
claim "its names have the version node of the interface" has_version_node
claim "every header stands alone, in C and C++" headers_stand_alone
claim "shared, find_package, C and C++" by_find_package "$work/shared"
claim "shared, pkg-config, C and C++" by_pkg_config "$work/shared"
claim "the shared library does not need MPI" refuted needs_mpi libmeshbayes.so
if with_mpi; then
    claim "that of the processes of a cluster does" needs_mpi libmeshbayes-mpi.so
    claim "it is a component of find_package" ranks_by_find_package "$work/shared"
    claim "and found by pkg-config" ranks_by_pkg_config "$work/shared"
else
    echo "skipped: no MPI (Debian: libopenmpi-dev)"
fi
claim "pkg-config tells the version of the project" pkg_version "$work/shared"
claim "another minor version is refused before 1.0" refuses_version "$work/shared" 0.2
claim "the program is installed and runs" "$work/shared/bin/meshbayes" --version
claim "the manual page is installed" page_is_installed
claim "and completion for bash, zsh and fish" completion_is_installed
claim "the experiments are found" lists_paper "$work/shared"
claim "and the data that ship" paper_at "$work/shared"
claim "and what downloads others" "$work/shared/bin/meshbayes" paper fetch --help
claim "the static library installs" install_to "$work/static" OFF
claim "static, find_package, C and C++" by_find_package "$work/static"
claim "static, pkg-config, C and C++" by_pkg_config "$work/static"
claim "static, pkg-config --static" by_pkg_config "$work/static" --static
claim "pkg-config names all that the static library needs" whole_archive "$work/static"
if with_mpi; then
    claim "static, the processes of a cluster, find_package" ranks_by_find_package "$work/static"
    claim "static, the processes of a cluster, pkg-config" ranks_by_pkg_config "$work/static"
fi
mv "$work/static" "$work/moved"
claim "an installed folder can be moved" by_pkg_config "$work/moved"
claim "a moved folder is found by find_package" by_find_package "$work/moved"
claim "its program finds the experiments" lists_paper "$work/moved"
claim "and the data that ship" paper_at "$work/moved"
finish

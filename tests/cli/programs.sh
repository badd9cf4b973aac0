#!/usr/bin/env bash
# programs.sh PROGRAM: `meshbayes NAME` runs meshbayes-NAME from beside itself or from libexec/meshbayes.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

same() { # same "WORDS" COMMAND...: what the program says to these words is what the command says
    # shellcheck disable=SC2086
    diff <("${@:2}" 2>&1) <("$program" $1 2>&1)
}
claim "help lists the program" says '^  paper ' "$program" help
claim "help paper is that program's help" same "help paper" "$program-paper" help
claim "so is paper --help" same "paper --help" "$program-paper" help
claim "and -h behind other words" same "paper all -h" "$program-paper" help
claim "arguments are handed on" same "paper list" "$program-paper" list
claim "so are errors" same "paper nothing" "$program-paper" nothing
claim "and the exit status" status_is 2 "$program" paper nothing
claim "it has a version" same "--version" "$program-paper" --version
claim "no command names it among the accepted" says 'not a command; expected sim, .*, paper$' "$program" papre
claim "nor does help" says 'is not a command, algorithm or model; expected .*, paper, .*edge.*linreg, tmm, lca, glm, mixed, mixreg, hmm, structural, fa, lda, cvb' "$program" help papre
claim "central VB has a help page" says 'central VB, variational Bayes on one machine' "$program" help cvb
claim "so has the default initialisation" says 'Lloyd.s iteration' "$program" help kmeans
claim "a model has one, with its options" says '^  --target-column' "$program" help linreg
claim "so has the other" says '^gmm: .*mixture' "$program" help gmm
claim "a full disk behind standard output is a failure" status_is 1 bash -c "'$program' paper list >/dev/full"
claim "a closed standard output too" status_is 1 bash -c "'$program' paper list >&-"
claim "several processes are refused" says 'meshbayes paper: error: started as 2 processes' \
    env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$program" paper list
claim "with status 2" status_is 2 env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$program" paper list

# Programs of one's own, in a copy.
mkdir -p prefix/bin prefix/libexec/meshbayes path
cp "$program" prefix/bin
hello() { # hello FILE TEXT
    printf '#!/bin/sh\necho "%s: $#: $*"\nexit 7\n' "$2" >"$1"
    chmod +x "$1"
}
own=prefix/bin/meshbayes
hello prefix/libexec/meshbayes/meshbayes-one libexec
hello prefix/bin/meshbayes-two beside
hello prefix/libexec/meshbayes/meshbayes-two libexec
hello path/meshbayes-three path
hello prefix/bin/meshbayes-sim beside
hello prefix/bin/meshbayes-Bad_name beside
cp prefix/bin/meshbayes-two prefix/bin/meshbayes-four
chmod -x prefix/bin/meshbayes-four
claim "from libexec, with its words" says '^libexec: 2: a b c$' "$own" one a "b c"
claim "with its status" status_is 7 "$own" one
claim "beside it comes first" says '^beside: 1: --help$' "$own" two --help
claim "help asks it" says '^beside: 1: help$' "$own" help two
claim "PATH is not searched" status_is 2 env PATH="$work/path:$PATH" "$own" three
claim "what cannot be run is none" status_is 2 "$own" four
claim "own commands come first" says 'usage: meshbayes sim' "$own" sim --help
claim "a name is no path" status_is 2 "$own" ../bin/meshbayes-two
listed() { [ "$("$own" help | sed -n 's/^  \([a-z]*\) *a program of its own.*/\1/p' | xargs)" = "one two" ]; }
claim "help lists each once, in order, and none that a command hides" listed
ln -s "$work/$own" path/meshbayes
claim "a link to the program finds them too" says '^libexec: 0: $' path/meshbayes one
claim "without them paper is no command" status_is 2 "$own" paper list
finish

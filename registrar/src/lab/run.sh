#!/bin/bash
# run.sh - runs a Java lab program in the guest.
#
#   run.sh [-u] [-m BYTES] [-d PATH].. JARS_DIR MAIN_CLASS [ARGUMENT..]
#
#   -u         as user lab (1000) without any capability, not as root
#   -m BYTES   with this RLIMIT_MEMLOCK, soft and hard
#   -d PATH    copies a file or directory to /payload as well, under its last name
#   JARS_DIR   directory with the jars of the built distribution; "-" for none
#
# Output, exit status, /out and settings are boot.sh's. PINWISE_LAB_JAVA_OPTIONS adds options for the JVM.
#
# To add a lab program: a class with a main method in java/org/pinwise/registrar/lab, which may use all of JARS_DIR and the classes beside it
# (PassiveQp and WirePeer for what happens on the wire). It is compiled on the host, with what it refers to and nothing else; in the guest it finds
#   /payload/lib/*.jar, /payload/classes    its class path
#   /payload/registration-loop, /payload/wire-peer, /payload/bound-window.so, /payload/layout-probe
#   /lab/kernel.txt                         which kernel, libibverbs and Java this is, as key=value
#   /out                                    for files that are to come back
# Exit with 0 only if everything was compared and equal: that status is the verdict of the run.
. "$(dirname "$0")/common.sh"

usage() { die "usage: run.sh [-u] [-m BYTES] [-d PATH].. JARS_DIR MAIN_CLASS [ARGUMENT..]"; }
PREFIX= EXTRA=()
while getopts um:d: option; do
  case $option in
    u) PREFIX="$PREFIX /usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all --bounding-set=-all" ;;
    m) PREFIX="/usr/bin/prlimit --memlock=$OPTARG:$OPTARG $PREFIX" ;; # first: raising a limit takes root
    d) EXTRA+=("$OPTARG") ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || usage
JARS=$1 MAIN=$2
shift 2
need_packages
JDK=$(find_jdk)

P=$(mktemp -d)
trap 'rm -rf "$P"' EXIT
mkdir "$P/lib" "$P/classes"
if [ "$JARS" != - ]; then
  cp "$JARS"/*.jar "$P/lib/" 2>/dev/null || die "no jars in $JARS"
fi
[ ${#EXTRA[@]} = 0 ] || cp -r "${EXTRA[@]}" "$P/"

SOURCE=$LAB_SOURCE/java/${MAIN//.//}.java
[ -e "$SOURCE" ] || die "no lab program $SOURCE"
step "compiling $MAIN"
"$JDK/bin/javac" -proc:none -implicit:class -Xlint:all,-restricted,-path,-classfile -Werror --release 25 \
  -cp "$P/lib/*" -sourcepath "$LAB_SOURCE/java" -d "$P/classes" "$SOURCE" >&2 || die "$MAIN does not compile"
gcc -O2 -Wall -Wextra -Werror -o "$P/wire-peer" "$LAB_SOURCE/wire-peer.c" -libverbs
gcc -O2 -Wall -Wextra -Werror -o "$P/registration-loop" "$LAB_SOURCE/registration-loop.c" -libverbs
gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$P/bound-window.so" "$LAB_SOURCE/bound-window.c" -libverbs
gcc -O1 -Wall -Wextra -Werror -o "$P/layout-probe" "$LAB_SOURCE/../test/native/layout-probe.c"

# each word in single quotes, for the guest's shell
quoted() {
  local word
  for word in "$@"; do printf " '%s'" "${word//\'/\'\\\'\'}"; done
}
# C1 alone: under emulation C2's compilation costs more than its code saves. One virtual CPU: the serial collector.
status=0
"$LAB_SOURCE/boot.sh" "$P" exec "$PREFIX" /jre/bin/java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
  "${PINWISE_LAB_JAVA_OPTIONS:-}" -cp "'classes:lib/*'" "$(quoted "$MAIN" "$@")" || status=$?
exit "$status"

# Shared by the lab's scripts; sourced, never run.
#
# Environment (all optional):
#   PINWISE_LAB_WORK     where runs leave their results          registrar/target/lab
#   PINWISE_LAB_CACHE    kernels and guest images, kept by content; point it outside target/ to survive "mvn clean"   PINWISE_LAB_WORK
#   PINWISE_LAB_KERNEL   a linux-image-*-amd64 package           the newest 6.12 that apt offers, else the newest 6.1
#   PINWISE_LAB_JDK      home of a JDK 25 or later               JAVA_HOME or one under /usr/lib/jvm
#   PINWISE_LAB_TIMEOUT  seconds for boot and command            600
#   PINWISE_LAB_MEMORY   the guest's memory in MiB               3072
#   PINWISE_LAB_APPEND   more kernel command line
#   PINWISE_LAB_VERBOSE  not empty: say each step and its time
set -eEuo pipefail

LAB_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LAB_WORK=$(realpath -m "${PINWISE_LAB_WORK:-$LAB_SOURCE/../../target/lab}")
LAB_CACHE=$(realpath -m "${PINWISE_LAB_CACHE:-$LAB_WORK}")
LAB_FAILED=125 # the exit status that says: the lab failed, not the command in it

say() { echo "lab: $*" >&2; }
die() {
  say "$*"
  exit "$LAB_FAILED"
}
step() { [ -z "${PINWISE_LAB_VERBOSE:-}" ] || say "$SECONDS s: $*"; }
# a failure of that status has been reported where it happened
trap '[ $? = "$LAB_FAILED" ] || say "$(basename "$0"): line $LINENO failed: $BASH_COMMAND"; exit "$LAB_FAILED"' ERR

lab_packages() { sed 's/#.*//' "$LAB_SOURCE/packages.txt" | xargs -n1; }

need_packages() {
  command -v dpkg-query apt-get >/dev/null || die "needs a Debian system with apt-get and dpkg"
  local installed missing
  installed=$(lab_packages | xargs dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null || true)
  missing=$(lab_packages | while read -r name; do grep -qx "$name installed" <<<"$installed" || echo "$name"; done | xargs)
  [ -z "$missing" ] || die "missing Debian packages; as root: apt-get install -y --no-install-recommends $missing"
}

find_jdk() {
  local home
  for home in "${PINWISE_LAB_JDK:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    if [ -x "$home/bin/jlink" ] && grep -qE '^JAVA_VERSION="(2[5-9]|[3-9][0-9])' "$home/release" 2>/dev/null; then
      readlink -f "$home"
      return
    fi
  done
  die "no JDK 25 or later with jlink in PINWISE_LAB_JDK, JAVA_HOME or /usr/lib/jvm"
}

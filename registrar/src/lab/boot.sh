#!/bin/bash
# boot.sh - runs one command in a throw-away guest with the real RDMA kernel stack and two software devices: rxe0 (soft-RoCE) and siw0 (soft-iWARP).
#
#   boot.sh PAYLOAD_DIR COMMAND...
#
# PAYLOAD_DIR is copied to the guest's /payload. COMMAND (its words joined by spaces) is run there by sh, as root, with nothing on standard input.
# Standard output and standard error are the command's own. What it leaves in the guest's /out is in WORK/out afterwards.
# WORK/kernel.txt says which kernel, libibverbs and Java that was (/lab/kernel.txt in the guest), WORK/kernel.log what the kernel said.
# That sh is busybox's and prefers its own applets to files of the same name: say /usr/bin/setpriv or /usr/sbin/ip for the real ones.
# /ext4 in the guest is a real file system; user "lab" is 1000:1000; Java is /jre/bin/java; devices may be opened by anyone, as with udev.
#
# Exit status: the command's; 124 if it took too long; 125 if the lab failed. Where WORK is and other settings: common.sh.
# Needs: packages.txt (install-packages.sh installs it), a JDK 25, and apt lists that offer a kernel. No root, no /dev/kvm, no RDMA hardware.
# The first run fetches about 275 MB and builds siw.ko.
#
# One run at a time in a WORK: a second one waits. A run that was killed leaves nothing that disturbs the next: the guest dies with it.
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin:/sbin

[ $# -ge 2 ] && [ -d "$1" ] || die "usage: boot.sh PAYLOAD_DIR COMMAND..."
PAYLOAD=$(realpath "$1")
shift
TIMEOUT=${PINWISE_LAB_TIMEOUT:-600}
need_packages
find_jdk >/dev/null
mkdir -p "$LAB_WORK" "$LAB_CACHE"

# opens a lock file on a descriptor and takes it
lock() {
  eval "exec $1>\"\$2\""
  flock -n "$1" || {
    say "waiting for another run that holds $2"
    flock "$1"
  }
}
lock 9 "$LAB_WORK/run.lock"
cd "$LAB_WORK" # QEMU's options take no comma: it sees relative paths only
rm -rf run.?????? out kernel.txt kernel.log
mkdir out
T=$(mktemp -d run.XXXXXX)
trap 'rm -rf "$T"' EXIT

# The image and the payload, one after the other, are one initial RAM disk.
mkdir "$T/add" "$T/add/lab"
cp -aL "$PAYLOAD" "$T/add/payload"
chmod -R a+rX "$T/add/payload"
printf '%s\n' "$*" >"$T/add/lab/command"
(cd "$T/add" && find . -mindepth 1 -print0 | cpio --quiet -0 -o -H newc -R 0:0) >"$T/payload.cpio"
rm -rf "$T/add"

lock 8 "$LAB_CACHE/cache.lock"
rm -rf "$LAB_CACHE"/build.?????? # of runs that were killed: whoever builds holds the lock
KERNEL=$("$LAB_SOURCE/kernel.sh")
IMAGE=$("$LAB_SOURCE/image.sh" "$KERNEL")
touch "$IMAGE"
ls -t "$LAB_CACHE"/image-*.cpio | tail -n +4 | while read -r old; do rm -f "$old" "$old.txt"; done
cat "$IMAGE" "$T/payload.cpio" >"$T/initrd"
cp "$KERNEL/vmlinuz" "$T/vmlinuz"
cp "$IMAGE.txt" kernel.txt
exec 8>&-
rm "$T/payload.cpio"

truncate -s 256M "$T/disk"
mkfs.ext4 -q -F -E lazy_itable_init=1,lazy_journal_init=1 "$T/disk"
: >"$T/status"
: >"$T/out.tar"
# Named pipes and "file" devices: QEMU's stdio device takes the end of standard input for a hang-up, and then the guest's writes block for ever.
mkfifo "$T/stdout" "$T/stderr"
# whoever reads ours may stop (boot.sh .. | head -1): the guest must not notice
{ cat || cat >/dev/null; } <"$T/stdout" &
CAT_OUT=$!
{ cat >&2 || cat >/dev/null; } <"$T/stderr" &
CAT_ERR=$!

# One virtual CPU: with two on a busy host of two, the JVM's cross-CPU TLB flushes wait for one that is not running (7 to 24 s for one start).
# Without erms and fsrm the guest does not clear and copy pages by "rep movsb", which the emulator runs byte by byte (10 s for a start, not 1).
QEMU=(qemu-system-x86_64 -accel tcg,thread=multi -machine q35 -cpu max,-erms,-fsrm -smp 1 -m "${PINWISE_LAB_MEMORY:-3072}"
  -nodefaults -no-user-config -display none -no-reboot
  -kernel "$T/vmlinuz" -initrd "$T/initrd"
  -append "console=ttyS0 quiet loglevel=5 printk.devkmsg=on panic=-1 mitigations=off nokaslr tsc=reliable audit=0 ${PINWISE_LAB_APPEND:-}"
  -serial file:kernel.log
  -drive "if=virtio,format=raw,cache=unsafe,file=$T/disk"
  -device virtio-serial-pci)
port=1
for file in stdout stderr out.tar status; do
  QEMU+=(-chardev "file,id=port$port,path=$T/$file" -device "virtserialport,chardev=port$port,nr=$port")
  port=$((port + 1))
done

step "booting"
BOOTED=$(date +%s%N)
# pdeathsig: killing this script, even by SIGKILL, takes the guest along
setpriv --pdeathsig KILL timeout -k 5 "$TIMEOUT" setpriv --pdeathsig KILL "${QEMU[@]}" </dev/null >"$T/qemu.log" 2>&1 &
GUEST=$!
trap 'kill "$GUEST" 2>/dev/null || true; rm -rf "$T"' EXIT
trap 'exit 130' INT TERM HUP
qemu=0
wait "$GUEST" || qemu=$?
trap 'rm -rf "$T"' EXIT
# lets each cat see an end even if QEMU never opened its pipe
exec 7<>"$T/stdout" 6<>"$T/stderr" 7>&- 6>&-
wait "$CAT_OUT" "$CAT_ERR" || true
step "the guest ran $((($(date +%s%N) - BOOTED) / 1000000)) ms ($(grep -oE 'lab: [0-9.]+ s: command starts' kernel.log || true))"

if [ "$qemu" = 124 ] || [ "$qemu" = 137 ]; then
  say "timed out after $TIMEOUT s"
  exit 124
fi
read -r status <"$T/status" || true
case ${status:-none} in
  *[!0-9]*)
    cause=$(grep -m1 -aE 'lab: .*FAILED|BUG:|Oops|Kernel panic' kernel.log || true)
    die "the guest gave no exit status, see $LAB_WORK/kernel.log: $(tail -1 "$T/qemu.log") $(tr -d '\r' <<<"${cause:-$(tail -1 kernel.log)}")"
    ;;
esac
[ ! -s "$T/out.tar" ] || tar xf "$T/out.tar" -C out --no-same-owner --no-overwrite-dir || die "the guest's /out did not arrive whole"
exit "$status"

#!/bin/bash
# kernel.sh - fetches Debian's kernel and builds siw.ko; prints the directory that holds them:
#
#   vmlinuz           the kernel
#   modules/          lib/modules/RELEASE with what the lab loads, siw.ko among it
#   kernel.txt        which kernel and which siw source that is
#
# Debian ships CONFIG_RDMA_SIW=n, so siw.ko is built from linux-source. Packages are unpacked, not installed: no hook of theirs runs here.
# A finished directory appears by one rename, so an interrupted run leaves nothing half done.
. "$(dirname "$0")/common.sh"
PATH=$PATH:/usr/sbin:/sbin

# Modules beside siw, with their dependencies. The crc32 ones are asked for by name at run time, out of depmod's sight.
MODULES="ib_uverbs rdma_cm rdma_ucm rdma_rxe iw_cm ib_umad crc32_generic crc32c_generic libcrc32c dummy virtio_pci virtio_console virtio_blk ext4"

# Newest 6.12 first, then newest 6.1; full flavour only: cloud has no rdma_rxe, rt is not what people run.
candidates() {
  local names
  names=$(apt-cache pkgnames linux-image-6.)
  grep -E '^linux-image-6\.12\.[0-9]+[+a-z0-9.~]*-amd64$' <<<"$names" | sort -Vr || true
  grep -E '^linux-image-6\.1\.0-[0-9]+-amd64$' <<<"$names" | sort -Vr || true
}
available() { apt-get download -qq --print-uris "$@" >/dev/null 2>&1; }

# image package -> the packages to build a module for it (headers of the flavour and the common ones)
headers() { echo "linux-headers-${1#linux-image-}" "linux-headers-$(sed -E 's/^linux-image-(.*)-amd64$/\1/' <<<"$1")-common"; }

choose() {
  local image
  if [ -n "${PINWISE_LAB_KERNEL:-}" ]; then
    available "$PINWISE_LAB_KERNEL" || die "apt offers no $PINWISE_LAB_KERNEL; as root: apt-get update"
    echo "$PINWISE_LAB_KERNEL"
    return
  fi
  for image in $(candidates); do
    if available "$image" $(headers "$image"); then
      echo "$image"
      return
    fi
  done
  die "apt offers no linux-image-6.12 or 6.1 for amd64 with headers; as root: apt-get update"
}

case $LAB_CACHE in
  *[[:space:]:]*) die "Linux's makefiles refuse a path with a space or a colon, such as $LAB_CACHE: set PINWISE_LAB_CACHE to another" ;;
esac
need_packages
IMAGE=$(choose)
RELEASE=${IMAGE#linux-image-}
KERNEL=$LAB_CACHE/kernel-$RELEASE-$(cat "$0" | sha256sum | cut -c1-8)
if [ -e "$KERNEL" ]; then
  echo "$KERNEL"
  exit
fi

step "fetching $IMAGE"
mkdir -p "$LAB_CACHE"
T=$(mktemp -d "$LAB_CACHE/build.XXXXXX")
trap 'rm -rf "$T"' EXIT
mkdir "$T/debs" "$T/tree" "$T/result"
fetch() { (cd "$T/debs" && apt-get download -qq -o APT::Sandbox::User=root "$@" 2>"$T/apt.log") || die "cannot download $*: $(tail -1 "$T/apt.log")"; }
unpack() {
  local name
  for name in "$@"; do dpkg -x "$T/debs/$name"_*.deb "$T/tree"; done
}
field() { dpkg-deb -f "$T/debs/$1"_*.deb "$2"; }

read -r HEADERS COMMON <<<"$(headers "$IMAGE")"
fetch "$IMAGE" "$HEADERS" "$COMMON"
VERSION=$(field "$IMAGE" Version)
KBUILD=$(field "$HEADERS" Depends | grep -oE 'linux-kbuild-[^ ,]+')
SOURCE=linux-source-$(grep -oE '^[0-9]+\.[0-9]+' <<<"$RELEASE")
# The source package keeps its name from one update to the next. siw of a neighbouring one builds too; kernel.txt says which was used.
if available "$SOURCE=$VERSION"; then fetch "$KBUILD" "$SOURCE=$VERSION"; else fetch "$KBUILD" "$SOURCE"; fi
unpack "$IMAGE" "$HEADERS" "$COMMON" "$KBUILD" "$SOURCE"

step "building siw.ko"
SRC=$T/tree/usr/src
tar xf "$SRC/$SOURCE.tar.xz" -C "$T" "$SOURCE/drivers/infiniband/sw/siw"
# the headers expect to live under /usr/src
sed -i "s#/usr/src/#$SRC/#" "$SRC/$HEADERS/Makefile"
find "$SRC" -lname '/usr/*' | while read -r link; do ln -sfn "$T/tree$(readlink "$link")" "$link"; done
rm -f "$SRC/$HEADERS/vmlinux" # with it the build wants pahole, for type data that nothing here reads
make -C "$SRC/$HEADERS" M="$T/$SOURCE/drivers/infiniband/sw/siw" CONFIG_RDMA_SIW=m modules >"$T/make.log" 2>&1 || {
  cp "$T/make.log" "$LAB_CACHE/siw-build.log"
  die "siw.ko did not build: $(grep -m1 -iE 'error|no such' "$T/make.log"); all of it in $LAB_CACHE/siw-build.log"
}

step "collecting modules"
mv "$T/tree/boot/vmlinuz-$RELEASE" "$T/result/vmlinuz"
[ -d "$T/tree/lib/modules" ] || ln -s usr/lib "$T/tree/lib" # from Debian 13 on the package is usr-merged
FROM=$T/tree/lib/modules/$RELEASE
TO=$T/result/modules/lib/modules/$RELEASE
mkdir -p "$TO/extra"
cp "$FROM"/modules.{builtin,builtin.modinfo,order} "$TO/"
depmod -b "$T/tree" "$RELEASE" 2>/dev/null || true
for m in $MODULES; do
  modprobe -d "$T/tree" -S "$RELEASE" --show-depends "$m" 2>/dev/null || true # a built-in one, or one that this kernel has no longer
done | awk '$1 == "insmod" { print $2 }' | sort -u | while read -r file; do
  to=$TO/${file#*"/lib/modules/$RELEASE/"}
  mkdir -p "${to%/*}"
  case $file in
    *.xz) xz -dc "$file" >"${to%.xz}" ;;
    *.zst) zstd -qdc "$file" >"${to%.zst}" ;;
    *) cp "$file" "$to" ;;
  esac
done
[ -e "$TO/kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko" ] || die "$IMAGE has no rdma_rxe"
cp "$T/$SOURCE/drivers/infiniband/sw/siw/siw.ko" "$TO/extra/"
strip -g "$TO/extra/siw.ko"
depmod -b "$T/result/modules" "$RELEASE"

cat >"$T/result/kernel.txt" <<TXT
kernel.release=$RELEASE
kernel.package=$IMAGE $VERSION
siw.source=$SOURCE $(field "$SOURCE" Version)
TXT
mv "$T/result" "$KERNEL"
echo "$KERNEL"

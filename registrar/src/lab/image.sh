#!/bin/bash
# image.sh KERNEL_DIR - builds the guest's initial RAM disk (user land, verbs, Java, modules); prints the file.
# It is kept under a name made of what went into it, and appears by one rename.
. "$(dirname "$0")/common.sh"

# What Drools, the registrar and the lab programs ask for (jdeps says so of Drools), and zipfs for rooms inside a jar.
JAVA_MODULES=java.base,java.compiler,java.desktop,java.logging,java.management,java.management.rmi,java.naming,java.xml,jdk.attach,jdk.jfr,jdk.management,jdk.management.agent,jdk.unsupported,jdk.zipfs
LIB=/usr/lib/x86_64-linux-gnu
PATH=$PATH:/usr/sbin:/sbin

KERNEL=$1
RELEASE=$(sed -n 's/^kernel.release=//p' "$KERNEL/kernel.txt")
JDK=$(find_jdk)
IMAGE=$LAB_CACHE/image-$({
  echo "$KERNEL"
  cat "$JDK/release" "$LAB_SOURCE"/{image,guest-init}.sh
  lab_packages | xargs dpkg-query -W
} | sha256sum | cut -c1-16).cpio
if [ -e "$IMAGE" ]; then
  echo "$IMAGE"
  exit
fi

step "building the guest's image"
T=$(mktemp -d "$LAB_CACHE/build.XXXXXX")
trap 'rm -rf "$T"' EXIT
R=$T/root
mkdir -p "$R"/{usr/{bin,sbin,lib,lib64},proc,sys,dev,tmp,run,etc/libibverbs.d,root,out,payload,lab}
for dir in bin sbin lib lib64; do ln -s "usr/$dir" "$R/$dir"; done # Debian's own layout: ldd's paths resolve either way

# copies a file to where it is on the host
put() { [ -e "$R$1" ] || { mkdir -p "$R${1%/*}" && cp -L "$1" "$R$1"; }; }
libraries() { ldd "$1" 2>/dev/null | grep -oE '/[^ ]+' || true; }
# copies programs or libraries and all that they link to
put_elf() {
  local file library
  for file in "$@"; do
    [ -e "$file" ] || die "missing $file; as root: $LAB_SOURCE/install-packages.sh"
    put "$file"
    for library in $(libraries "$file"); do put "$library"; done
  done
}

cp "$(command -v busybox)" "$R/usr/bin/busybox"
for applet in $("$R/usr/bin/busybox" --list); do
  case $applet in
    ip | modprobe | insmod | lsmod | rmmod | depmod | modinfo | setpriv | busybox) ;; # the real ones follow
    *) ln -s busybox "$R/usr/bin/$applet" ;;
  esac
done
put_elf /usr/bin/kmod /usr/bin/setpriv /usr/bin/prlimit /usr/bin/ibv_devinfo /usr/bin/ibv_devices /usr/bin/ibv_rc_pingpong \
  "$(command -v ip)" "$(command -v rdma)"
for tool in modprobe insmod lsmod rmmod; do ln -s ../bin/kmod "$R/usr/sbin/$tool"; done

put_elf $LIB/libgcc_s.so.1 $LIB/libnss_files.so.2 # opened at run time: the first by pthread_exit, the second by getpwnam
# libibverbs opens its providers by the names in the .driver files
put_elf $LIB/libibverbs.so.1 $LIB/libibverbs/lib{rxe,siw}-rdmav*.so
# its version is in the name of the file that this name is a link to, as on any host
VERBS=$(basename "$(readlink -f $LIB/libibverbs.so.1)")
mv "$R$LIB/libibverbs.so.1" "$R$LIB/$VERBS"
ln -s "$VERBS" "$R$LIB/libibverbs.so.1"
cp /etc/libibverbs.d/{rxe,siw}.driver "$R/etc/libibverbs.d/"

printf 'root:x:0:0::/root:/bin/sh\nlab:x:1000:1000::/tmp:/bin/sh\n' >"$R/etc/passwd"
printf 'root:x:0:\nlab:x:1000:\n' >"$R/etc/group"
echo '127.0.0.1 localhost' >"$R/etc/hosts"

cp -r "$KERNEL/modules/lib/modules" "$R/usr/lib/modules"

# the class data archive makes a JVM start about twice as fast under emulation
"$JDK/bin/jlink" --add-modules "$JAVA_MODULES" --strip-debug --no-man-pages --no-header-files --generate-cds-archive --output "$R/jre" >"$T/jlink.log" 2>&1 ||
  die "jlink failed: $(tail -1 "$T/jlink.log")"
for file in "$R"/jre/bin/java "$R"/jre/lib/*.so "$R"/jre/lib/server/libjvm.so; do
  for library in $(libraries "$file"); do
    case $library in "$R"*) ;; *) put "$library" ;; esac
  done
done

ldconfig -r "$R"
cp "$LAB_SOURCE/guest-init.sh" "$R/init"
chmod 755 "$R/init"
{
  cat "$KERNEL/kernel.txt"
  echo "libibverbs=$(dpkg-query -W -f='${Version}' libibverbs1)"
  echo "java=$(sed -n 's/^JAVA_RUNTIME_VERSION="\(.*\)"/\1/p' "$JDK/release")"
} >"$R/lab/kernel.txt"
cp "$R/lab/kernel.txt" "$IMAGE.txt"
(cd "$R" && find . -print0 | cpio --quiet -0 -o -H newc -R 0:0) >"$T/image"
mv "$T/image" "$IMAGE"
echo "$IMAGE"

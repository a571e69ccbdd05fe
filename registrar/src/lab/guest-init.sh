#!/bin/busybox sh
# The guest's /init: brings up rxe0 and siw0, runs /lab/command in /payload, hands back its streams, /out and its exit status.
# Ports: p1 standard output, p2 standard error, p3 /out as a tar archive, p4 the exit status.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/jre/bin HOME=/root

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run

note() { echo "lab: $(cut -d' ' -f1 /proc/uptime) s: $*" >/dev/kmsg; }
wait_for() {
  tries=0
  while [ ! -e "$1" ] && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
}
fail() {
  note "FAILED: $*"
  echo "lab guest: $*" >/dev/vport0p2
  echo 125 >/dev/vport0p4
  sleep 1
  poweroff -f
}

note init
modprobe -q virtio_pci
modprobe -q virtio_console
wait_for /dev/vport0p4
modprobe -q virtio_blk
modprobe -q ext4

for module in ib_uverbs rdma_ucm rdma_rxe siw dummy; do modprobe $module || fail "modprobe $module"; done
ip link set lo up
# name, link, driver, address
software_device() {
  ip link add "$2" type dummy && ip addr add "$4" dev "$2" && ip link set "$2" up && rdma link add "$1" type "$3" netdev "$2" || fail "cannot create $1"
}
software_device rxe0 lab0 rxe 10.77.0.1/24
software_device siw0 lab1 siw 10.77.1.1/24
# as udev would set them up: anyone may open a verbs device
wait_for /dev/infiniband/uverbs1
wait_for /dev/infiniband/rdma_cm
chmod 666 /dev/infiniband/uverbs* /dev/infiniband/rdma_cm || fail "no verbs devices"

# a real file system, for mappings of files
mkdir -p /ext4
wait_for /dev/vda
mount -t ext4 /dev/vda /ext4 || fail "no file system on /ext4"
chmod 1777 /ext4 /tmp /out /dev/shm

# a few huge pages of 2 MiB, for mappings with MAP_HUGETLB
echo 8 >/proc/sys/vm/nr_hugepages

note "command starts"
cd /payload
setsid sh /lab/command </dev/null >/dev/vport0p1 2>/dev/vport0p2
status=$?
note "command ended with $status"
[ -z "$(ls -A /out)" ] || tar cf /dev/vport0p3 -C /out .
echo $status >/dev/vport0p4
sleep 0.2
sync
poweroff -f

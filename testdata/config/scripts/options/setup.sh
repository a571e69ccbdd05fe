#!/bin/bash
# expect: CF001 warning at log_num_mtt
echo "options mlx5_core log_num_mtt=24" > /etc/modprobe.d/mlx5.conf
# expect: CF050 info at log_num_mtt
modprobe mlx4_core log_num_mtt=24 log_mtts_per_seg=1
# expect: CF002 warning at MLX5
export MLX5_LOG_NUM_MTT=24
# expect: CF076 warning at memory.kmem
echo 1G > /sys/fs/cgroup/memory/app/memory.kmem.limit_in_bytes

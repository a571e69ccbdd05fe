#!/bin/sh
# echo 24 > /sys/module/mlx5_core/parameters/log_num_mtt is wrong
modprobe mlx5_ib
modprobe mlx4_core log_mtts_per_seg=3
echo 1 > /sys/module/mlx5_core/parameters/debug_mask
ulimit -l unlimited

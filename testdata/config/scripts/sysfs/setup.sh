#!/bin/bash
# expect: CF001 warning at log_num_mtt
echo 24 > /sys/module/mlx5_core/parameters/log_num_mtt
# expect: CF075 warning at log_mtts_per_seg
echo 3 > /sys/module/mlx4_core/parameters/log_mtts_per_seg

# expect: CF001 warning at log_num_mtt
GRUB_CMDLINE_LINUX="quiet mlx5_core.log_num_mtt=24"

package org.pinwise.rules.model;

/** What backs the memory of a region. */
public enum MemoryKind {
  /** Private anonymous memory: malloc, stack, {@code mmap(MAP_PRIVATE|MAP_ANONYMOUS)}. */
  ANONYMOUS,
  /** Shared anonymous memory, memfd or tmpfs. */
  SHMEM,
  /** A file of a file system with writeback, such as ext4 or xfs. */
  FILE,
  /** hugetlbfs or {@code MAP_HUGETLB}. */
  HUGETLB,
  /** A file on a file system in DAX mode: persistent memory behind a file. */
  FSDAX,
  /** A character device of persistent memory, {@code /dev/dax*}. */
  DEVDAX,
  /** Memory of a device mapped by address ({@code VM_IO}, {@code VM_PFNMAP}): a BAR, /dev/mem. */
  DEVICE_IO,
  /** {@code memfd_secret}. */
  SECRET,
  /** Memory of a CUDA device, by its virtual address. */
  CUDA,
  /** Memory of a CUDA device by an address that {@code cuMemMap} gave it. */
  CUDA_VMM,
  /** Memory of a ROCm device, by its virtual address. */
  ROCM
}

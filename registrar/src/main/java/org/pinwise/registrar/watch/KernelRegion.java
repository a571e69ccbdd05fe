package org.pinwise.registrar.watch;

import org.jspecify.annotations.Nullable;

/**
 * A region as {@code rdma resource show mr} tells of it.
 *
 * @param device such as {@code mlx5_0}
 * @param mrn the kernel's number of it, unique per device
 * @param length bytes
 * @param pid the thread that allocated its protection domain, which is not the process where
 *     another thread than the first did it; null for one of the kernel's own, or where that thread
 *     has ended
 * @param command the owner's name, in the kernel's words
 * @param lkey null without CAP_NET_ADMIN, which alone is told the keys
 * @param rkey null without CAP_NET_ADMIN
 */
public record KernelRegion(
    String device,
    long mrn,
    long length,
    @Nullable Long pid,
    String command,
    @Nullable Long lkey,
    @Nullable Long rkey) {}

package org.pinwise.registrar.verbs;

/**
 * {@code struct ibv_sge}: a stretch of a registered region.
 *
 * @param address where it starts, as the device knows the region, unsigned
 * @param length bytes, unsigned
 * @param lkey the region's local key
 */
public record ScatterGather(long address, int length, int lkey) {}

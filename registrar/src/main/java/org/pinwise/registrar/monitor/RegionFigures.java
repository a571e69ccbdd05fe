package org.pinwise.registrar.monitor;

/**
 * A region that is registered.
 *
 * @param lkey its key for the process itself, as an unsigned number
 * @param rkey its key for peers, as an unsigned number
 * @param address where it starts, in hexadecimal digits with 0x: half of all addresses are no long;
 *     of a dma-buf, the offset in it
 * @param length bytes
 * @param access its flags, such as {@code LOCAL_WRITE|REMOTE_READ}
 * @param ageMillis how long ago it was registered, in ms
 * @param leases how many leases on it are open
 * @param origin what the program said it is for ({@code Registration.label}); empty if nothing
 */
public record RegionFigures(
    long lkey,
    long rkey,
    String address,
    long length,
    String access,
    long ageMillis,
    int leases,
    String origin) {}

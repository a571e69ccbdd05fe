package org.pinwise.registrar.verbs;

import org.pinwise.engine.MrValidator;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;

/**
 * A device to simulate, and the kernel that drives it.
 *
 * @param name the device's name, such as {@code connectx5}
 * @param device what is known of it; what is not stays undecided, it is not made up
 * @param host the simulated host. Its kernel should be one on which the rules are verified. Limits
 *     bind only where {@code memlock} is known and {@code ipcLock} is false; then the pages that
 *     this simulator has pinned are counted
 * @param kernel the rules that answer in the kernel's place; only findings of origin kernel count,
 *     so a team's rule or a profile does not change what the device does
 */
public record SimulatedDevice(String name, Device device, Host host, MrValidator kernel) {}

package org.pinwise.registrar.lab;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_ATOMIC;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.rules.model.Access;

/**
 * What the flags of a region of the registrar mean to a peer, a process of its own: what a flag
 * allows works, with the bytes compared at both ends, and without it the peer gets a remote access
 * error and the memory stays as it was.
 */
final class WireLab {
  private static final int LENGTH = 4096;
  private static final byte[] BYTES = "as the peer wrote it".getBytes(StandardCharsets.US_ASCII);

  private final WirePeer peer;
  private final MemoryRegistrar registrar;
  private final Arena arena;
  private final Report report;

  interface Report {
    void expect(String what, Object expected, Object actual);
  }

  WireLab(WirePeer peer, MemoryRegistrar registrar, Arena arena, Report report) {
    this.peer = peer;
    this.registrar = registrar;
    this.arena = arena;
    this.report = report;
  }

  void run() {
    Access all = Access.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
    write(Access.of(LOCAL_WRITE, REMOTE_WRITE), true);
    write(all.without(REMOTE_WRITE), false);
    write(Access.of(LOCAL_WRITE), false);
    read(Access.of(REMOTE_READ), true);
    read(all.without(REMOTE_READ), false);
    read(Access.NONE, false);
    swap(Access.of(LOCAL_WRITE, REMOTE_ATOMIC), true);
    swap(all.without(REMOTE_ATOMIC), false);
  }

  private void write(Access access, boolean allowed) {
    MemorySegment memory = memory();
    byte[] before = memory.asSlice(7, BYTES.length).toArray(JAVA_BYTE);
    int status =
        through(
                memory,
                access,
                region -> peer.write(region.remoteAddress() + 7, region.rkey(), BYTES))
            .status();
    status("WRITE", access, allowed, status);
    byte[] after = memory.asSlice(7, BYTES.length).toArray(JAVA_BYTE);
    report.expect("  bytes", true, Arrays.equals(after, allowed ? BYTES : before));
  }

  private void read(Access access, boolean allowed) {
    MemorySegment memory = memory();
    WirePeer.Completion completion =
        through(memory, access, region -> peer.read(region.remoteAddress(), region.rkey(), LENGTH));
    status("READ", access, allowed, completion.status());
    byte[] expected = allowed ? memory.toArray(JAVA_BYTE) : new byte[0];
    report.expect("  bytes", true, Arrays.equals(completion.bytes(), expected));
  }

  private void swap(Access access, boolean allowed) {
    MemorySegment memory = memory();
    memory.set(JAVA_LONG, 8, 41);
    WirePeer.Completion completion =
        through(
            memory, access, region -> peer.swap(region.remoteAddress() + 8, region.rkey(), 41, 42));
    status("SWAP", access, allowed, completion.status());
    report.expect("  value", allowed ? 42L : 41L, memory.get(JAVA_LONG, 8));
  }

  private void status(String operation, Access access, boolean allowed, int status) {
    report.expect(
        operation + " with " + access,
        allowed ? WirePeer.SUCCESS : WirePeer.REMOTE_ACCESS_ERROR,
        status);
  }

  private MemorySegment memory() {
    MemorySegment memory = arena.allocate(LENGTH, 4096);
    for (int i = 0; i < LENGTH; i++) {
      memory.set(JAVA_BYTE, i, (byte) (i * 31));
    }
    return memory;
  }

  private interface Operation {
    WirePeer.Completion on(RegisteredRegion region);
  }

  private WirePeer.Completion through(MemorySegment memory, Access access, Operation operation) {
    try (RegisteredRegion region = registrar.register(memory, access).orElseThrow()) {
      return peer.through(pointer("context"), pointer("pd"), p -> operation.on(region));
    }
  }

  /** The registrar's own device and protection domain: a queue pair must belong to them. */
  private MemorySegment pointer(String name) {
    try {
      Field handle = MemoryRegistrar.class.getDeclaredField(name);
      handle.setAccessible(true);
      return LabVerbs.pointer(handle.get(registrar));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}

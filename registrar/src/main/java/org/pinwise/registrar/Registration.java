package org.pinwise.registrar;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.Use;

/**
 * How memory is to be registered. Immutable; each method that adds something returns a new one.
 *
 * {@snippet :
 * registrar.register(buffer, Registration.of(LOCAL_WRITE, REMOTE_WRITE).iova(0));
 * }
 */
public final class Registration {
  private final Access access;
  private final @Nullable Long iova;
  private final @Nullable Set<Use> uses;
  private final @Nullable Memory memory;
  private final String label;

  private Registration(
      Access access,
      @Nullable Long iova,
      @Nullable Set<Use> uses,
      @Nullable Memory memory,
      String label) {
    this.access = access;
    this.iova = iova;
    this.uses = uses;
    this.memory = memory;
    this.label = label;
  }

  /** Registers with this access, under the memory's own address. */
  public static Registration of(Access access) {
    return new Registration(access, null, null, null, "");
  }

  /** Registers with these flags, under the memory's own address. */
  public static Registration of(AccessFlag... flags) {
    return of(Access.of(flags));
  }

  /**
   * Registers under this address, unsigned, instead of the memory's own: {@code ibv_reg_mr_iova2}.
   * Its offset in a page must be that of the memory.
   */
  public Registration iova(long address) {
    return new Registration(access, address, uses, memory, label);
  }

  /** Says what the program does with the region, all of it, so that the verdict covers it. */
  public Registration uses(Set<Use> all) {
    return new Registration(access, iova, Set.copyOf(all), memory, label);
  }

  /** Says what the program does with the region, all of it, so that the verdict covers it. */
  public Registration uses(Use... all) {
    return uses(Set.of(all));
  }

  /** Says what the memory is, so that it is not assumed. */
  public Registration memory(Memory known) {
    return new Registration(access, iova, uses, known, label);
  }

  /** Registers with this access instead. */
  public Registration access(Access other) {
    return new Registration(other, iova, uses, memory, label);
  }

  /** Says what the region is for, such as {@code rpc buffers}; monitoring shows it. */
  public Registration label(String text) {
    return new Registration(access, iova, uses, memory, text);
  }

  /** The access flags. */
  public Access access() {
    return access;
  }

  /** The address by which peers know the region; empty for the memory's own. */
  public OptionalLong iova() {
    return iova == null ? OptionalLong.empty() : OptionalLong.of(iova);
  }

  /** What the program does with the region; empty if it was not said. */
  public Optional<Set<Use>> uses() {
    return Optional.ofNullable(uses);
  }

  /** What the memory is; empty if it was not said. */
  public Optional<Memory> memory() {
    return Optional.ofNullable(memory);
  }

  /** What the region is for; empty if it was not said. */
  public String label() {
    return label;
  }

  @Nullable Long iovaOrNull() {
    return iova;
  }

  @Nullable Set<Use> usesOrNull() {
    return uses;
  }

  @Nullable Memory memoryOrNull() {
    return memory;
  }
}

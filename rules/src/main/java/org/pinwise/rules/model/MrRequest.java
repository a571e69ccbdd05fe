package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.HEX;
import static org.pinwise.rules.model.Volatility.FIXED;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to register memory, as the caller would make it. A null component is unknown.
 *
 * <p>Addresses and lengths are unsigned 64-bit numbers. The fields that rules compare hold them
 * saturated at 2^63-1; the {@code raw} components keep the bit pattern.
 *
 * {@snippet :
 * MrRequest request = MrRequest.ofLength(4096).access(AccessFlag.REMOTE_WRITE).build();
 * }
 *
 * @param verb which verb
 * @param access the named flags
 * @param unknownBits the bits of the access argument that have no name and that a kernel refuses
 * @param unknownOptionalBits the bits without a name that a kernel ignores, of {@link
 *     AccessFlag#OPTIONAL_RANGE}
 * @param address where the memory starts, saturated
 * @param length its length in bytes, saturated
 * @param iova the address that peers use, saturated; unknown where the verb takes none
 * @param uses what the program does with the region
 * @param regionAccess for a window: the flags of the region that it is bound to
 * @param rawAddress the address as a bit pattern
 * @param rawLength the length as a bit pattern
 * @param rawIova the iova as a bit pattern
 */
public record MrRequest(
    @Nullable Verb verb,
    @Nullable Set<AccessFlag> access,
    @Nullable Long unknownBits,
    @Nullable Long unknownOptionalBits,
    @Nullable Long address,
    @Nullable Long length,
    @Nullable Long iova,
    @Nullable Set<Use> uses,
    @Nullable Set<AccessFlag> regionAccess,
    @Nullable Long rawAddress,
    @Nullable Long rawLength,
    @Nullable Long rawIova) {

  private static final AccessFlag[] FLAGS = AccessFlag.values();
  private static final Use[] USES = Use.values();

  /** The fields of a request. */
  public static final FactType<MrRequest> TYPE =
      FactType.of(MrRequest.class, "request")
          .choice("verb", Verb.class, MrRequest::verb, FIXED, "the verb that is called")
          .flags(
              "access", AccessFlag.class, MrRequest::access, FIXED, "the access flags with a name")
          .number(
              "unknownBits",
              MrRequest::unknownBits,
              HEX,
              FIXED,
              "the bits of the access argument that have no name and are not optional")
          .number(
              "unknownOptionalBits",
              MrRequest::unknownOptionalBits,
              HEX,
              FIXED,
              "the optional bits of the access argument that have no name")
          .number("address", MrRequest::address, HEX, FIXED, "the address where the memory starts")
          .number("length", MrRequest::length, BYTES, FIXED, "the length in bytes")
          .number("iova", MrRequest::iova, HEX, FIXED, "the address that peers use")
          .flags("uses", Use.class, MrRequest::uses, FIXED, "what the program does with the region")
          .flags(
              "regionAccess",
              AccessFlag.class,
              MrRequest::regionAccess,
              FIXED,
              "the access flags of the region that a window is bound to")
          .build(
              v ->
                  new MrRequest(
                      v.choice("verb", Verb.class),
                      v.flags("access"),
                      v.number("unknownBits"),
                      v.number("unknownOptionalBits"),
                      v.number("address"),
                      v.number("length"),
                      v.number("iova"),
                      v.flags("uses"),
                      v.flags("regionAccess"),
                      v.number("address"),
                      v.number("length"),
                      v.number("iova")),
              "rawAddress",
              "rawLength",
              "rawIova");

  /** Makes a request; the saturated and the raw numbers must agree. */
  public MrRequest {
    agree("address", address, rawAddress);
    agree("length", length, rawLength);
    agree("iova", iova, rawIova);
    access = access == null ? null : FlagSet.of(FLAGS, access);
    uses = uses == null ? null : FlagSet.of(USES, uses);
    regionAccess = regionAccess == null ? null : FlagSet.of(FLAGS, regionAccess);
  }

  private static void agree(String name, @Nullable Long saturated, @Nullable Long raw) {
    Long expected = Unsigned.saturated(raw);
    if (expected == null ? saturated != null : !expected.equals(saturated)) {
      throw new IllegalArgumentException(
          "%s %s is not its raw value %s saturated".formatted(name, saturated, raw));
    }
  }

  /** Starts a request of which only the verb is known, {@code ibv_reg_mr}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Starts a request for so many bytes, as an unsigned number, at an address yet unknown. */
  public static Builder ofLength(long length) {
    return builder().length(length);
  }

  /** Starts a request for a range of memory; both numbers are unsigned. */
  public static Builder range(long address, long length) {
    return builder().address(address).length(length);
  }

  /** Returns a builder that holds what this request holds. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.verb = verb;
    builder.access = accessArgument();
    builder.address = rawAddress;
    builder.length = rawLength;
    builder.iova = rawIova;
    builder.uses = uses;
    builder.regionAccess = regionAccess;
    return builder;
  }

  /** Returns the whole access argument; null where it is unknown. */
  public @Nullable Access accessArgument() {
    return access == null || unknownBits == null || unknownOptionalBits == null
        ? null
        : new Access(access, (int) (unknownBits | unknownOptionalBits));
  }

  /** Returns this request with these unsigned numbers; null is unknown. */
  public MrRequest withRange(
      @Nullable Long newAddress, @Nullable Long newLength, @Nullable Long newIova) {
    return new MrRequest(
        verb,
        access,
        unknownBits,
        unknownOptionalBits,
        Unsigned.saturated(newAddress),
        Unsigned.saturated(newLength),
        Unsigned.saturated(newIova),
        uses,
        regionAccess,
        newAddress,
        newLength,
        newIova);
  }

  /** Builds requests; not thread-safe. */
  public static final class Builder {
    private @Nullable Verb verb = Verb.REG_MR;
    private @Nullable Access access;
    private @Nullable Long address;
    private @Nullable Long length;
    private @Nullable Long iova;
    private @Nullable Set<Use> uses;
    private @Nullable Set<AccessFlag> regionAccess;

    private Builder() {}

    /** Sets the verb; {@code ibv_reg_mr} where it is not set. */
    public Builder verb(Verb verb) {
      this.verb = verb;
      return this;
    }

    /** Sets the access to these flags and no others; no flag is local read only. */
    public Builder access(AccessFlag... flags) {
      return access(Access.of(flags));
    }

    /** Sets the access. */
    public Builder access(Access access) {
      this.access = access;
      return this;
    }

    /** Sets the address where the memory starts, unsigned. */
    public Builder address(long address) {
      this.address = address;
      return this;
    }

    /** Sets the length in bytes, unsigned. */
    public Builder length(long length) {
      this.length = length;
      return this;
    }

    /** Sets the address that peers use, unsigned, and with it the verb {@code ibv_reg_mr_iova}. */
    public Builder iova(long iova) {
      this.iova = iova;
      if (verb == Verb.REG_MR) {
        verb = Verb.REG_MR_IOVA;
      }
      return this;
    }

    /** Says what the program does with the region, all of it. */
    public Builder uses(Set<Use> uses) {
      this.uses = Set.copyOf(uses);
      return this;
    }

    /** Says of a window with what access its region was registered. */
    public Builder regionAccess(Set<AccessFlag> regionAccess) {
      this.regionAccess = Set.copyOf(regionAccess);
      return this;
    }

    private static Long bits(int bits) {
      return Integer.toUnsignedLong(bits);
    }

    /** Returns the request. */
    public MrRequest build() {
      return new MrRequest(
          verb,
          access == null ? null : access.flags(),
          access == null ? null : bits(access.unknownBits() & ~AccessFlag.OPTIONAL_RANGE),
          access == null ? null : bits(access.unknownBits() & AccessFlag.OPTIONAL_RANGE),
          Unsigned.saturated(address),
          Unsigned.saturated(length),
          Unsigned.saturated(iova),
          uses,
          regionAccess,
          address,
          length,
          iova);
    }
  }
}

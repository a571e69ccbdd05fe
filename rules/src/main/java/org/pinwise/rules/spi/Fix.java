package org.pinwise.rules.spi;

import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.MrRequest;

/** A change of a request that a rule names as the way out. None of them adds a right of peers. */
public sealed interface Fix {

  /** Returns the request with the change made; the same where there is nothing to change. */
  MrRequest apply(MrRequest request);

  /** Adds a flag that gives peers no right. */
  record AddFlag(AccessFlag flag) implements Fix {
    /**
     * Makes the fix.
     *
     * @throws IllegalArgumentException if the flag gives peers a right
     */
    public AddFlag {
      if (flag.name().startsWith("REMOTE_") || flag.name().startsWith("FLUSH_")) {
        throw new IllegalArgumentException(
            "a fix never gives peers a right, so it cannot add " + flag);
      }
    }

    @Override
    public MrRequest apply(MrRequest request) {
      Access access = request.accessArgument();
      return access == null ? request : request.toBuilder().access(access.with(flag)).build();
    }

    @Override
    public String toString() {
      return "add " + flag;
    }
  }

  /** Drops a flag. */
  record DropFlag(AccessFlag flag) implements Fix {
    @Override
    public MrRequest apply(MrRequest request) {
      Access access = request.accessArgument();
      return access == null ? request : request.toBuilder().access(access.without(flag)).build();
    }

    @Override
    public String toString() {
      return "drop " + flag;
    }
  }

  /** Drops the bits that have no name. */
  record DropUnknownBits() implements Fix {
    @Override
    public MrRequest apply(MrRequest request) {
      Access access = request.accessArgument();
      return access == null
          ? request
          : request.toBuilder().access(access.withoutUnknownBits()).build();
    }

    @Override
    public String toString() {
      return "drop unknown bits";
    }
  }

  /** Gives the iova the address's offset in a 64 KiB page, and so in every page. */
  record AlignIova() implements Fix {
    private static final long OFFSET = 0xffff;

    @Override
    public MrRequest apply(MrRequest request) {
      Long iova = request.rawIova();
      Long address = request.rawAddress();
      if (iova == null) {
        return request;
      }
      long offset = address == null ? 0 : address & OFFSET;
      return request.toBuilder().iova((iova & ~OFFSET) | offset).build();
    }

    @Override
    public String toString() {
      return "align iova";
    }
  }
}

package org.pinwise.registrar.verbs;

import java.util.function.IntFunction;

/**
 * What a verb that yields something answers: the thing itself, or the errno.
 *
 * <p>The things implement this interface themselves, so that the usual answer needs no wrapper
 * object, and a switch over the result is exhaustive:
 *
 * {@snippet :
 * switch (verbs.regMr(pd, memory, access)) {
 *   case MemoryRegion region -> use(region.lkey());
 *   case Result.Failed(int errno) -> explain(errno);
 * }
 * }
 *
 * @param <T> the thing
 */
public sealed interface Result<T>
    permits DeviceList,
        DeviceContext,
        DeviceAttributes,
        DeviceAttributesEx,
        ProtectionDomain,
        MemoryRegion,
        Result.Failed {

  /**
   * The call failed.
   *
   * @param <T> what the call would have yielded
   * @param errno why: the number of the platform's errno.h. 0 if the library reported a failure and
   *     left errno at 0
   */
  record Failed<T>(int errno) implements Result<T> {}

  /**
   * The thing, or an exception made from the errno.
   *
   * @param exception called with the errno
   */
  default T orElseThrow(IntFunction<? extends RuntimeException> exception) {
    if (this instanceof Failed<T>(int errno)) {
      throw exception.apply(errno);
    }
    // Every other permitted type X is a Result<X>, and the interface is sealed.
    @SuppressWarnings("unchecked")
    T thing = (T) this;
    return thing;
  }
}

package org.pinwise.registrar.verbs;

import java.util.Optional;

/** Whether the JVM was told that this module may call native functions. */
public final class NativeAccess {

  private NativeAccess() {}

  /** Why native functions may not be called, with the exact flag to add; empty if they may. */
  public static Optional<String> denied() {
    Module module = NativeAccess.class.getModule();
    if (module.isNativeAccessEnabled()) {
      return Optional.empty();
    }
    boolean named = module.isNamed();
    return Optional.of(
        "native access is not enabled for %s. Start java with --enable-native-access=%s."
            .formatted(
                named ? "module " + module.getName() : "the class path",
                named ? module.getName() : "ALL-UNNAMED"));
  }
}

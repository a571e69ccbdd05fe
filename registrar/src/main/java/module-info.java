/**
 * Registers memory for RDMA through libibverbs.
 *
 * <p>A module for one reason: {@code --enable-native-access=org.pinwise.registrar} can then name
 * it, where the class path would need {@code ALL-UNNAMED}. The other modules of Pinwise are
 * automatic.
 */
module org.pinwise.registrar {
  requires static org.jspecify;
  requires org.pinwise.engine;
  requires org.pinwise.rules;

  exports org.pinwise.registrar;

  provides org.pinwise.engine.facts.LiveDevices with
      org.pinwise.registrar.cli.LiveVerbsDevices;
}

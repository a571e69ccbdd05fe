/**
 * Registers memory for RDMA through libibverbs.
 *
 * <p>A module for one reason: {@code --enable-native-access=org.pinwise.registrar} can then name
 * it, where the class path would need {@code ALL-UNNAMED}. The other modules of Pinwise are
 * automatic.
 */
module org.pinwise.registrar {
  requires static info.picocli;
  requires java.management;
  requires static jdk.attach;
  requires jdk.jfr;
  requires static micrometer.core;
  requires static org.jspecify;
  requires org.pinwise.engine;
  requires static org.pinwise.engine.cli;
  requires org.pinwise.rules;

  exports org.pinwise.registrar;
  exports org.pinwise.registrar.cache;
  exports org.pinwise.registrar.memory;
  exports org.pinwise.registrar.micrometer;
  exports org.pinwise.registrar.monitor;

  // picocli sets the fields of commands.
  opens org.pinwise.registrar.cli to
      info.picocli;

  provides org.pinwise.engine.cli.CliExtension with
      org.pinwise.registrar.cli.RegistrarCommands;
  provides org.pinwise.engine.facts.LiveDevices with
      org.pinwise.registrar.cli.LiveVerbsDevices;
}

package org.pinwise.registrar.watch;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.pinwise.registrar.monitor.RegionFigures;
import org.pinwise.registrar.monitor.RegistrarMXBean;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/** Reads the beans of a JVM's registrars, through a connection that stays open. */
final class JvmReader implements AutoCloseable {
  private final MBeanServerConnection server;
  private final AutoCloseable connection;

  /** Reads from a server; closes {@code connection} in the end. */
  JvmReader(MBeanServerConnection server, AutoCloseable connection) {
    this.server = server;
    this.connection = connection;
  }

  /**
   * Connects to a JVM of this host, by the agent that it starts in itself when asked to.
   *
   * @throws UnreadableException if it does not answer; says why
   */
  @SuppressWarnings("BanJNDI") // the address is the local agent's own, and names no directory
  static JvmReader attach(long pid) throws UnreadableException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        JMXConnector connector =
            JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
        return new JvmReader(connector.getMBeanServerConnection(), connector);
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      throw new UnreadableException(
          "process %d does not let itself be attached to: %s. It must be a JVM of this user, and not"
                  .formatted(pid, e.getMessage())
              + " started with -XX:+DisableAttachMechanism");
    } catch (NoClassDefFoundError e) {
      throw new UnreadableException(
          "this Java has no module jdk.attach or jdk.management.agent; run a whole JDK");
    }
  }

  /**
   * Reads all registrars.
   *
   * @throws UnreadableException if it does not answer any more
   */
  List<JvmRegistrar> read() throws UnreadableException {
    List<JvmRegistrar> registrars = new ArrayList<>();
    try {
      for (ObjectName name : server.queryNames(new ObjectName(RegistrarMXBean.NAMES), null)) {
        registrars.add(
            read(name.toString(), JMX.newMXBeanProxy(server, name, RegistrarMXBean.class)));
      }
    } catch (IOException | JMException | JMRuntimeException | UndeclaredThrowableException e) {
      Throwable cause =
          e instanceof UndeclaredThrowableException && e.getCause() != null ? e.getCause() : e;
      throw new UnreadableException(
          "the JVM's registrars cannot be read: %s. Maybe it has ended, or has another version of"
                  .formatted(cause.getMessage())
              + " Pinwise");
    }
    registrars.sort(Comparator.comparing(JvmRegistrar::name));
    return registrars;
  }

  static JvmRegistrar read(String name, RegistrarMXBean bean) {
    List<RegionFigures> regions = bean.getRegions();
    return new JvmRegistrar(
        name,
        bean.getDevice(),
        bean.isSimulated(),
        bean.getMaxRegions(),
        bean.getRegistrations(),
        bean.getDeregistrations(),
        bean.getRefusals(),
        bean.getFailures(),
        bean.getFailedDeregistrations(),
        bean.getFallbacks(),
        bean.getEvictions(),
        bean.getLostLeases(),
        bean.getRegistrationLatency(),
        bean.getDeregistrationLatency(),
        regions,
        bean.getCaches());
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (Exception e) { // it is going away: nobody waits for an answer
      return;
    }
  }
}

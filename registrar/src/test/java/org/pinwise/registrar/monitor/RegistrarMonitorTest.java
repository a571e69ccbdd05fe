package org.pinwise.registrar.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.InstanceNotFoundException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.RegistrationOutcome;
import org.pinwise.registrar.Rung;
import org.pinwise.registrar.Simulations;
import org.pinwise.registrar.cache.CacheOptions;
import org.pinwise.registrar.cache.CacheStats;
import org.pinwise.registrar.cache.RegionCache;
import org.pinwise.rules.model.Access;

class RegistrarMonitorTest {
  private static final Access BOTH = Access.of(LOCAL_WRITE, REMOTE_READ);

  @TempDir private Path folder;

  @Test
  void flightRecorderHasWhatHappened() throws IOException {
    Path file = folder.resolve("events.jfr");
    RegisteredRegion region;
    try (Recording recording = new Recording();
        Arena arena = Arena.ofShared();
        MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe", Simulations.VALIDATOR);
        RegistrarMonitor _ = RegistrarMonitor.open(registrar)) {
      recording.enable("org.pinwise.Registration");
      recording.enable("org.pinwise.Deregistration");
      recording.enable("org.pinwise.Refusal");
      recording.enable("org.pinwise.Failure");
      recording.start();
      MemorySegment memory = arena.allocate(8192, 4096);
      region =
          registrar.register(memory, Registration.of(BOTH).label("ring of the test")).orElseThrow();
      region.close();
      assertThat(registrar.register(memory, Access.of(REMOTE_WRITE)))
          .isInstanceOf(RegistrationOutcome.Refused.class);
      recording.stop();
      recording.dump(file);
    }
    Map<String, List<RecordedEvent>> events = read(file);

    RecordedEvent registered = one(events, "org.pinwise.Registration");
    assertThat(registered.getString("device")).isEqualTo("rxe");
    assertThat(registered.getBoolean("simulated")).isTrue();
    assertThat(registered.getString("address")).isEqualTo("0x%x".formatted(region.address()));
    assertThat(registered.getLong("length")).isEqualTo(8192);
    assertThat(registered.getString("access")).isEqualTo(BOTH.toString());
    assertThat(registered.getInt("lkey")).isEqualTo(region.lkey());
    assertThat(registered.getInt("rkey")).isEqualTo(region.rkey());
    assertThat(registered.getString("origin")).isEqualTo("ring of the test");
    assertThat(registered.getDuration("call")).isPositive();
    assertThat(registered.getString("decision")).isEqualTo("accepted");
    assertThat(registered.getStackTrace().getFrames())
        .as("the stack leads to who registered")
        .anyMatch(frame ->
            frame.getMethod().getType().getName().equals(RegistrarMonitorTest.class.getName()));
    assertThat(one(events, "org.pinwise.Deregistration").getInt("lkey")).isEqualTo(region.lkey());
    assertThat(one(events, "org.pinwise.Deregistration").getString("errno")).isNull();
    RecordedEvent refused = one(events, "org.pinwise.Refusal");
    assertThat(refused.getString("findings")).contains("MR001");
    assertThat(refused.getString("access")).isEqualTo("REMOTE_WRITE");
    assertThat(refused.getLong("length")).isEqualTo(8192);
    assertThat(events).doesNotContainKey("org.pinwise.Failure");
  }

  @Test
  void flightRecorderHasFallbacksAndEvictions() throws IOException {
    Path file = folder.resolve("more.jfr");
    try (Recording recording = new Recording();
        Arena arena = Arena.ofShared();
        MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe", Simulations.VALIDATOR);
        RegistrarMonitor _ = RegistrarMonitor.open(registrar);
        RegionCache cache =
            RegionCache.on(registrar, CacheOptions.DEFAULT.withMaxRegions(1).withOwnScans(false))) {
      recording.enable("org.pinwise.Fallback");
      recording.enable("org.pinwise.Eviction");
      recording.start();
      MemorySegment memory = arena.allocate(8192, 4096);
      registrar.register(
          memory, Registration.of(REMOTE_WRITE), List.of(Rung.withoutOptionalFlags()));
      cache.acquire(memory.asSlice(0, 4096), BOTH).close();
      cache.acquire(memory.asSlice(4096, 4096), BOTH).close();
      recording.stop();
      recording.dump(file);
    }
    Map<String, List<RecordedEvent>> events = read(file);

    List<RecordedEvent> steps = events.get("org.pinwise.Fallback");
    assertThat(steps)
        .extracting(step -> step.getString("result"))
        .containsExactly("REFUSED", "NOT_APPLICABLE");
    assertThat(steps.getFirst().getString("device")).isEqualTo("rxe");
    assertThat(steps.getFirst().getLong("length")).isEqualTo(8192);
    assertThat(steps.getFirst().getString("access")).isEqualTo("REMOTE_WRITE");
    assertThat(steps.getFirst().getString("findings")).contains("MR001");
    assertThat(steps.getLast().getString("rung")).isNotEmpty();
    RecordedEvent evicted = one(events, "org.pinwise.Eviction");
    assertThat(evicted.getString("reason")).isEqualTo("BUDGET");
    assertThat(evicted.getLong("length")).isEqualTo(4096);
    assertThat(evicted.getString("access")).isEqualTo(BOTH.toString());
  }

  private static Map<String, List<RecordedEvent>> read(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .collect(Collectors.groupingBy(event -> event.getEventType().getName()));
  }

  private static RecordedEvent one(Map<String, List<RecordedEvent>> events, String name) {
    assertThat(events).containsKey(name);
    assertThat(events.get(name)).hasSize(1);
    return events.get(name).getFirst();
  }

  @Test
  void withoutARecordingNothingIsTimed() {
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe", Simulations.VALIDATOR)) {
      assertThat(new FlightEvents(registrar).isListening()).isFalse();
      try (Recording recording = new Recording()) {
        recording.enable("org.pinwise.Eviction");
        recording.start();
        assertThat(new FlightEvents(registrar).isListening()).isTrue();
      }
    }
  }

  @Test
  void theBeanHasTheFigures() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    String name;
    try (Arena arena = Arena.ofShared();
        MemoryRegistrar registrar = MemoryRegistrar.simulated("rxe", Simulations.VALIDATOR);
        RegistrarMonitor monitor = RegistrarMonitor.open(registrar);
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT)) {
      name = monitor.beanName();
      monitor.watchCache("ring", cache);
      MemorySegment memory = arena.allocate(4096, 4096);
      RegisteredRegion kept =
          registrar.register(memory, Registration.of(BOTH).label("kept")).orElseThrow();
      registrar.register(memory, BOTH).orElseThrow().close();
      registrar.register(memory, Access.of(REMOTE_WRITE));
      RegistrarMXBean bean =
          JMX.newMXBeanProxy(server, new ObjectName(name), RegistrarMXBean.class);

      assertThat(name).isEqualTo("org.pinwise:type=Registrar,device=\"rxe\",id=1");
      assertThat(server.queryNames(new ObjectName(RegistrarMXBean.NAMES), null)).hasSize(1);
      assertThat(bean.getDevice()).isEqualTo("rxe");
      assertThat(bean.isSimulated()).isTrue();
      assertThat(bean.getMaxRegions()).isEqualTo(registrar.device().maxMr());
      assertThat(bean.getRegistrations()).isEqualTo(2);
      assertThat(bean.getDeregistrations()).isEqualTo(1);
      assertThat(bean.getRefusals()).isEqualTo(1);
      assertThat(bean.getFailures()).isZero();
      assertThat(bean.getFailedDeregistrations()).isZero();
      assertThat(bean.getFallbacks()).isZero();
      assertThat(bean.getEvictions()).isZero();
      assertThat(bean.getLostLeases()).isZero();
      assertThat(bean.getLiveRegions()).isEqualTo(1);
      assertThat(bean.getLiveBytes()).isEqualTo(4096);
      assertThat(bean.getRegistrationLatency().count()).isEqualTo(2);
      assertThat(bean.getRegistrationLatency().maxNanos()).isPositive();
      assertThat(bean.getDeregistrationLatency().count()).isEqualTo(1);
      assertThat(bean.getCaches()).containsOnlyKeys("ring");
      assertThat(bean.getCaches().get("ring"))
          .containsEntry("misses", 0L)
          .hasSize(CacheStats.class.getRecordComponents().length);
      RegionFigures region = bean.getRegions().getFirst();
      assertThat(region.lkey()).isEqualTo(Integer.toUnsignedLong(kept.lkey()));
      assertThat(region.address()).isEqualTo("0x%x".formatted(kept.address()));
      assertThat(region.length()).isEqualTo(4096);
      assertThat(region.access()).isEqualTo(BOTH.toString());
      assertThat(region.origin()).isEqualTo("kept");
      assertThat(region.leases()).isZero();
    }
    assertThatThrownBy(() -> server.getMBeanInfo(new ObjectName(name)))
        .isInstanceOf(InstanceNotFoundException.class);
  }

  @Test
  void registrarsOfADeviceHaveBeansOfTheirOwn() {
    try (MemoryRegistrar first = MemoryRegistrar.simulated("siw", Simulations.VALIDATOR);
        MemoryRegistrar second = MemoryRegistrar.simulated("siw", Simulations.VALIDATOR)) {
      RegistrarMonitor one = RegistrarMonitor.open(first);
      RegistrarMonitor two = RegistrarMonitor.open(second);
      assertThat(one.beanName()).endsWith("id=1");
      assertThat(two.beanName()).endsWith("id=2");
      one.close();
      one.close();
      two.close();
    }
  }
}

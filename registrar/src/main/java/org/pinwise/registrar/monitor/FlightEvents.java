package org.pinwise.registrar.monitor;

import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import jdk.jfr.Unsigned;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Finding;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.Eviction;
import org.pinwise.registrar.FallbackStep;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.RegistrarListener;
import org.pinwise.registrar.VerbsException;
import org.pinwise.rules.model.Access;

/**
 * Makes Flight Recorder events of what happens to regions. The stack of each event is that of the
 * code that registered or closed. Where no recording has them enabled, nothing is timed or made.
 */
final class FlightEvents implements RegistrarListener {

  private final MemoryRegistrar registrar;
  private final EventType[] types;

  FlightEvents(MemoryRegistrar registrar) {
    this.registrar = registrar;
    types =
        new EventType[] {
          EventType.getEventType(RegistrationEvent.class),
          EventType.getEventType(DeregistrationEvent.class),
          EventType.getEventType(RefusalEvent.class),
          EventType.getEventType(FailureEvent.class),
          EventType.getEventType(FallbackEvent.class),
          EventType.getEventType(EvictionEvent.class),
          EventType.getEventType(LostLeaseEvent.class)
        };
  }

  @Override
  public boolean isListening() {
    for (EventType type : types) {
      if (type.isEnabled()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
    RegistrationEvent event = new RegistrationEvent();
    if (event.shouldCommit()) {
      event.describe(registrar, region);
      event.call = nanos;
      event.decision = verdict.decision();
      event.findings = ids(verdict);
      event.commit();
    }
  }

  @Override
  public void deregistered(RegisteredRegion region, long nanos) {
    deregistration(region, null, nanos);
  }

  @Override
  public void notDeregistered(RegisteredRegion region, VerbsException error, long nanos) {
    deregistration(region, error, nanos);
  }

  private void deregistration(RegisteredRegion region, @Nullable VerbsException error, long nanos) {
    DeregistrationEvent event = new DeregistrationEvent();
    if (event.shouldCommit()) {
      event.describe(registrar, region);
      event.call = nanos;
      event.errno = error == null ? null : error.errnoName();
      event.commit();
    }
  }

  @Override
  public void refused(MemoryRegistrar of, Verdict verdict) {
    RefusalEvent event = new RefusalEvent();
    if (event.shouldCommit()) {
      event.describe(of, verdict);
      event.commit();
    }
  }

  @Override
  public void failed(MemoryRegistrar of, VerbsException error, Verdict diagnosis, long nanos) {
    FailureEvent event = new FailureEvent();
    if (event.shouldCommit()) {
      event.describe(of, diagnosis);
      event.operation = error.operation();
      event.errno = error.errnoName();
      event.call = nanos;
      event.commit();
    }
  }

  @Override
  public void fellBack(MemoryRegistrar of, FallbackStep step) {
    FallbackEvent event = new FallbackEvent();
    if (event.shouldCommit()) {
      event.device = of.deviceName();
      event.simulated = of.isSimulated();
      step.verdict().ifPresent(verdict -> event.describe(of, verdict));
      event.rung = step.rung();
      event.result = step.result().name();
      event.detail = step.detail();
      event.errno = step.error().map(VerbsException::errnoName).orElse(null);
      event.commit();
    }
  }

  @Override
  public void evicted(RegisteredRegion region, Eviction why) {
    EvictionEvent event = new EvictionEvent();
    if (event.shouldCommit()) {
      event.describe(registrar, region);
      event.reason = why.name();
      event.commit();
    }
  }

  @Override
  public void leaseLost(RegisteredRegion region, String where) {
    LostLeaseEvent event = new LostLeaseEvent();
    if (event.shouldCommit()) {
      event.describe(registrar, region);
      event.where = where;
      event.commit();
    }
  }

  private static String ids(Verdict verdict) {
    return verdict.findings().stream().map(Finding::rule).collect(Collectors.joining(","));
  }

  /** What events about a region have in common. */
  @Category({"Pinwise", "Memory registration"})
  abstract static class RegionEvent extends Event {
    @Label("Device")
    @Nullable String device;

    @Label("Simulated")
    @Description("The keys are made up, and mean nothing to any hardware")
    boolean simulated;

    @Label("Address")
    @Description("Where the region starts, in hexadecimal")
    @Nullable String address;

    @Label("Length")
    @DataAmount
    @Unsigned
    long length;

    @Label("Access")
    @Nullable String access;

    @Label("Local key")
    @Unsigned
    int lkey;

    @Label("Remote key")
    @Unsigned
    int rkey;

    @Label("Origin")
    @Description("What the program said that the region is for")
    @Nullable String origin;

    final void describe(MemoryRegistrar registrar, RegisteredRegion region) {
      device = registrar.deviceName();
      simulated = region.isSimulated();
      address = "0x%x".formatted(region.address());
      length = region.length();
      access = region.access().toString();
      lkey = region.lkey();
      rkey = region.rkey();
      origin = region.label();
    }
  }

  /** What events about a request have in common. */
  @Category({"Pinwise", "Memory registration"})
  abstract static class RequestEvent extends Event {
    @Label("Device")
    @Nullable String device;

    @Label("Simulated")
    boolean simulated;

    @Label("Length")
    @DataAmount
    @Unsigned
    long length;

    @Label("Access")
    @Nullable String access;

    @Label("Decision")
    @Nullable String decision;

    @Label("Findings")
    @Description("The rules that found something, separated by commas")
    @Nullable String findings;

    final void describe(MemoryRegistrar registrar, Verdict verdict) {
      device = registrar.deviceName();
      simulated = registrar.isSimulated();
      Long bytes = verdict.request().rawLength();
      length = bytes == null ? 0 : bytes;
      Access flags = verdict.request().accessArgument();
      access = flags == null ? null : flags.toString();
      decision = verdict.decision();
      findings = ids(verdict);
    }
  }

  @Name("org.pinwise.Registration")
  @Label("Memory Registration")
  @Description("Memory was registered")
  static final class RegistrationEvent extends RegionEvent {
    @Label("Call")
    @Description("How long the native call took")
    @Timespan(Timespan.NANOSECONDS)
    long call;

    @Label("Decision")
    @Nullable String decision;

    @Label("Findings")
    @Description("The rules that found something, separated by commas")
    @Nullable String findings;
  }

  @Name("org.pinwise.Deregistration")
  @Label("Memory Deregistration")
  @Description("A region was given back, or was not taken back")
  static final class DeregistrationEvent extends RegionEvent {
    @Label("Call")
    @Description("How long the native call took")
    @Timespan(Timespan.NANOSECONDS)
    long call;

    @Label("Errno")
    @Description("Nothing where it was given back")
    @Nullable String errno;
  }

  @Name("org.pinwise.Refusal")
  @Label("Registration Refused")
  @Description("The rules refused a registration, without a native call")
  static final class RefusalEvent extends RequestEvent {}

  @Name("org.pinwise.Failure")
  @Label("Registration Failed")
  @Description("A registering call failed")
  static final class FailureEvent extends RequestEvent {
    @Label("Operation")
    @Nullable String operation;

    @Label("Errno")
    @Nullable String errno;

    @Label("Call")
    @Description("How long the native call took")
    @Timespan(Timespan.NANOSECONDS)
    long call;
  }

  @Name("org.pinwise.Fallback")
  @Label("Registration Fallback")
  @Description("A rung of a fallback ladder was tried or passed over")
  static final class FallbackEvent extends RequestEvent {
    @Label("Rung")
    @Nullable String rung;

    @Label("Result")
    @Nullable String result;

    @Label("Detail")
    @Nullable String detail;

    @Label("Errno")
    @Description("Nothing where the call did not fail")
    @Nullable String errno;
  }

  @Name("org.pinwise.Eviction")
  @Label("Region Evicted")
  @Description("A cache let a region go")
  static final class EvictionEvent extends RegionEvent {
    @Label("Reason")
    @Nullable String reason;
  }

  @Name("org.pinwise.LostLease")
  @Label("Lease Lost")
  @Description("A lease became unreachable without having been closed")
  static final class LostLeaseEvent extends RegionEvent {
    @Label("Where")
    @Description("The frames of the program that took it")
    @Nullable String where;
  }
}

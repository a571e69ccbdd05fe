package org.pinwise.engine.eval;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;

/**
 * One fact of every type: what a judgement reads.
 *
 * @param request the request
 * @param range what follows from its numbers
 * @param memory the memory
 * @param device the device
 * @param host the host
 * @param plan what else is registered
 * @param labels a team's own facts
 * @param configuration what is judged instead of a call; null where a call is
 */
public record FactTuple(
    MrRequest request,
    AddressRange range,
    Memory memory,
    Device device,
    Host host,
    Plan plan,
    Labels labels,
    @Nullable Configuration configuration) {

  /** Makes a tuple about a call. */
  public FactTuple(
      MrRequest request,
      AddressRange range,
      Memory memory,
      Device device,
      Host host,
      Plan plan,
      Labels labels) {
    this(request, range, memory, device, host, plan, labels, null);
  }

  /** The tuple of which nothing is known. */
  public static final FactTuple UNKNOWN =
      new FactTuple(
          MrRequest.TYPE.unknown(),
          AddressRange.TYPE.unknown(),
          Memory.TYPE.unknown(),
          Device.TYPE.unknown(),
          Host.TYPE.unknown(),
          Plan.TYPE.unknown(),
          Labels.UNKNOWN);

  /** Returns the fact of a type. */
  public <F> F get(FactType<F> type) {
    Object fact;
    if (type.equals(MrRequest.TYPE)) {
      fact = request;
    } else if (type.equals(AddressRange.TYPE)) {
      fact = range;
    } else if (type.equals(Memory.TYPE)) {
      fact = memory;
    } else if (type.equals(Device.TYPE)) {
      fact = device;
    } else if (type.equals(Host.TYPE)) {
      fact = host;
    } else if (type.equals(Plan.TYPE)) {
      fact = plan;
    } else if (type.equals(Labels.TYPE)) {
      fact = labels;
    } else if (type.isConfiguration()) {
      fact = type.type().isInstance(configuration) ? configuration : type.unknown();
    } else {
      throw new IllegalArgumentException("no fact of " + type + " takes part in a judgement");
    }
    return type.type().cast(fact);
  }

  /** Returns this tuple with another fact in the place of its type. */
  public FactTuple with(Object fact) {
    return new FactTuple(
        fact instanceof MrRequest f ? f : request,
        fact instanceof AddressRange f ? f : range,
        fact instanceof Memory f ? f : memory,
        fact instanceof Device f ? f : device,
        fact instanceof Host f ? f : host,
        fact instanceof Plan f ? f : plan,
        fact instanceof Labels f ? f : labels,
        fact instanceof Configuration f ? f : configuration);
  }

  /** Returns all facts. */
  public List<Object> all() {
    return configuration == null
        ? List.of(request, range, memory, device, host, plan, labels)
        : List.of(request, range, memory, device, host, plan, labels, configuration);
  }
}

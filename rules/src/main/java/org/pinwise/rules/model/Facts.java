package org.pinwise.rules.model;

import org.jspecify.annotations.Nullable;

/**
 * All that is known about one call: what a judgement rests on.
 *
 * @param request the request
 * @param memory the memory under it; null where nothing was said of it, so that it may be assumed
 * @param device the device
 * @param host the host and the process
 * @param labels facts of a team's own
 * @param plan what else is registered; {@link Plan#NONE} where nobody gives a plan
 * @param configuration what is judged instead of a call; null where a call is
 */
public record Facts(
    MrRequest request,
    @Nullable Memory memory,
    Device device,
    Host host,
    Labels labels,
    Plan plan,
    @Nullable Configuration configuration) {

  /** Makes facts about a call. */
  public Facts(
      MrRequest request,
      @Nullable Memory memory,
      Device device,
      Host host,
      Labels labels,
      Plan plan) {
    this(request, memory, device, host, labels, plan, null);
  }

  /** Makes facts without labels and without a plan. */
  public Facts(MrRequest request, @Nullable Memory memory, Device device, Host host) {
    this(request, memory, device, host, Labels.UNKNOWN, Plan.NONE);
  }

  /** Returns facts about something that a configuration file says. */
  public static Facts of(Configuration configuration) {
    return of(MrRequest.TYPE.unknown())
        .withPlan(Plan.TYPE.unknown())
        .withConfiguration(configuration);
  }

  /** Returns facts of which only the request is known. */
  public static Facts of(MrRequest request) {
    return new Facts(request, null, Device.UNKNOWN, Host.UNKNOWN);
  }

  /** Returns these facts about another request. */
  public Facts withRequest(MrRequest newRequest) {
    return new Facts(newRequest, memory, device, host, labels, plan, configuration);
  }

  /** Returns these facts with the memory known. */
  public Facts withMemory(@Nullable Memory newMemory) {
    return new Facts(request, newMemory, device, host, labels, plan, configuration);
  }

  /** Returns these facts with the device known. */
  public Facts withDevice(Device newDevice) {
    return new Facts(request, memory, newDevice, host, labels, plan, configuration);
  }

  /** Returns these facts with the host known. */
  public Facts withHost(Host newHost) {
    return new Facts(request, memory, device, newHost, labels, plan, configuration);
  }

  /** Returns these facts with a team's own. */
  public Facts withLabels(Labels newLabels) {
    return new Facts(request, memory, device, host, newLabels, plan, configuration);
  }

  /** Returns these facts as part of a plan. */
  public Facts withPlan(Plan newPlan) {
    return new Facts(request, memory, device, host, labels, newPlan, configuration);
  }

  /** Returns these facts about something that a configuration file says. */
  public Facts withConfiguration(@Nullable Configuration newConfiguration) {
    return new Facts(request, memory, device, host, labels, plan, newConfiguration);
  }
}

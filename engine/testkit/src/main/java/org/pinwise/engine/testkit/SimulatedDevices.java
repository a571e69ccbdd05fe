package org.pinwise.engine.testkit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.pinwise.engine.facts.CatalogDevice;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.text.Nearest;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

/** Fills in what {@link OnDevice} promises; that annotation brings it. */
public final class SimulatedDevices implements ParameterResolver {

  /** Makes the extension; JUnit does. */
  public SimulatedDevices() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return (type == Device.class || type == Host.class || type == Facts.class)
        && find(parameter, context).isPresent();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    OnDevice on = find(parameter, context).orElseThrow();
    Integer kernel = kernel(on);
    Class<?> type = parameter.getParameter().getType();
    if (type == Host.class) {
      return host(kernel);
    }
    Device device = device(on, kernel);
    return type == Device.class
        ? device
        : Facts.of(MrRequest.builder().build()).withDevice(device).withHost(host(kernel));
  }

  private static Optional<OnDevice> find(ParameterContext parameter, ExtensionContext context) {
    Optional<OnDevice> own = parameter.findAnnotation(OnDevice.class);
    for (ExtensionContext at = context; own.isEmpty() && at != null; ) {
      own = AnnotationSupport.findAnnotation(at.getElement(), OnDevice.class);
      at = at.getParent().orElse(null);
    }
    return own;
  }

  private static @Nullable Integer kernel(OnDevice on) {
    if (on.kernel().isEmpty()) {
      return null;
    }
    return Kernel.parse(on.kernel())
        .orElseThrow(() ->
            new ParameterResolutionException(
                "@OnDevice: %s is no kernel version; write it as 6.12".formatted(on.kernel())));
  }

  private static Device device(OnDevice on, @Nullable Integer kernel) {
    DeviceCatalog catalog = DeviceCatalog.load();
    return catalog
        .find(on.value())
        .map((CatalogDevice device) -> device.facts(kernel))
        .orElseThrow(() ->
            new ParameterResolutionException(
                "@OnDevice: the catalogue has no device %s%s"
                    .formatted(on.value(), Nearest.hint(on.value(), catalog.names()))));
  }

  /** A host with the kernel's own drivers and pages of 4 KiB; no more is known of it. */
  private static Host host(@Nullable Integer kernel) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("kernel", kernel);
    values.put("stack", DriverStack.INBOX);
    values.put("pageSize", 4096L);
    return Host.TYPE.of(values);
  }
}

package org.pinwise.engine.lint;

import static org.pinwise.engine.lint.YamlPlaces.at;
import static org.pinwise.engine.lint.YamlPlaces.isTrue;
import static org.pinwise.engine.lint.YamlPlaces.items;
import static org.pinwise.engine.lint.YamlPlaces.mapping;
import static org.pinwise.engine.lint.YamlPlaces.text;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Container;
import org.pinwise.rules.model.ContainerPlatform;
import org.pinwise.rules.model.LimitsSet;
import org.pinwise.rules.model.Setting;
import org.pinwise.rules.model.SettingSource;
import org.pinwise.rules.model.Size;

/**
 * Reads manifests of Kubernetes: the containers of every pod template, of whatever kind the object
 * is that holds it, in any number of documents and in Lists. A pod template is a {@code spec} with
 * {@code containers}, so kinds that operators define are read, too.
 */
final class KubernetesReader implements ConfigReader {
  private static final Pattern API_VERSION = Pattern.compile("(?m)^[ \\t{-]*\"?apiVersion\"?\\s*:");
  private static final Pattern KIND = Pattern.compile("kind\"?\\s*:");
  private static final List<String> LISTS =
      List.of("initContainers", "containers", "ephemeralContainers");

  /** Deeper than any kind that holds a pod template. */
  private static final int MAX_DEPTH = 12;

  @Override
  public String format() {
    return "Kubernetes manifest";
  }

  @Override
  public boolean reads(Source source) {
    return source.hasSuffix(".yaml", ".yml", ".json", "stdin")
        && !source.isTemplate()
        && API_VERSION.matcher(source.text()).find()
        && KIND.matcher(source.text()).find();
  }

  @Override
  public void read(Source source, Statements into) {
    Yaml.parseAll(source.name(), source.text(), document -> object(document, into));
  }

  private static void object(Yaml document, Statements into) {
    String kind = text(document, "kind");
    if (kind.endsWith("List") && at(document, "items") instanceof Yaml.Sequence) {
      items(document, "items").forEach(item -> object(item, into));
    } else if (!kind.isEmpty()) {
      String namespace = text(document, "metadata", "namespace");
      String name = text(document, "metadata", "name");
      String workload = (namespace.isEmpty() ? "default" : namespace) + "/" + name;
      find(document, workload, 0, into);
    }
  }

  private static void find(Yaml value, String workload, int depth, Statements into) {
    if (depth > MAX_DEPTH) {
      return;
    }
    if (value instanceof Yaml.Mapping mapping) {
      for (Map.Entry<String, Yaml> entry : mapping.entries().entrySet()) {
        if (entry.getKey().equals("spec") && isPod(entry.getValue())) {
          pod((Yaml.Mapping) entry.getValue(), workload, into);
        } else {
          find(entry.getValue(), workload, depth + 1, into);
        }
      }
    } else if (value instanceof Yaml.Sequence sequence) {
      sequence.items().forEach(item -> find(item, workload, depth + 1, into));
    }
  }

  private static boolean isPod(Yaml spec) {
    List<Yaml> containers = items(spec, "containers");
    for (Yaml container : containers) {
      if (!(container instanceof Yaml.Mapping)) {
        return false;
      }
    }
    return !containers.isEmpty();
  }

  private static void pod(Yaml.Mapping spec, String workload, Statements into) {
    unknownLimits(spec, workload, into);
    for (String list : LISTS) {
      for (Yaml item : items(spec, list)) {
        if (item instanceof Yaml.Mapping container) {
          container(container, spec, workload, into);
        }
      }
    }
  }

  /** A pod has no limits of a process; users of Compose look for them. */
  private static void unknownLimits(Yaml.Mapping at, String scope, Statements into) {
    at.get("ulimits")
        .ifPresent(ulimits ->
            into.add(
                Statement.of(Setting.TYPE, YamlPlaces.of(at))
                    .set("source", SettingSource.KUBERNETES)
                    .set("scope", scope)
                    .set("fileRead", true)
                    .set("value", "")
                    .set("key", "ulimits", YamlPlaces.of(ulimits))
                    .build()));
  }

  private static void container(
      Yaml.Mapping container, Yaml.Mapping pod, String workload, Statements into) {
    Place whole = YamlPlaces.of(container);
    String name = text(container, "name");
    unknownLimits(container, name, into);
    Yaml security = at(container, "securityContext");
    Place securityAt =
        YamlPlaces.of(security != null ? security : nonNull(at(container, "name"), container));
    Yaml added = at(security, "capabilities", "add");
    Yaml lock = ipcLock(added);
    boolean ipcLock = lock != null;
    Place lockAt =
        lock != null ? YamlPlaces.of(lock) : added != null ? YamlPlaces.of(added) : securityAt;
    Statement.Builder<Container> fact =
        Statement.of(Container.TYPE, whole)
            .set("platform", ContainerPlatform.KUBERNETES, whole)
            .set("name", name, YamlPlaces.of(nonNull(at(container, "name"), container)))
            .set("ipcLock", ipcLock, lockAt)
            .set("privileged", isTrue(security, "privileged"), securityAt)
            .set("memlockSet", LimitsSet.NONE)
            .workload(new Workload(Workload.Kind.KUBERNETES, workload));
    boolean root = user(security, at(pod, "securityContext"), securityAt, fact);
    if (!ipcLock && !isTrue(security, "privileged")) {
      fact.host("ipcLock", false, securityAt);
    } else if (root) {
      fact.host("ipcLock", true, lockAt);
    }
    resources(container, pod, whole, fact);
    into.add(fact.build());
    for (Yaml variable : items(container, "env")) {
      Yaml key = at(variable, "name");
      if (key != null) {
        into.add(
            Statement.of(Setting.TYPE, YamlPlaces.of(variable))
                .set("source", SettingSource.ENVIRONMENT)
                .set("scope", name)
                .set("fileRead", true)
                .set("value", text(variable, "value"))
                .set("key", text(key), YamlPlaces.of(key))
                .build());
      }
    }
  }

  private static Yaml nonNull(@Nullable Yaml value, Yaml otherwise) {
    return value == null ? otherwise : value;
  }

  private static @Nullable Yaml ipcLock(@Nullable Yaml added) {
    for (Yaml one : items(added)) {
      if (RdmaNames.isIpcLock(text(one))) {
        return one;
      }
    }
    return null;
  }

  /**
   * A container's own word goes before its pod's; without either the image decides. Returns whether
   * it is said to run as root.
   */
  private static boolean user(
      @Nullable Yaml own, @Nullable Yaml pod, Place otherwise, Statement.Builder<Container> fact) {
    Yaml id = at(own, "runAsUser");
    id = id == null ? at(pod, "runAsUser") : id;
    Yaml nonRoot = at(own, "runAsNonRoot");
    nonRoot = nonRoot == null ? at(pod, "runAsNonRoot") : nonRoot;
    if (id != null) {
      fact.set("rootUser", text(id).equals("0"), YamlPlaces.of(id));
    } else if (nonRoot != null && text(nonRoot).equals("true")) {
      fact.set("rootUser", false, YamlPlaces.of(nonRoot));
    } else {
      fact.at("rootUser", otherwise);
    }
    return id != null && text(id).equals("0");
  }

  private static void resources(
      Yaml.Mapping container, Yaml.Mapping pod, Place whole, Statement.Builder<Container> fact) {
    Map<String, Yaml> limits =
        mapping(container, "resources", "limits").map(Yaml.Mapping::entries).orElse(Map.of());
    Map<String, Yaml> requests =
        mapping(container, "resources", "requests").map(Yaml.Mapping::entries).orElse(Map.of());
    Map.Entry<String, Yaml> device = device(limits);
    device = device == null ? device(requests) : device;
    Yaml gives = device == null ? mount(container, pod) : device.getValue();
    Place deviceAt = gives == null ? whole : YamlPlaces.of(gives);
    fact.set("rdma", gives != null, deviceAt)
        .set("rdmaResource", device == null ? "" : device.getKey(), deviceAt);
    rdmaCount(limits, requests, deviceAt, fact);
    Yaml memory = limits.get("memory");
    if (memory == null) {
      fact.set("memoryLimit", Size.UNLIMITED);
    } else {
      fact.set("memoryLimit", KubernetesQuantity.whole(text(memory)), YamlPlaces.of(memory));
    }
    long hugePages = 0;
    Place hugePagesAt = mapping(container, "resources", "limits").map(YamlPlaces::of).orElse(whole);
    for (Map.Entry<String, Yaml> limit : limits.entrySet()) {
      Long bytes =
          limit.getKey().startsWith("hugepages-")
              ? KubernetesQuantity.whole(text(limit.getValue()))
              : null;
      if (bytes != null) {
        hugePages = bytes > Long.MAX_VALUE - hugePages ? Long.MAX_VALUE : hugePages + bytes;
        hugePagesAt = YamlPlaces.of(limit.getValue());
        fact.at("hugePages", hugePagesAt);
      }
    }
    fact.set("hugePages", hugePages);
    // The kubelet limits each size to 0 that a container does not ask for:
    // GetHugepageLimitsFromResources, pkg/kubelet/kuberuntime/kuberuntime_container_linux.go.
    fact.host("hugetlbLimit", hugePages, hugePagesAt);
    fact.set("cpuOrMemory", isCpuOrMemory(limits) || isCpuOrMemory(requests));
  }

  private static boolean isCpuOrMemory(Map<String, Yaml> resources) {
    return resources.containsKey("cpu") || resources.containsKey("memory");
  }

  private static Map.@Nullable Entry<String, Yaml> device(Map<String, Yaml> resources) {
    for (Map.Entry<String, Yaml> entry : resources.entrySet()) {
      if (RdmaNames.isResource(entry.getKey())) {
        return entry;
      }
    }
    return null;
  }

  /**
   * An extended resource is a whole number, and its request, where there is one, equals its limit:
   * Kubernetes refuses anything else.
   */
  private static void rdmaCount(
      Map<String, Yaml> limits,
      Map<String, Yaml> requests,
      Place otherwise,
      Statement.Builder<Container> fact) {
    boolean whole = true;
    Long first = null;
    Place place = otherwise;
    for (Map.Entry<String, Yaml> limit : limits.entrySet()) {
      if (RdmaNames.isResource(limit.getKey())) {
        Long count = count(limit.getValue());
        Yaml request = requests.get(limit.getKey());
        boolean fits = count != null && (request == null || count.equals(count(request)));
        if (!fits && whole) {
          place = YamlPlaces.of(count == null || request == null ? limit.getValue() : request);
        }
        whole &= fits;
        first = first == null ? count : first;
      }
    }
    for (Map.Entry<String, Yaml> request : requests.entrySet()) {
      if (RdmaNames.isResource(request.getKey()) && !limits.containsKey(request.getKey())) {
        place = whole ? YamlPlaces.of(request.getValue()) : place;
        whole = false;
      }
    }
    fact.set("rdmaCount", first, otherwise).set("rdmaWhole", whole, place);
  }

  private static @Nullable Long count(Yaml value) {
    java.math.BigDecimal quantity = KubernetesQuantity.parse(text(value));
    if (quantity == null || quantity.stripTrailingZeros().scale() > 0) {
      return null;
    }
    return KubernetesQuantity.whole(text(value));
  }

  /** Returns where a container mounts a device from its node; null where it does not. */
  private static @Nullable Yaml mount(Yaml.Mapping container, Yaml.Mapping pod) {
    for (Yaml volume : items(pod, "volumes")) {
      if (RdmaNames.isDevice(text(volume, "hostPath", "path"))) {
        String name = text(volume, "name");
        for (Yaml mount : items(container, "volumeMounts")) {
          if (text(mount, "name").equals(name)) {
            return mount;
          }
        }
      }
    }
    return null;
  }
}

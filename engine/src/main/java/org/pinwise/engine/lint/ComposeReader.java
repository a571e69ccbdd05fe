package org.pinwise.engine.lint;

import static org.pinwise.engine.lint.YamlPlaces.at;
import static org.pinwise.engine.lint.YamlPlaces.isTrue;
import static org.pinwise.engine.lint.YamlPlaces.items;
import static org.pinwise.engine.lint.YamlPlaces.mapping;
import static org.pinwise.engine.lint.YamlPlaces.text;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Container;
import org.pinwise.rules.model.ContainerPlatform;
import org.pinwise.rules.model.LimitsSet;
import org.pinwise.rules.model.Setting;
import org.pinwise.rules.model.SettingSource;
import org.pinwise.rules.model.Size;

/** Reads files of Docker Compose: each service is a container. Limits of memlock are in bytes. */
final class ComposeReader implements ConfigReader {
  private static final Pattern NAME =
      Pattern.compile("(docker-|podman-)?compose([.-].*)?\\.ya?ml", Pattern.CASE_INSENSITIVE);
  private static final Pattern SERVICES = Pattern.compile("(?m)^services\\s*:");
  private static final Pattern IMAGE = Pattern.compile("(?m)^\\s+(image|build)\\s*:");
  private static final String ROOT = "(0|root)(:.*)?";
  private static final Pattern BYTES = Pattern.compile("(\\d{1,19})([bkmgBKMG]?)[bB]?");

  @Override
  public String format() {
    return "Docker Compose";
  }

  @Override
  public boolean reads(Source source) {
    // Most manifests have no such word, which is found faster than a line.
    return source.hasSuffix(".yaml", ".yml", "stdin")
        && source.text().contains("services")
        && SERVICES.matcher(source.text()).find()
        && (NAME.matcher(source.fileName()).matches() || IMAGE.matcher(source.text()).find());
  }

  @Override
  public void read(Source source, Statements into) {
    Yaml.parseAll(
        source.name(),
        source.text(),
        document ->
            mapping(document, "services")
                .ifPresent(services ->
                    services
                        .entries()
                        .forEach((name, service) -> {
                          if (service instanceof Yaml.Mapping mapping) {
                            service(name, mapping, into);
                          }
                        })));
  }

  private static void service(String name, Yaml.Mapping service, Statements into) {
    Place whole = YamlPlaces.of(service);
    Yaml added = at(service, "cap_add");
    Optional<Yaml> lock =
        items(added).stream().filter(one -> RdmaNames.isIpcLock(text(one))).findFirst();
    Optional<Yaml> device =
        items(service, "devices").stream()
            .filter(one -> RdmaNames.isDevice(hostPath(one, "source")))
            .findFirst()
            .or(() ->
                items(service, "volumes").stream()
                    .filter(one -> RdmaNames.isDevice(hostPath(one, "source")))
                    .findFirst());
    boolean privileged = isTrue(service, "privileged");
    Statement.Builder<Container> fact =
        Statement.of(Container.TYPE, whole)
            .set("platform", ContainerPlatform.COMPOSE, whole)
            .set("name", name, whole)
            .set("rdma", device.isPresent(), device.map(YamlPlaces::of).orElse(whole))
            .set("rdmaResource", "")
            .set("rdmaWhole", true)
            .set("ipcLock", lock.isPresent(), lock.map(YamlPlaces::of).orElse(whole))
            .set("privileged", privileged, whole)
            .set("hugePages", 0L)
            .set("cpuOrMemory", true)
            .workload(new Workload(Workload.Kind.COMPOSE, name));
    Yaml user = at(service, "user");
    if (user != null) {
      fact.set("rootUser", text(user).matches(ROOT), YamlPlaces.of(user));
    }
    boolean root = user != null && text(user).matches(ROOT);
    if (lock.isEmpty() && !privileged) {
      fact.host("ipcLock", false, whole);
    } else if (root) {
      fact.host("ipcLock", true, lock.map(YamlPlaces::of).orElse(whole));
    }
    Yaml limit = at(service, "mem_limit");
    limit = limit == null ? at(service, "deploy", "resources", "limits", "memory") : limit;
    if (limit == null) {
      fact.set("memoryLimit", Size.UNLIMITED);
    } else {
      fact.set("memoryLimit", bytes(text(limit)), YamlPlaces.of(limit));
    }
    memlock(at(service, "ulimits", "memlock"), whole, fact);
    into.add(fact.build());
    environment(name, at(service, "environment"), into);
  }

  /** Returns the host's side of {@code host:container:mode}, or of the long form. */
  private static String hostPath(Yaml entry, String key) {
    if (entry instanceof Yaml.Mapping) {
      return text(entry, key);
    }
    String both = text(entry);
    int colon = both.indexOf(':');
    return colon < 0 ? both : both.substring(0, colon);
  }

  private static void memlock(
      @Nullable Yaml limit, Place whole, Statement.Builder<Container> fact) {
    if (limit == null) {
      fact.set("memlockSet", LimitsSet.NONE, whole);
      return;
    }
    Yaml soft = limit instanceof Yaml.Scalar ? limit : at(limit, "soft");
    Yaml hard = limit instanceof Yaml.Scalar ? limit : at(limit, "hard");
    LimitsSet set =
        soft == null
            ? hard == null ? LimitsSet.NONE : LimitsSet.HARD
            : hard == null ? LimitsSet.SOFT : LimitsSet.BOTH;
    fact.set("memlockSet", set, YamlPlaces.of(limit));
    if (soft != null) {
      Long bytes = bytes(text(soft));
      fact.set("memlockSoft", bytes, YamlPlaces.of(soft));
      fact.host("memlock", bytes, YamlPlaces.of(soft));
    }
    if (hard != null) {
      fact.set("memlockHard", bytes(text(hard)), YamlPlaces.of(hard));
    }
  }

  /** Returns bytes, -1 and words for no limit as no limit; null where the text is none. */
  private static @Nullable Long bytes(String text) {
    if (text.equals("-1") || text.equals("unlimited") || text.equals("infinity")) {
      return Size.UNLIMITED;
    }
    Matcher matcher = BYTES.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    int shift =
        switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    java.math.BigInteger value = new java.math.BigInteger(matcher.group(1)).shiftLeft(shift);
    return value.bitLength() > 63 ? (Long) Size.UNLIMITED : (Long) value.longValue();
  }

  private static void environment(String service, @Nullable Yaml environment, Statements into) {
    if (environment instanceof Yaml.Mapping mapping) {
      for (Map.Entry<String, Yaml> entry : mapping.entries().entrySet()) {
        variable(service, entry.getKey(), text(entry.getValue()), entry.getValue(), into);
      }
    } else {
      for (Yaml item : items(environment)) {
        String both = text(item);
        int equals = both.indexOf('=');
        variable(
            service,
            equals < 0 ? both : both.substring(0, equals),
            equals < 0 ? "" : both.substring(equals + 1),
            item,
            into);
      }
    }
  }

  private static void variable(
      String service, String key, String value, Yaml place, Statements into) {
    into.add(
        Statement.of(Setting.TYPE, YamlPlaces.of(place))
            .set("source", SettingSource.ENVIRONMENT)
            .set("scope", service)
            .set("fileRead", true)
            .set("value", value)
            .set("key", key, YamlPlaces.of(place))
            .build());
  }
}

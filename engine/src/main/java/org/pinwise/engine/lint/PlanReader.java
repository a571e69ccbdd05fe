package org.pinwise.engine.lint;

import static org.pinwise.engine.lint.YamlPlaces.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.facts.FactsFile;
import org.pinwise.engine.facts.FactsReader;
import org.pinwise.engine.facts.MrPlan;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;

/**
 * Reads plans of registrations, in YAML, JSON or properties: a facts file with a {@code plan}, and
 * what it runs as.
 *
 * <pre>
 * schema: pinwise-plan/1
 * workload: kubernetes:default/trainer   # or compose:NAME, unit:NAME.service, user:NAME
 * device: connectx5                      # or facts, or a facts file beside this one
 * host: {kernel: 6.12, memlock: 8MiB}
 * plan:
 *   regions: [{name: ring, length: 64MiB, count: 16, access: [LOCAL_WRITE, REMOTE_WRITE]}]
 *   cache: {key: [address, length], maxBytes: 1GiB}
 * </pre>
 *
 * <p>Several services that share the host stand under {@code services}, each with a plan and a
 * workload; what is counted of a device or of the host's memory is summed over them. A region is
 * judged by itself with the plan beside it.
 */
final class PlanReader implements ConfigReader {
  private static final String SCHEMA = "schema";
  private static final String JSON_SCHEMA = "$schema";
  private static final String WORKLOAD = "workload";
  private static final String SERVICES = "services";
  private static final String DEVICE = Device.TYPE.key();
  private static final String HOST = Host.TYPE.key();
  private static final String PLAN = Plan.TYPE.key();
  private static final String REQUEST = MrRequest.TYPE.key();
  private static final String MEMORY = Memory.TYPE.key();
  private static final Pattern NAME =
      Pattern.compile(
          "(?s)(.*[.-])?pinwise([.-].*)?\\.(ya?ml|json|properties)|.*\\.mrplan\\.(ya?ml|json|properties)");
  private static final Pattern MARK =
      Pattern.compile("(?m)^[ \\t{]*\"?schema\"?\\s*[:=]\\s*\"?" + FactsReader.PLAN_SCHEMA);

  /** Made when the first plan is read. */
  private static final class Catalogue {
    private static final FactsReader FACTS = FactsReader.of(DeviceCatalog.load());
  }

  @Override
  public String format() {
    return "plan of registrations";
  }

  @Override
  public boolean reads(Source source) {
    return source.hasSuffix(".yaml", ".yml", ".json", ".properties", "stdin")
        && (NAME.matcher(source.fileName()).matches() || isMarked(source.text()));
  }

  /** Most texts are none, and looking for the words alone is quicker. */
  private static boolean isMarked(String text) {
    return text.contains(FactsReader.PLAN_SCHEMA) && MARK.matcher(text).find();
  }

  @Override
  public void read(Source source, Statements into) {
    Yaml.Mapping root =
        (source.hasSuffix(".properties")
                ? PropertiesTree.of(source)
                : Yaml.parse(source.name(), source.text()))
            .asMapping("a plan");
    FactsReader.checkSchema(root);
    List<Service> services = new ArrayList<>();
    Yaml.Mapping listed = root.get(SERVICES).map(s -> s.asMapping(SERVICES)).orElse(null);
    if (listed == null) {
      services.add(service(root, Map.of(), FactsReader.PLAN_KEYS));
    } else {
      Map<String, Yaml> shared = new LinkedHashMap<>(root.entries());
      shared.keySet().retainAll(List.of(DEVICE, HOST, Labels.TYPE.key()));
      Yaml.Mapping rest = without(root, SERVICES, DEVICE, HOST, Labels.TYPE.key());
      rest.allow(SCHEMA, JSON_SCHEMA);
      listed
          .entries()
          .forEach((name, value) ->
              services.add(service(value.asMapping(name), shared, List.of(WORKLOAD))));
    }
    for (Service service : services) {
      service.statements(services).forEach(into::add);
    }
  }

  private static Yaml.Mapping without(Yaml.Mapping mapping, String... keys) {
    Map<String, Yaml> entries = new LinkedHashMap<>(mapping.entries());
    for (String key : keys) {
      entries.remove(key);
    }
    return new Yaml.Mapping(mapping.file(), mapping.line(), mapping.column(), entries);
  }

  private static Service service(
      Yaml.Mapping mapping, Map<String, Yaml> shared, List<String> otherKeys) {
    Map<String, Yaml> entries = new LinkedHashMap<>(shared);
    entries.putAll(mapping.entries());
    Yaml.Mapping whole =
        new Yaml.Mapping(mapping.file(), mapping.line(), mapping.column(), entries);
    for (FactType<? extends Configuration> type : Configuration.types()) {
      Yaml value = entries.get(type.key());
      if (value != null) {
        // A plan would be taken for what configures it.
        throw value.problem("a plan has no key " + type.key());
      }
    }
    FactsFile file = Catalogue.FACTS.readPlan(whole, otherKeys);
    MrPlan plan = Objects.requireNonNull(file.plan());
    Optional<Workload> workload = mapping.get(WORKLOAD).map(PlanReader::workload);
    return new Service(whole, file.facts(), plan, workload);
  }

  private static Workload workload(Yaml value) {
    String both = text(value);
    int colon = both.indexOf(':');
    for (Workload.Kind kind : Workload.Kind.values()) {
      if (colon > 0
          && colon + 1 < both.length()
          && both.substring(0, colon).equals(kind.name().toLowerCase(Locale.ROOT))) {
        return new Workload(kind, both.substring(colon + 1));
      }
    }
    throw value.problem(
        "a workload is kubernetes:NAMESPACE/NAME, compose:SERVICE, unit:NAME.service or user:NAME");
  }

  /** A plan with what it runs on. */
  private record Service(Yaml.Mapping yaml, Facts facts, MrPlan plan, Optional<Workload> workload) {

    List<Statement> statements(List<Service> all) {
      Plan fact = summed(all);
      Map<String, Place> places = new LinkedHashMap<>();
      for (String key : List.of(DEVICE, HOST, REQUEST, MEMORY, PLAN)) {
        yaml.get(key).ifPresent(value -> add(key, value, places));
      }
      yaml.get("register").ifPresent(value -> add(REQUEST, value, places));
      YamlPlaces.mapping(yaml, PLAN, "cache").ifPresent(cache -> cache(cache, places));
      List<Statement> statements = new ArrayList<>();
      for (MrPlan.Region region : plan.regions()) {
        Map<String, Place> own = new LinkedHashMap<>(places);
        add(REQUEST, region.yaml(), own);
        region.yaml().get(MEMORY).ifPresent(value -> add(MEMORY, value, own));
        Memory memory = region.region().memory();
        Facts about =
            facts
                .withRequest(region.region().request())
                .withMemory(memory == null ? facts.memory() : memory)
                .withPlan(fact);
        statements.add(Statement.ofCall(about, own, YamlPlaces.of(region.yaml()), workload));
      }
      if (statements.isEmpty()) {
        statements.add(
            Statement.ofCall(facts.withPlan(fact), places, YamlPlaces.of(yaml), workload));
      }
      return statements;
    }

    /** What a device or the host's memory holds of all services is the same for each of them. */
    private Plan summed(List<Service> all) {
      Plan own = plan.fact(facts.host());
      if (all.size() == 1) {
        return own;
      }
      Map<String, @Nullable Object> values = Plan.TYPE.values(own);
      for (String field : List.of("regions", "residentBytes", "deviceEntries")) {
        long sum = 0;
        boolean known = true;
        for (Service one : all) {
          Object value = Plan.TYPE.values(one.plan.fact(one.facts.host())).get(field);
          known &= value != null;
          sum =
              value instanceof Long more
                  ? more > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + more
                  : sum;
        }
        values.put(field, known ? (Long) sum : null);
      }
      return Plan.TYPE.of(values);
    }

    private void add(String key, Yaml value, Map<String, Place> places) {
      if (!value.file().equals(yaml.file())) {
        return; // a facts file that the plan refers to
      }
      places.put(key, YamlPlaces.of(value));
      if (value instanceof Yaml.Mapping mapping) {
        mapping
            .entries()
            .forEach((field, one) -> places.put(key + "." + field, YamlPlaces.of(one)));
      }
    }

    private static void cache(Yaml.Mapping cache, Map<String, Place> places) {
      places.put(PLAN + ".cached", YamlPlaces.of(cache));
      cache
          .entries()
          .forEach((key, value) ->
              places.put(
                  PLAN + ".cache" + key.substring(0, 1).toUpperCase(Locale.ROOT) + key.substring(1),
                  YamlPlaces.of(value)));
    }
  }
}

package org.pinwise.engine.facts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.model.PlannedRegion;

/**
 * The {@code plan} of a facts file: regions, and how a program keeps them. Immutable.
 *
 * <p>Its keys are the fields of {@link Plan}, and {@code processes}, {@code devices}, {@code
 * queueBytes}, {@code regions} and {@code cache}, of which sums are computed. A region has the keys
 * of a request, and {@code name}, {@code count} and {@code memory}. Without {@code regions} the
 * file's own request is the one region.
 */
public final class MrPlan {
  private static final String PROCESSES = "processes";
  private static final String DEVICES = "devices";
  private static final String QUEUE_BYTES = "queueBytes";
  private static final String REGIONS = "regions";
  private static final String CACHE = "cache";
  private static final String NAME = "name";
  private static final String COUNT = "count";
  private static final String MEMORY = "memory";

  private final Plan.@Nullable Outline outline;
  private final List<Region> regions;
  private final Map<String, @Nullable Object> said;

  /**
   * A region of a plan.
   *
   * @param region the region
   * @param yaml where it stands, with the places of its keys
   */
  public record Region(PlannedRegion region, Yaml.Mapping yaml) {}

  private MrPlan(
      Plan.@Nullable Outline outline, List<Region> regions, Map<String, @Nullable Object> said) {
    this.outline = outline;
    this.regions = List.copyOf(regions);
    this.said = said;
  }

  static MrPlan of(Yaml.Mapping plan, MrRequest request, @Nullable Memory memory) {
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    Yaml listed = plan.get(REGIONS).orElse(null);
    boolean list = !(listed instanceof Yaml.Scalar); // a number is the field of a sum
    said.putAll(
        list
            ? FieldParser.values(Plan.TYPE, plan, PROCESSES, DEVICES, QUEUE_BYTES, CACHE, REGIONS)
            : FieldParser.values(Plan.TYPE, plan, PROCESSES, DEVICES, QUEUE_BYTES, CACHE));
    plan.get(CACHE).ifPresent(cache -> cache(cache.asMapping(CACHE), said));
    boolean sums =
        (listed != null && list)
            || plan.get(PROCESSES).isPresent()
            || plan.get(DEVICES).isPresent()
            || plan.get(QUEUE_BYTES).isPresent();
    if (!sums) {
      return new MrPlan(null, List.of(), said);
    }
    List<Region> regions = new ArrayList<>();
    if (listed != null && list) {
      for (Yaml item : listed.asList()) {
        regions.add(region(item.asMapping("a region"), regions.size() + 1));
      }
    }
    List<PlannedRegion> planned =
        listed == null || !list
            ? List.of(new PlannedRegion("request", request, memory, 1))
            : regions.stream().map(Region::region).toList();
    return new MrPlan(
        new Plan.Outline(
            planned,
            number(plan, PROCESSES, 1),
            number(plan, DEVICES, 1),
            number(plan, QUEUE_BYTES, 0)),
        regions,
        said);
  }

  private static void cache(Yaml.Mapping cache, Map<String, @Nullable Object> said) {
    said.put("cached", true);
    cache
        .entries()
        .forEach((key, value) -> {
          String field = CACHE + key.substring(0, 1).toUpperCase(Locale.ROOT) + key.substring(1);
          Map<String, Yaml> renamed = new LinkedHashMap<>();
          renamed.put(field, value);
          said.putAll(
              FieldParser.values(
                  Plan.TYPE,
                  new Yaml.Mapping(value.file(), value.line(), value.column(), renamed)));
        });
  }

  private static Region region(Yaml.Mapping mapping, int number) {
    MrRequest request = FactsReader.request(mapping, NAME, COUNT, MEMORY);
    Memory memory =
        mapping
            .get(MEMORY)
            .map(m -> FactsReader.fact(Memory.TYPE, m.asMapping(MEMORY)))
            .orElse(null);
    String name = mapping.get(NAME).map(Yaml::asText).orElse("region " + number);
    return new Region(new PlannedRegion(name, request, memory, number(mapping, COUNT, 1)), mapping);
  }

  private static long number(Yaml.Mapping mapping, String key, long least) {
    Yaml value = mapping.get(key).orElse(null);
    if (value == null) {
      return least;
    }
    long number = value.asUnsigned();
    if (number < least) {
      throw value.problem("%s is at least %d, and less than 2^63".formatted(key, least));
    }
    return number;
  }

  /** Returns the keys of a plan that are no field of {@link Plan}: its sums follow of them. */
  public static List<String> keys() {
    return List.of(PROCESSES, DEVICES, QUEUE_BYTES, REGIONS, CACHE);
  }

  /** Returns the regions in the plan's order; none where it only gives sums. */
  public List<Region> regions() {
    return regions;
  }

  /** Returns the fact that rules read; the sums are in whole pages of the host. */
  public Plan fact(Host host) {
    return outline == null ? Plan.TYPE.of(said) : Plan.sums(outline, host.pageSize(), said);
  }
}

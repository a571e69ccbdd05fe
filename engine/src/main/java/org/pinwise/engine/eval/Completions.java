package org.pinwise.engine.eval;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern;
import org.pinwise.rules.spi.Verification;

/** Facts with the kernel and the driver filled in, by all that some rules tell apart. */
public final class Completions {
  /** Stands for every driver that no rule names. */
  private static final String OTHER_DRIVER = "(another)";

  private Completions() {}

  /**
   * Returns the facts on every kernel like which this one may behave, and for an unknown driver on
   * every driver that the rules name and on one that they do not; empty where the kernel is beyond
   * what is verified.
   */
  public static List<FactTuple> of(List<CompiledRule> rules, FactTuple facts) {
    List<FactTuple> completions = new ArrayList<>();
    for (Integer kernel : kernels(rules, facts.host().kernel())) {
      for (String driver : drivers(rules, facts.device().driver())) {
        completions.add(
            facts
                .with(with(Host.TYPE, facts.host(), "kernel", kernel))
                .with(with(Device.TYPE, facts.device(), "driver", driver)));
      }
    }
    return completions;
  }

  private static <F> F with(FactType<F> type, F fact, String field, @Nullable Object value) {
    var values = type.values(fact);
    values.put(field, value);
    return type.of(values);
  }

  private static List<@Nullable Integer> kernels(
      List<CompiledRule> rules, @Nullable Integer kernel) {
    TreeSet<Integer> verified = new TreeSet<>();
    rules.forEach(rule ->
        rule.rule().meta().verified().stream()
            .filter(v -> v.means() != Verification.Means.BELIEF)
            .map(Verification::kernel)
            .forEach(verified::add));
    List<@Nullable Integer> kernels = new ArrayList<>();
    if (verified.isEmpty()) {
      kernels.add(kernel);
    } else if (kernel == null) {
      kernels.addAll(verified);
    } else if (kernel >= verified.first() && kernel <= verified.last()) {
      kernels.add(verified.floor(kernel));
      if (!verified.contains(kernel)) {
        kernels.add(verified.ceiling(kernel));
      }
    }
    return kernels;
  }

  private static Set<String> drivers(List<CompiledRule> rules, @Nullable String driver) {
    Set<String> drivers = new LinkedHashSet<>();
    if (driver != null) {
      drivers.add(driver);
      return drivers;
    }
    for (CompiledRule rule : rules) {
      for (Pattern pattern : rule.rule().patterns()) {
        collect(pattern.condition(), drivers);
      }
    }
    drivers.add(OTHER_DRIVER);
    return drivers;
  }

  private static void collect(Condition condition, Set<String> drivers) {
    if (condition instanceof Condition.All all) {
      all.conditions().forEach(c -> collect(c, drivers));
    } else if (condition instanceof Condition.Any any) {
      any.conditions().forEach(c -> collect(c, drivers));
    } else if (condition instanceof Condition.Not not) {
      collect(not.condition(), drivers);
    } else if (condition instanceof Condition.Compare compare
        && compare.left().toString().equals("device.driver")) {
      constant(compare.right(), drivers);
    } else if (condition instanceof Condition.OneOf oneOf
        && oneOf.left().toString().equals("device.driver")) {
      oneOf.values().forEach(value -> constant(value, drivers));
    }
  }

  private static void constant(Operand operand, Set<String> drivers) {
    if (operand instanceof Operand.Constant constant && constant.value() instanceof String text) {
      drivers.add(text);
    }
  }
}

package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.verbs.FakeLibrary.Faults;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.rules.model.Errno;

/**
 * Every native call of every test of the contract fails once, in the C library itself: each in its
 * own way of failing. Whatever it is, the error names the call, what is open then can be given
 * back, and in the end nothing is live, neither for the port nor for the library.
 *
 * <p>The tests are those that {@link VerbsContractTest} has; who adds one need do nothing here.
 */
class ContractFaultsTest {

  /** What no test of the contract expects. */
  private static final Errno FAULT = Errno.EIO;

  private final Faults faults = FakeLibrary.faults();

  /** A test of the contract, with what it is called with. */
  private record Scenario(Method method, List<Object> arguments) {
    String name() {
      return method.getName() + (arguments.isEmpty() ? "" : " " + arguments.getFirst());
    }
  }

  /** The contract through the foreign function interface, without repetitions. */
  private static final class Contract extends FakeLibraryVerbsContractTest {
    @Override
    int rounds(int usual) {
      return Math.min(usual, 2);
    }
  }

  @TestFactory
  Stream<DynamicNode> nothingLeaksAndTheErrorNamesTheCall() {
    return scenarios().stream()
        .map(scenario -> dynamicContainer(scenario.name(), faultsOf(scenario)));
  }

  /** A test for each call that a run without faults makes. */
  private Stream<DynamicNode> faultsOf(Scenario scenario) {
    List<DynamicNode> tests = new ArrayList<>();
    faults.heal();
    assertThat(run(scenario)).as(scenario.name()).isEmpty();
    for (Operation operation : Operation.values()) {
      int calls = faults.calls(operation);
      for (int call = 1; call <= calls; call++) {
        int failing = call;
        tests.add(
            dynamicTest(
                operation.function() + " " + call, () -> fails(scenario, operation, failing)));
      }
    }
    return tests.stream();
  }

  private void fails(Scenario scenario, Operation operation, int call) {
    int live = faults.live();
    faults.heal();
    faults.fail(operation, call, FAULT.number());

    Optional<Throwable> failure = run(scenario);

    if (faults.calls(operation) < call) {
      // Where threads race, a run may have fewer calls than another; the first it always has.
      assertThat(call).isGreaterThan(1);
      assertThat(failure).isEmpty();
    } else {
      assertThat(failure).as("with %s failing", operation.function()).isPresent();
      VerbsException named = named(failure.orElseThrow());
      assertThat(named.errno()).isEqualTo(FAULT.number());
      assertThat(named.operation()).isIn(callsThatMayMeet(operation));
    }
    assertThat(faults.live()).as("what the library knows").isEqualTo(live);
  }

  /** The calls of the port in which a C function runs: to open a device, the port lists them. */
  private static List<String> callsThatMayMeet(Operation operation) {
    return operation == Operation.LIST_DEVICES
        ? List.of(operation.function(), Operation.OPEN_DEVICE.function())
        : List.of(operation.function());
  }

  /** Runs a test as JUnit does, gives back what it left open, and returns how it failed. */
  private static Optional<Throwable> run(Scenario scenario) {
    Contract contract = new Contract();
    contract.setUp();
    Throwable failure = null;
    try {
      scenario.method.invoke(contract, scenario.arguments.toArray());
    } catch (InvocationTargetException e) {
      failure = e.getCause();
      contract.giveBackAll();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    contract.nothingIsLive();
    return Optional.ofNullable(failure);
  }

  /** The failure of the call; it is the cause of others where it happened on another thread. */
  private static VerbsException named(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof VerbsException named) {
        return named;
      }
    }
    throw new AssertionError("the error names no call; make it through CheckedVerbs", failure);
  }

  // ---- the tests of the contract ----

  private static List<Scenario> scenarios() {
    List<Scenario> all = new ArrayList<>();
    for (Method method :
        ReflectionSupport.findMethods(
            VerbsContractTest.class,
            one -> AnnotationSupport.isAnnotated(one, Testable.class),
            HierarchyTraversalMode.TOP_DOWN)) {
      method.setAccessible(true);
      if (method.isAnnotationPresent(Test.class)) {
        all.add(new Scenario(method, List.of()));
      } else {
        CsvSource rows = method.getAnnotation(CsvSource.class);
        assertThat(method.isAnnotationPresent(ParameterizedTest.class) && rows != null)
            .as("%s is of a kind that is not run with faults", method)
            .isTrue();
        for (String row : rows.value()) {
          all.add(new Scenario(method, arguments(method, row.split(",", -1))));
        }
      }
    }
    return all;
  }

  private static List<Object> arguments(Method method, String[] cells) {
    Class<?>[] types = method.getParameterTypes();
    assertThat(cells).as("a row of %s", method).hasSameSizeAs(types);
    return Arrays.asList(
        IntStream.range(0, types.length)
            .mapToObj(i -> argument(types[i], cells[i].strip()))
            .toArray());
  }

  private static Object argument(Class<?> type, String text) {
    if (type == String.class) {
      return text;
    }
    assertThat(type).as("the type of a parameter of the contract's tests").isEqualTo(Errno.class);
    return Errno.valueOf(text);
  }

  @Test
  void everyFunctionIsMadeToFail() {
    assertThat(scenarios()).hasSizeGreaterThan(30);
    List<Operation> met = new ArrayList<>();
    for (Scenario scenario : scenarios()) {
      faults.heal();
      assertThat(run(scenario)).as(scenario.name()).isEmpty();
      for (Operation operation : Operation.values()) {
        if (faults.calls(operation) > 0 && !met.contains(operation)) {
          met.add(operation);
        }
      }
    }
    assertThat(met).containsExactlyInAnyOrder(Operation.values());
  }
}

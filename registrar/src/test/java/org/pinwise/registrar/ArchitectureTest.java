package org.pinwise.registrar;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.monitor.RegistrarMXBean;

/** The boundaries of the module, which the module system does not guard on the class path. */
class ArchitectureTest {

  private static final String EXPORTED = "org.pinwise.registrar";
  private static final String CACHE = "org.pinwise.registrar.cache";
  private static final String MEMORY = "org.pinwise.registrar.memory";
  private static final String MONITOR = "org.pinwise.registrar.monitor";
  private static final String WATCH = "org.pinwise.registrar.watch";
  private static final String VERBS = "org.pinwise.registrar.verbs..";
  private static final String COMMANDS = "org.pinwise.registrar.cli..";

  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(EXPORTED);

  @Test
  void onlyVerbsAndMemoryLinkNativeCode() {
    noClasses()
        .that()
        .resideOutsideOfPackages(VERBS, MEMORY)
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(Linker.class, SymbolLookup.class)
        .check(MODULE);
  }

  @Test
  void memoryKnowsNothingOfRegistering() {
    noClasses()
        .that()
        .resideInAPackage(MEMORY)
        .should()
        .dependOnClassesThat(resideInAnyPackage(EXPORTED, CACHE, MONITOR, WATCH, COMMANDS))
        .check(MODULE);
  }

  @Test
  void verbsKnowsNothingAbove() {
    noClasses()
        .that()
        .resideInAPackage(VERBS)
        .should()
        .dependOnClassesThat(resideInAnyPackage(EXPORTED, CACHE, MEMORY, MONITOR, WATCH, COMMANDS))
        .check(MODULE);
  }

  @Test
  void nothingNeedsMicrometer() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.pinwise.registrar.micrometer")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.micrometer..", "org.pinwise.registrar.micrometer"))
        .check(MODULE);
  }

  @Test
  void registeringKnowsNothingOfWhoWatches() {
    noClasses()
        .that()
        .resideInAnyPackage(EXPORTED, CACHE)
        .should()
        .dependOnClassesThat(resideInAnyPackage(MONITOR, WATCH, "jdk.jfr..", "javax.management.."))
        .check(MODULE);
  }

  @Test
  void onlyTheCommandsKnowTheCommandLine() {
    noClasses()
        .that()
        .resideOutsideOfPackage(COMMANDS)
        .should()
        .dependOnClassesThat(resideInAnyPackage("picocli..", "org.pinwise.engine.cli..", COMMANDS))
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage(COMMANDS)
        .should()
        .dependOnClassesThat(resideInAPackage(VERBS))
        .check(MODULE);
  }

  @Test
  void theRulebaseIsTheEnginesAffair() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "org.drools..",
                "org.kie..",
                "org.pinwise.engine.lint..",
                "org.pinwise.engine.drools..",
                "org.pinwise.engine.eval..",
                "org.pinwise.engine.rulefile.."))
        .check(MODULE);
  }

  @Test
  void exportedSignaturesHaveNoForeignTypes() {
    classes()
        .that()
        .resideInAnyPackage(EXPORTED, CACHE, MEMORY, MONITOR)
        .and()
        .arePublic()
        .should(
            haveOnlyTypesOf(
                "java..",
                EXPORTED,
                CACHE,
                MEMORY,
                MONITOR,
                "org.pinwise.engine",
                "org.pinwise.engine.advice",
                "org.pinwise.rules.."))
        .check(MODULE);
  }

  /**
   * But for the interfaces that others implement: who listens, who lends regions on, and JMX
   * proxies.
   */
  @Test
  void whatIsExportedIsFinalOrSealed() {
    classes()
        .that()
        .resideInAnyPackage(EXPORTED, CACHE, MEMORY, MONITOR)
        .and()
        .arePublic()
        .and()
        .doNotBelongToAnyOf(RegistrarListener.class, RegionHolder.class, RegistrarMXBean.class)
        .should(beFinalOrSealed())
        .check(MODULE);
  }

  private static ArchCondition<JavaClass> haveOnlyTypesOf(String... packages) {
    DescribedPredicate<JavaClass> allowed = resideInAnyPackage(packages);
    return new ArchCondition<>("have only types of " + String.join(", ", packages)) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        for (JavaMember member : type.getMembers()) {
          if (member.getModifiers().contains(JavaModifier.PUBLIC)) {
            types(member).stream()
                .filter(used -> !used.isPrimitive() && !allowed.test(used.getBaseComponentType()))
                .filter(used -> !used.getBaseComponentType().isPrimitive())
                .forEach(used ->
                    events.add(
                        SimpleConditionEvent.violated(
                            member, member.getFullName() + " uses " + used.getName())));
          }
        }
      }
    };
  }

  private static List<JavaClass> types(JavaMember member) {
    List<JavaClass> types = new ArrayList<>();
    if (member instanceof JavaCodeUnit code) {
      types.addAll(code.getReturnType().getAllInvolvedRawTypes());
      code.getParameterTypes().forEach(type -> types.addAll(type.getAllInvolvedRawTypes()));
    } else if (member instanceof JavaField field) {
      types.addAll(field.getType().getAllInvolvedRawTypes());
    }
    return types;
  }

  private static ArchCondition<JavaClass> beFinalOrSealed() {
    return new ArchCondition<>("be final or sealed") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        boolean closed =
            type.getModifiers().contains(JavaModifier.FINAL) || type.reflect().isSealed();
        if (!closed) {
          events.add(SimpleConditionEvent.violated(type, type.getName() + " can be extended"));
        }
      }
    };
  }
}

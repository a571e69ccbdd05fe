package org.pinwise.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What STYLE calls the boundaries of this module. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(location -> !location.contains("/test-classes/"))
          .importPackages("org.pinwise.rules");

  @Test
  void needsNothingButTheJdkAndJSpecify() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("org.pinwise.rules..", "java..", "org.jspecify.annotations")
        .because("whoever writes a rule or a fact in Java needs this jar and no other")
        .check(CLASSES);
  }

  @Test
  void callsNoNativeCode() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("java.lang.foreign..")
        .check(CLASSES);
  }

  @Test
  void factsKnowNoRules() {
    noClasses()
        .that()
        .resideInAPackage("org.pinwise.rules.model..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.pinwise.rules.spi..", "org.pinwise.rules.dsl..")
        .check(CLASSES);
  }

  @Test
  void rulesKnowNoWayOfWritingThem() {
    noClasses()
        .that()
        .resideInAPackage("org.pinwise.rules.spi..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.pinwise.rules.dsl..")
        .check(CLASSES);
  }
}

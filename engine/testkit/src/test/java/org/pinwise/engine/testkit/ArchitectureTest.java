package org.pinwise.engine.testkit;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
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
          .importPackages("org.pinwise.engine.testkit");

  @Test
  void namesNoThirdPartyButAssertJAndJUnit() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "java..",
                "org.assertj..",
                "org.junit..",
                "org.jspecify.annotations",
                "org.pinwise.rules..",
                "org.pinwise.engine",
                "org.pinwise.engine.facts",
                "org.pinwise.engine.text",
                "org.pinwise.engine.testkit"))
        .check(CLASSES);
  }

  @Test
  void callsNoNativeCode() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.lang.foreign..", "org.pinwise.registrar..")
        .check(CLASSES);
  }
}

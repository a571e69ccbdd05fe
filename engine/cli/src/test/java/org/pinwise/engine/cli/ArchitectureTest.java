package org.pinwise.engine.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What STYLE calls the boundaries of this module. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(location -> !location.contains("/test-classes/"))
          .importPackages("org.pinwise.engine.cli");

  @Test
  void knowsNeitherTheRuleEngineNorHowRulesAreJudged() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.drools..",
            "org.kie..",
            "org.pinwise.engine.drools..",
            "org.pinwise.engine.eval..",
            "org.pinwise.engine.rulefile..")
        .check(CLASSES);
  }

  @Test
  void readsAndWritesNoFormatItself() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.fasterxml..", "org.snakeyaml..")
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

  @Test
  void extensionsSeeNoTypeOfPicocli() {
    noMethods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .should()
        .haveRawReturnType(resideInAnyPackage("picocli.."))
        .check(CLASSES);
    noMethods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .should()
        .haveRawParameterTypes(DescribedPredicate.anyElementThat(resideInAnyPackage("picocli..")))
        .check(CLASSES);
  }
}

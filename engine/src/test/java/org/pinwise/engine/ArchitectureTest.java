package org.pinwise.engine;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What STYLE calls the boundaries of this module. */
class ArchitectureTest {
  private static final String DROOLS = "org.pinwise.engine.drools..";
  private static final String RULE_FILES = "org.pinwise.engine.rulefile..";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(location -> !location.contains("/test-classes/"))
          .importPackages("org.pinwise.engine");

  @Test
  void onlyOnePackageKnowsTheRuleEngine() {
    noClasses()
        .that()
        .resideOutsideOfPackage(DROOLS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.drools..", "org.kie..")
        .check(CLASSES);
  }

  @Test
  void ruleFilesAndLogicDoNotDependOnWhatRunsThem() {
    noClasses()
        .that()
        .resideInAnyPackage(RULE_FILES, "org.pinwise.engine.eval..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(DROOLS)
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
  void onlyOnePackageKnowsTheYamlLibraryAndOneTheJsonLibrary() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.pinwise.engine.yaml..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.snakeyaml..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideOutsideOfPackage("org.pinwise.engine.json..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml..")
        .check(CLASSES);
  }

  @Test
  void whatUsersSeeNamesNoThirdParty() {
    classes()
        .that(
            resideInAnyPackage(
                "org.pinwise.engine",
                "org.pinwise.engine.facts",
                "org.pinwise.engine.json",
                "org.pinwise.engine.text",
                "org.pinwise.engine.yaml"))
        .should(haveSignaturesOfJdkAndPinwise())
        .check(CLASSES);
  }

  private static ArchCondition<JavaClass> haveSignaturesOfJdkAndPinwise() {
    return new ArchCondition<>("name only the JDK and Pinwise in what users see") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        if (!type.getModifiers().contains(JavaModifier.PUBLIC)) {
          return;
        }
        for (JavaMember member : type.getMembers()) {
          if (isSeen(member)) {
            for (JavaClass foreign : foreign(member)) {
              events.add(
                  SimpleConditionEvent.violated(
                      member, member.getFullName() + " shows " + foreign.getName()));
            }
          }
        }
      }
    };
  }

  private static boolean isSeen(JavaMember member) {
    return member.getModifiers().contains(JavaModifier.PUBLIC)
        || member.getModifiers().contains(JavaModifier.PROTECTED);
  }

  private static Set<JavaClass> foreign(JavaMember member) {
    Set<JavaType> types = new HashSet<>();
    if (member instanceof JavaField field) {
      types.add(field.getType());
    } else if (member instanceof JavaCodeUnit unit) {
      types.add(unit.getReturnType());
      types.addAll(unit.getParameterTypes());
      types.addAll(unit.getThrowsClause().getTypes());
    }
    Set<JavaClass> named = new HashSet<>();
    types.forEach(type -> named.addAll(type.getAllInvolvedRawTypes()));
    named.removeIf(raw ->
        raw.getBaseComponentType().isPrimitive()
            || resideInAPackage("java..").test(raw.getBaseComponentType())
            || resideInAPackage("org.pinwise..").test(raw.getBaseComponentType()));
    return named;
  }
}

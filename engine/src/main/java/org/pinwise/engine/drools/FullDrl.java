package org.pinwise.engine.drools;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.kie.api.KieBase;
import org.kie.api.KieServices;
import org.kie.api.builder.KieBuilder;
import org.kie.api.builder.KieFileSystem;
import org.kie.api.builder.Message;
import org.kie.api.builder.ReleaseId;
import org.kie.api.definition.KiePackage;
import org.kie.api.definition.rule.Global;
import org.kie.api.definition.rule.Query;
import org.kie.api.definition.rule.Rule;
import org.kie.api.runtime.KieSession;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.spi.Findings;

/**
 * Rules in all of DRL, compiled by Drools' own compiler. They may run any code, so they are loaded
 * only where somebody trusts them by name; what they do not know is not so, for DRL has no third
 * truth value. Drools' compiler is no part of what the engine brings: it is looked for at run time.
 * Thread-safe: each judgement has a session of its own, because such rules may leave facts behind.
 */
public final class FullDrl {
  /** What a class path needs beside the engine; each brings what it needs itself. */
  public static final List<String> NEEDED =
      List.of(
          "org.drools:drools-engine",
          "org.drools:drools-drl-extensions",
          "org.drools:drools-io",
          "org.kie:kie-util-maven-support");

  /** Rules that change facts can wake each other for ever. */
  static final int MAX_FIRINGS = 10_000;

  private static final String GLOBAL = "findings";
  private static final String FOLDER = "src/main/resources/";

  private final KieBase kieBase;
  private final List<Declared> rules;
  private final boolean reporting;

  private FullDrl(KieBase kieBase, List<Declared> rules, boolean reporting) {
    this.kieBase = kieBase;
    this.rules = List.copyOf(rules);
    this.reporting = reporting;
  }

  /**
   * A rule of the files.
   *
   * @param id its name
   * @param annotations its annotations; values as they are written, without quotes
   */
  public record Declared(String id, Map<String, String> annotations) {}

  /**
   * What a rule reported.
   *
   * @param rule the id that it gave
   * @param fact the fact that it gave; null where it gave none
   * @param text the text, which may have places
   */
  public record Report(String rule, @Nullable Object fact, String text) {}

  /**
   * What the rules said of facts.
   *
   * @param reports what they reported, in their order
   * @param failure why they could not be judged to their end; null where they were
   */
  public record Judged(List<Report> reports, @Nullable String failure) {}

  /** Rules that cannot be compiled. */
  public static final class CompilationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    CompilationException(List<Problem> problems) {
      super(problems.toString());
      this.problems = List.copyOf(problems);
    }

    /** Returns what is wrong, at least one problem. */
    public List<Problem> problems() {
      return problems;
    }
  }

  /**
   * What Drools' compiler says.
   *
   * @param file the name of the file; empty where it is not known
   * @param line the line; 0 where it is not known
   * @param message one line
   */
  public record Problem(String file, int line, String message) {}

  /**
   * Compiles files; takes seconds.
   *
   * @param files texts by name; a name is a path without {@code ..}
   * @throws CompilationException if the files are wrong, or Drools' compiler is not there
   */
  public static FullDrl compile(Map<String, String> files) {
    try {
      return compileBy(compiler(), files);
    } catch (CompilationException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      // Drools throws for some of what is wrong in a file, and where a jar of its own is missing.
      boolean missing = e instanceof LinkageError;
      throw new CompilationException(
          List.of(
              new Problem(
                  "",
                  0,
                  missing
                      ? "Drools' compiler does not find a class of its own: %s; %s"
                          .formatted(line(e), howToAdd())
                      : "cannot be compiled: " + line(e))));
    }
  }

  @SuppressWarnings("unchecked") // it implements the interface, which KieBuilder demands
  private static Class<? extends KieBuilder.ProjectType> compiler() {
    try {
      Class<?> type = Class.forName("org.drools.model.codegen.ExecutableModelProject");
      return (Class<? extends KieBuilder.ProjectType>) type;
    } catch (ClassNotFoundException e) {
      throw new CompilationException(
          List.of(
              new Problem(
                  "",
                  0,
                  "full DRL needs Drools' compiler, which is not on the class path; "
                      + howToAdd())));
    }
  }

  private static String howToAdd() {
    String version = KieServices.class.getPackage().getImplementationVersion();
    return "add %s%s, or write the rule in the closed subset and load it with --rules"
        .formatted(String.join(", ", NEEDED), version == null ? "" : " " + version);
  }

  private static FullDrl compileBy(
      Class<? extends KieBuilder.ProjectType> compiler, Map<String, String> files) {
    KieServices services = KieServices.Factory.get();
    // A name of its own: Drools keeps modules by name for the whole JVM.
    ReleaseId release =
        services.newReleaseId("org.pinwise.trusted", "rules-" + UUID.randomUUID(), "1");
    KieFileSystem system = services.newKieFileSystem().generateAndWritePomXML(release);
    files.forEach((name, text) -> system.write(FOLDER + name, text));
    try {
      KieBuilder builder = services.newKieBuilder(system).buildAll(compiler);
      List<Problem> problems = new ArrayList<>();
      for (Message message : builder.getResults().getMessages(Message.Level.ERROR)) {
        problem(message, files.keySet(), problems);
      }
      if (!problems.isEmpty()) {
        throw new CompilationException(problems);
      }
      KieBase kieBase = services.newKieContainer(release).getKieBase();
      Collection<KiePackage> packages = kieBase.getKiePackages();
      return new FullDrl(kieBase, declared(packages), packages.stream().anyMatch(FullDrl::reports));
    } finally {
      services.getRepository().removeKieModule(release);
    }
  }

  private static void problem(Message message, Set<String> files, List<Problem> into) {
    String path = message.getPath() == null ? "" : message.getPath().replace(FOLDER, "");
    String file = files.contains(path) ? path : "";
    Problem problem =
        new Problem(
            file,
            file.isEmpty() ? 0 : Math.max(0, message.getLine()),
            firstLine(String.valueOf(message.getText())));
    // After a syntax error Drools also says that there is no package.
    if (!problem.message().contains("null Package") && !into.contains(problem)) {
      into.add(problem);
    }
  }

  private static boolean reports(KiePackage one) {
    return one.getGlobalVariables().stream().map(Global::getName).anyMatch(GLOBAL::equals);
  }

  private static List<Declared> declared(Collection<KiePackage> packages) {
    List<Declared> all = new ArrayList<>();
    for (KiePackage one : packages) {
      Set<String> queries = new HashSet<>();
      for (Query query : one.getQueries()) {
        queries.add(query.getName());
      }
      for (Rule rule : one.getRules()) {
        if (!queries.contains(rule.getName())) {
          Map<String, String> annotations = new LinkedHashMap<>();
          for (String name : new TreeSet<>(rule.getMetaData().keySet())) {
            annotations.put(name, unquoted(String.valueOf(rule.getMetaData().get(name))));
          }
          all.add(new Declared(rule.getName(), annotations));
        }
      }
    }
    return all;
  }

  /** The executable model keeps the quotes of an annotation's value. */
  private static String unquoted(String value) {
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1).replace("\\\"", "\"") : value;
  }

  /** Returns all rules of the files, in no order that means anything. */
  public List<Declared> rules() {
    return rules;
  }

  /** Returns whether a file declares {@code global org.pinwise.rules.spi.Findings findings}. */
  public boolean canReport() {
    return reporting;
  }

  /** Returns what the rules say of facts. What they throw is a failure, and not thrown. */
  public Judged judge(FactTuple facts) {
    List<Report> reports = new ArrayList<>();
    String failure = null;
    KieSession session = kieBase.newKieSession();
    try {
      session.setGlobal(
          GLOBAL, (Findings) (id, fact, text) -> reports.add(new Report(id, fact, text)));
      facts.all().forEach(session::insert);
      if (session.fireAllRules(MAX_FIRINGS) >= MAX_FIRINGS) {
        failure =
            String.format(
                Locale.ROOT, "they fired %d times, so they may wake each other", MAX_FIRINGS);
      }
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      failure = line(e);
    } finally {
      session.dispose();
    }
    return new Judged(List.copyOf(reports), failure);
  }

  /** Returns what went wrong at the bottom of it, on one line. */
  private static String line(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return firstLine(cause.toString());
  }

  private static String firstLine(String text) {
    return text.lines().map(String::strip).filter(l -> !l.isEmpty()).findFirst().orElse("");
  }
}

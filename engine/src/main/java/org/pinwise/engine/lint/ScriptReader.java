package org.pinwise.engine.lint;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pinwise.rules.model.Setting;
import org.pinwise.rules.model.SettingSource;

/**
 * Looks through scripts (shell, Dockerfile, cloud-init, Ansible) for parameters and paths about
 * which wrong advice goes round: parameters of the mlx modules on a command line, in an {@code
 * options} line or under /sys/module, the environment variables that have their names, and limits
 * of kernel memory. A script is not understood: what it computes is not seen.
 */
final class ScriptReader implements ConfigReader {
  private static final Pattern NAME =
      Pattern.compile("(?is).*\\.(sh|bash|zsh|ksh|dockerfile|containerfile)");
  private static final Pattern DOCKERFILE =
      Pattern.compile("(?is)(Dockerfile|Containerfile)([.-].*)?");
  private static final Pattern SHEBANG = Pattern.compile("#!\\s*/\\S*\\b(env\\s+)?\\w*sh\\b");
  private static final Pattern YAML = Pattern.compile("(?is).*\\.ya?ml(\\.j2)?");
  private static final String MODULE = "(mlx[45]_(?:core|ib|en))";
  private static final Pattern SYSFS = Pattern.compile("/sys/module/(\\w+)/parameters/(\\w+)");
  private static final Pattern OPTIONS =
      Pattern.compile("\\boptions\\s+" + MODULE + "((?:[ \\t]+\\w+=[^\\s\"'\\\\;]+){1,64})");
  private static final Pattern MODPROBE =
      Pattern.compile(
          "\\b(?:modprobe|insmod)(?:[ \\t]+-[\\w-]+){0,16}[ \\t]+(?:\\S*/)?"
              + MODULE
              + "(?:\\.ko\\S*)?((?:[ \\t]+\\w+=[^\\s\"'\\\\;]+){1,64})");
  private static final Pattern BOOT =
      Pattern.compile("\\b" + MODULE + "\\.(\\w+)=([^\\s\"'\\\\;]+)");
  private static final Pattern ANSIBLE =
      Pattern.compile(
          "\\bname:[ \\t]*[\"']?"
              + MODULE
              + "[\"']?[ \\t]*\\n(?:[ \\t]*(?:(?:state|persistent):[^\\n]*)?\\n){0,4}"
              + "[ \\t]+params:[ \\t]*[\"']?((?:[ \\t]*\\w+=[^\\s\"'\\\\;]+){1,64})");
  private static final Pattern PARAMETER = Pattern.compile("(\\w+)=([^\\s\"'\\\\;]+)");
  private static final Pattern VARIABLE =
      Pattern.compile("\\b(MLX[45]_(?:LOG_\\w+|NUM_MTT\\w*))\\b(?:\\s*[=:]\\s*[\"']?(\\w+))?");
  private static final Pattern KERNEL_MEMORY =
      Pattern.compile("memory\\.kmem\\.limit_in_bytes|--kernel-memory\\b");
  private static final Pattern IMAGE_LIMITS =
      Pattern.compile("/etc/security/limits\\.(?:conf\\b|d/[^\\s\"'\\\\;]*)");
  private static final Set<String> SHORT = Set.of("cloud-init", "user-data");

  @Override
  public String format() {
    return "script";
  }

  @Override
  public boolean reads(Source source) {
    String name = source.fileName();
    String text = source.text();
    return NAME.matcher(name).matches()
        || isDockerfile(source)
        || SHORT.contains(name)
        || text.startsWith("#cloud-config")
        || SHEBANG.matcher(text).lookingAt()
        // YAML of no other kind is of use only where there is something to say about it.
        || (YAML.matcher(name).matches() && says(text));
  }

  private static boolean isDockerfile(Source source) {
    return DOCKERFILE.matcher(source.fileName()).matches()
        || source.hasSuffix(".dockerfile", ".containerfile");
  }

  private static boolean says(String yaml) {
    if (!yaml.contains("mlx")) {
      return false;
    }
    String text = withoutComments(yaml);
    return SYSFS.matcher(text).find()
        || OPTIONS.matcher(text).find()
        || MODPROBE.matcher(text).find()
        || BOOT.matcher(text).find()
        || ANSIBLE.matcher(text).find();
  }

  @Override
  public void read(Source source, Statements into) {
    String text = withoutComments(source.text());
    Matcher sysfs = SYSFS.matcher(text);
    while (sysfs.find()) {
      setting(
          source,
          SettingSource.SCRIPT,
          sysfs.group(1),
          sysfs.group(2),
          sysfs.start(2),
          "",
          0,
          into);
    }
    parameters(source, OPTIONS.matcher(text), into);
    parameters(source, MODPROBE.matcher(text), into);
    parameters(source, ANSIBLE.matcher(text), into);
    Matcher boot = BOOT.matcher(text);
    while (boot.find()) {
      setting(
          source,
          SettingSource.MODPROBE,
          boot.group(1),
          boot.group(2),
          boot.start(2),
          boot.group(3),
          boot.start(3),
          into);
    }
    Matcher variable = VARIABLE.matcher(text);
    while (variable.find()) {
      String value = variable.group(2);
      int valueAt = value == null ? variable.start(1) : variable.start(2);
      setting(
          source,
          SettingSource.ENVIRONMENT,
          source.fileName(),
          variable.group(1),
          variable.start(1),
          value == null ? "" : value,
          valueAt,
          into);
    }
    Matcher kernelMemory = KERNEL_MEMORY.matcher(text);
    while (kernelMemory.find()) {
      setting(
          source,
          SettingSource.SCRIPT,
          "cgroup",
          kernelMemory.group(),
          kernelMemory.start(),
          "",
          kernelMemory.start(),
          into);
    }
    if (isDockerfile(source)) {
      Matcher limits = IMAGE_LIMITS.matcher(text);
      while (limits.find()) {
        setting(
            source,
            SettingSource.SCRIPT,
            "image",
            limits.group(),
            limits.start(),
            "",
            limits.start(),
            into);
      }
    }
  }

  /** Returns a text in which comments are blank, so that places stay as they are. */
  private static String withoutComments(String text) {
    StringBuilder plain = new StringBuilder(text);
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      int first = start;
      while (first < end && Character.isWhitespace(text.charAt(first))) {
        first++;
      }
      if (first < end && text.charAt(first) == '#') {
        for (int i = first; i < end; i++) {
          plain.setCharAt(i, ' ');
        }
      }
      start = end + 1;
    }
    return plain.toString();
  }

  private static void parameters(Source source, Matcher line, Statements into) {
    while (line.find()) {
      Matcher parameter = PARAMETER.matcher(line.group(2));
      while (parameter.find()) {
        setting(
            source,
            SettingSource.MODPROBE,
            line.group(1),
            parameter.group(1),
            line.start(2) + parameter.start(1),
            parameter.group(2),
            line.start(2) + parameter.start(2),
            into);
      }
    }
  }

  private static void setting(
      Source source,
      SettingSource kind,
      String scope,
      String key,
      int keyAt,
      String value,
      int valueAt,
      Statements into) {
    Place keyPlace = source.at(keyAt);
    Place valuePlace = value.isEmpty() ? keyPlace : source.at(valueAt);
    Statement.Builder<Setting> setting =
        Statement.of(Setting.TYPE, keyPlace)
            .set("source", kind)
            .set("fileRead", true)
            .set("scope", scope, keyPlace)
            .set("key", key, keyPlace)
            .set("value", value, valuePlace);
    into.add(setting.set("number", ModprobeReader.number(value), valuePlace).build());
  }
}

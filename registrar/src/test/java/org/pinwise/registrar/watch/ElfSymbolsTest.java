package org.pinwise.registrar.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.registrar.watch.Tool.UnreadableException;

class ElfSymbolsTest {
  private static final Path LIBJVM =
      Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
  private static final Path LIBIBVERBS = Path.of("/usr/lib/x86_64-linux-gnu/libibverbs.so.1");

  /** A function with its version as nm prints it; one at sign means that it is not the default. */
  private static final Pattern NM = Pattern.compile("([0-9a-f]{16}) [TW] (\\w+)(?:(@@?)\\S+)?");

  @TempDir private Path folder;

  @Test
  void functionsOfTheJvm() throws UnreadableException {
    assertThat(ElfSymbols.read(LIBJVM))
        .containsKeys("JNI_CreateJavaVM", "JNI_GetCreatedJavaVMs")
        .allSatisfy((name, address) -> assertThat(address).as(name).isPositive());
  }

  /** Every function, against binutils. */
  @Test
  void asNmReadsThem() throws Exception {
    assumeTrue(Files.exists(LIBIBVERBS) && Files.exists(Path.of("/usr/bin/nm")), "needs nm");
    Process nm = new ProcessBuilder("nm", "-D", LIBIBVERBS.toString()).start();
    Map<String, Long> expected = new TreeMap<>();
    for (String line : new String(nm.getInputStream().readAllBytes(), UTF_8).lines().toList()) {
      Matcher matcher = NM.matcher(line);
      if (matcher.matches() && !"@".equals(matcher.group(3))) {
        expected.put(matcher.group(2), Long.parseLong(matcher.group(1), 16));
      }
    }

    assertThat(expected).containsKeys("ibv_reg_mr", "ibv_reg_mr_iova2");
    assertThat(ElfSymbols.read(LIBIBVERBS)).isEqualTo(expected);
  }

  @Test
  void whatIsNoLibraryIsSaid() throws IOException {
    Path text = Files.writeString(folder.resolve("text"), "no library ".repeat(100));

    assertThatThrownBy(() -> ElfSymbols.read(text))
        .isInstanceOf(UnreadableException.class)
        .hasMessageStartingWith(text + " cannot be read as a 64-bit little-endian ELF file");
    assertThatThrownBy(() -> ElfSymbols.read(folder.resolve("none")))
        .isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> ElfSymbols.read(Files.createFile(folder.resolve("empty"))))
        .isInstanceOf(UnreadableException.class);
  }

  /** A damaged library is refused or read, and nothing else is thrown. */
  @Test
  void damagedLibraries() throws IOException {
    byte[] whole = Arrays.copyOf(Files.readAllBytes(LIBJVM), 4096);
    Random random = new Random(3);
    Path file = folder.resolve("damaged");
    for (int i = 0; i < 300; i++) {
      byte[] damaged = whole.clone();
      for (int j = 0; j < 20; j++) {
        damaged[random.nextInt(4 + j, 64)] = (byte) random.nextInt();
      }
      Files.write(file, damaged);
      try {
        assertThat(ElfSymbols.read(file)).isNotNull();
      } catch (UnreadableException e) {
        assertThat(e.reason()).startsWith(file.toString());
      }
    }
  }
}

package org.pinwise.engine.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Finds the names that somebody may have meant. */
public final class Nearest {
  private Nearest() {}

  /**
   * Returns at most three of the names that are near to what was written, the nearest first; empty
   * where none is near.
   */
  public static List<String> to(String written, Collection<String> names) {
    String target = fold(written);
    int limit = Math.max(2, target.length() / 3);
    return names.stream()
        .filter(name -> distance(target, fold(name)) <= limit)
        .sorted(
            Comparator.comparingInt((String name) -> distance(target, fold(name)))
                .thenComparing(Comparator.naturalOrder()))
        .limit(3)
        .toList();
  }

  /** Returns {@code ", did you mean A, B?"}, or nothing where no name is near. */
  public static String hint(String written, Collection<String> names) {
    List<String> near = to(written, names);
    return near.isEmpty() ? "" : ", did you mean " + String.join(" or ", near) + "?";
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT).replace('-', '_');
  }

  /** Levenshtein's distance, with a swap of neighbours as one step. Inputs are short names. */
  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 64) {
      return Integer.MAX_VALUE;
    }
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + cost);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}

package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A word of a line and where it starts in the text.
 *
 * @param text the word
 * @param start its first character
 */
record Word(String text, int start) {
  private static final Pattern WORD = Pattern.compile("\\S+");

  /** Returns the words of a part of a text that white space separates. */
  static List<Word> in(CharSequence text, int from, int to) {
    List<Word> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text).region(from, to);
    while (matcher.find()) {
      words.add(new Word(matcher.group(), matcher.start()));
    }
    return words;
  }
}

package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.FIXED;

import org.jspecify.annotations.Nullable;

/**
 * A name and its value in a configuration file. A null component is unknown.
 *
 * @param source what kind of file it stands in
 * @param scope whom it configures, such as the module; empty where the file has no such thing
 * @param key the name, as written
 * @param value the value, as written; empty where there is none
 * @param number the value as a number; null where it is none
 * @param fileRead whether what it configures reads a file of this name: modprobe, for one, reads
 *     only {@code *.conf}
 * @param keyKnown whether what it configures knows the name there; an unknown one is ignored
 * @param valueKnown whether what it configures understands the value; another one is ignored
 * @param meant what was probably meant by a name or value that is not known; empty where nothing is
 *     near
 */
public record Setting(
    @Nullable SettingSource source,
    @Nullable String scope,
    @Nullable String key,
    @Nullable String value,
    @Nullable Long number,
    @Nullable Boolean fileRead,
    @Nullable Boolean keyKnown,
    @Nullable Boolean valueKnown,
    @Nullable String meant)
    implements Configuration {

  /** The fields of a setting. */
  public static final FactType<Setting> TYPE =
      FactType.of(Setting.class, "setting")
          .choice("source", SettingSource.class, Setting::source, FIXED, "the kind of file")
          .text("scope", Setting::scope, FIXED, "whom it configures, such as the module")
          .text("key", Setting::key, FIXED, "the name, as written")
          .text("value", Setting::value, FIXED, "the value, as written")
          .number("number", Setting::number, PLAIN, FIXED, "the value, where it is a number")
          .flag("fileRead", Setting::fileRead, FIXED, "whether a file of this name is read at all")
          .flag("keyKnown", Setting::keyKnown, FIXED, "whether the name is known where it stands")
          .flag("valueKnown", Setting::valueKnown, FIXED, "whether the value is understood")
          .text("meant", Setting::meant, FIXED, "what was probably meant by what is not known")
          .build(v ->
              new Setting(
                  v.choice("source", SettingSource.class),
                  v.text("scope"),
                  v.text("key"),
                  v.text("value"),
                  v.number("number"),
                  v.flag("fileRead"),
                  v.flag("keyKnown"),
                  v.flag("valueKnown"),
                  v.text("meant")));

  @Override
  public FactType<Setting> factType() {
    return TYPE;
  }
}

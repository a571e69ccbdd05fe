package org.pinwise.rules.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.spi.Truth.FALSE;
import static org.pinwise.rules.spi.Truth.TRUE;
import static org.pinwise.rules.spi.Truth.UNKNOWN;

import org.junit.jupiter.api.Test;

class TruthTest {

  @Test
  void isKleenesLogic() {
    for (Truth a : Truth.values()) {
      for (Truth b : Truth.values()) {
        Truth both = (a == FALSE || b == FALSE) ? FALSE : (a == TRUE && b == TRUE) ? TRUE : UNKNOWN;
        assertThat(a.and(b)).isEqualTo(both);
        assertThat(a.or(b)).isEqualTo(a.not().and(b.not()).not());
      }
      assertThat(a.not().not()).isEqualTo(a);
    }
    assertThat(TRUE.not()).isEqualTo(FALSE);
    assertThat(UNKNOWN.not()).isEqualTo(UNKNOWN);
    assertThat(Truth.of(true)).isEqualTo(TRUE);
    assertThat(Truth.of(false)).isEqualTo(FALSE);
  }
}

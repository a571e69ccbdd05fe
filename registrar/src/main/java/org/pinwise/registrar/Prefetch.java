package org.pinwise.registrar;

/**
 * What a device may do in advance with pages of a region that it else pages in on demand: {@code
 * enum ibv_advise_mr_advice}, ibv_advise_mr(3).
 */
public enum Prefetch {
  /** Have the pages there to be read: {@code IBV_ADVISE_MR_ADVICE_PREFETCH}. */
  READ(0),
  /**
   * Have the pages there to be written, too: {@code IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE}. The
   * region must have been registered for writing.
   */
  WRITE(1),
  /**
   * Tell the device of the pages that are there, and bring no other: {@code
   * IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT}. Since Linux 5.10.
   */
  PRESENT(2);

  private final int advice;

  Prefetch(int advice) {
    this.advice = advice;
  }

  int advice() {
    return advice;
  }
}

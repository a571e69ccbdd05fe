package org.pinwise.registrar;

/** The least that a Java program does: the reference of a cold start. */
final class Hello {
  private Hello() {}

  /** Says hello. */
  public static void main(String[] args) {
    System.out.println("hello");
  }
}

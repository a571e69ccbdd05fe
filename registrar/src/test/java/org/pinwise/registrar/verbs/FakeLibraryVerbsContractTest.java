package org.pinwise.registrar.verbs;

/** The contract through the foreign function interface, on any machine with a C compiler. */
class FakeLibraryVerbsContractTest extends VerbsContractTest {

  @Override
  Verbs verbs() {
    return FakeLibrary.load();
  }

  @Override
  String device() {
    return "fake0";
  }

  @Override
  boolean importsDmabuf() {
    return true;
  }

  @Override
  boolean takesAdvice() {
    return true;
  }
}

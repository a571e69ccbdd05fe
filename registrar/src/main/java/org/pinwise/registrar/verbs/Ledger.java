package org.pinwise.registrar.verbs;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts live objects. Each adder may be read while others write; the three are consistent with
 * each other only when nobody does.
 */
final class Ledger {

  private final LongAdder contexts = new LongAdder();
  private final LongAdder protectionDomains = new LongAdder();
  private final LongAdder memoryRegions = new LongAdder();

  void opened() {
    contexts.increment();
  }

  void closed() {
    contexts.decrement();
  }

  void allocated() {
    protectionDomains.increment();
  }

  void deallocated() {
    protectionDomains.decrement();
  }

  void registered() {
    memoryRegions.increment();
  }

  void deregistered() {
    memoryRegions.decrement();
  }

  LiveObjects live() {
    return new LiveObjects(contexts.sum(), protectionDomains.sum(), memoryRegions.sum());
  }
}

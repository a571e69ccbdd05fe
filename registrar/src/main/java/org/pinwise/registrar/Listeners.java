package org.pinwise.registrar;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.pinwise.engine.Verdict;

/** Tells all listeners of a registrar, and keeps what they throw from the one who told. */
final class Listeners implements RegistrarListener {

  private static final Logger LOG = System.getLogger(RegistrarListener.class.getName());

  private final List<RegistrarListener> all = new CopyOnWriteArrayList<>();

  void add(RegistrarListener listener) {
    all.add(listener);
  }

  void remove(RegistrarListener listener) {
    all.remove(listener);
  }

  @Override
  public boolean isListening() {
    if (all.isEmpty()) {
      return false;
    }
    for (RegistrarListener listener : all) {
      if (listener.isListening()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void registered(RegisteredRegion region, Verdict verdict, long nanos) {
    tell(listener -> listener.registered(region, verdict, nanos));
  }

  @Override
  public void refused(MemoryRegistrar registrar, Verdict verdict) {
    tell(listener -> listener.refused(registrar, verdict));
  }

  @Override
  public void failed(
      MemoryRegistrar registrar, VerbsException error, Verdict diagnosis, long nanos) {
    tell(listener -> listener.failed(registrar, error, diagnosis, nanos));
  }

  @Override
  public void deregistered(RegisteredRegion region, long nanos) {
    tell(listener -> listener.deregistered(region, nanos));
  }

  @Override
  public void notDeregistered(RegisteredRegion region, VerbsException error, long nanos) {
    tell(listener -> listener.notDeregistered(region, error, nanos));
  }

  @Override
  public void fellBack(MemoryRegistrar registrar, FallbackStep step) {
    tell(listener -> listener.fellBack(registrar, step));
  }

  @Override
  public void evicted(RegisteredRegion region, Eviction why) {
    tell(listener -> listener.evicted(region, why));
  }

  @Override
  public void leaseLost(RegisteredRegion region, String where) {
    tell(listener -> listener.leaseLost(region, where));
  }

  private void tell(Consumer<RegistrarListener> event) {
    for (RegistrarListener listener : all) {
      try {
        if (listener.isListening()) {
          event.accept(listener);
        }
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a listener failed, which changes nothing else: " + listener, e);
      }
    }
  }
}

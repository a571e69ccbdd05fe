package org.pinwise.engine.eval;

import java.util.List;
import java.util.Set;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Truth;

/** A condition whose leaves are atoms. */
public sealed interface Formula extends Test {

  /** Collects the fields whose being unknown leaves this formula unknown. */
  void needs(FactTuple facts, Set<Operand.FieldOf<?>> into);

  /** Collects the atoms. */
  void atoms(Set<Atom> into);

  /** A comparison. */
  record Leaf(Atom atom) implements Formula {
    @Override
    public Truth of(FactTuple facts) {
      return atom.test().of(facts);
    }

    @Override
    public void needs(FactTuple facts, Set<Operand.FieldOf<?>> into) {
      if (of(facts) == Truth.UNKNOWN) {
        atom.reads().stream().filter(field -> isOpen(field, facts)).forEach(into::add);
      }
    }

    /** A kernel may be known and yet leave its comparison open: none like it was verified. */
    private static <F> boolean isOpen(Operand.FieldOf<F> field, FactTuple facts) {
      return field.field().read(facts.get(field.type())) == null
          || field.field().format() == org.pinwise.rules.model.Field.Format.KERNEL;
    }

    @Override
    public void atoms(Set<Atom> into) {
      into.add(atom);
    }
  }

  /** All hold. */
  record All(List<Formula> parts) implements Formula {
    @Override
    public Truth of(FactTuple facts) {
      Truth result = Truth.TRUE;
      for (Formula part : parts) {
        result = result.and(part.of(facts));
        if (result == Truth.FALSE) {
          return result;
        }
      }
      return result;
    }

    @Override
    public void needs(FactTuple facts, Set<Operand.FieldOf<?>> into) {
      if (of(facts) == Truth.UNKNOWN) {
        parts.forEach(part -> part.needs(facts, into));
      }
    }

    @Override
    public void atoms(Set<Atom> into) {
      parts.forEach(part -> part.atoms(into));
    }
  }

  /** At least one holds. */
  record Any(List<Formula> parts) implements Formula {
    @Override
    public Truth of(FactTuple facts) {
      Truth result = Truth.FALSE;
      for (Formula part : parts) {
        result = result.or(part.of(facts));
        if (result == Truth.TRUE) {
          return result;
        }
      }
      return result;
    }

    @Override
    public void needs(FactTuple facts, Set<Operand.FieldOf<?>> into) {
      if (of(facts) == Truth.UNKNOWN) {
        parts.forEach(part -> part.needs(facts, into));
      }
    }

    @Override
    public void atoms(Set<Atom> into) {
      parts.forEach(part -> part.atoms(into));
    }
  }

  /** The other does not hold. */
  record Not(Formula part) implements Formula {
    @Override
    public Truth of(FactTuple facts) {
      return part.of(facts).not();
    }

    @Override
    public void needs(FactTuple facts, Set<Operand.FieldOf<?>> into) {
      part.needs(facts, into);
    }

    @Override
    public void atoms(Set<Atom> into) {
      part.atoms(into);
    }
  }
}

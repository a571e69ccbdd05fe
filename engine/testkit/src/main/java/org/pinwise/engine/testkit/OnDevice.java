package org.pinwise.engine.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives tests the facts of a simulated device: a device of the catalogue on a host. Parameters of
 * type {@link org.pinwise.rules.model.Device}, {@link org.pinwise.rules.model.Host} and {@link
 * org.pinwise.rules.model.Facts} are filled in; the facts are of a request of {@code ibv_reg_mr} of
 * which no more is known. The nearest annotation counts: the parameter's, the method's, the
 * class's.
 *
 * {@snippet :
 * @Test
 * @OnDevice(value = "rxe", kernel = "6.12")
 * void refusesOnDemand(Facts facts) { .. }
 * }
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER})
@ExtendWith(SimulatedDevices.class)
public @interface OnDevice {
  /** Returns the device's name in the catalogue, such as {@code connectx5}. */
  String value();

  /** Returns the host's kernel, such as {@code 6.12}; unknown where it is empty. */
  String kernel() default "";
}

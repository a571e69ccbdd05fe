package org.pinwise.engine;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Stage;

/**
 * A rule that the known facts do not decide.
 *
 * @param rule the rule's id
 * @param severity how bad its finding would be
 * @param stage where the call would fail; null where it would not
 * @param step the order of the check within its stage
 * @param errno what the call would return; null where it would not fail
 * @param summary what the rule demands
 * @param needs the facts that would decide it, such as {@code device.odp}; in a stable order
 * @param verified the kernels on which the rule is known to be right, such as {@code 6.1 lab}
 */
public record UndecidedRule(
    String rule,
    Severity severity,
    @Nullable Stage stage,
    int step,
    @Nullable Errno errno,
    String summary,
    Set<String> needs,
    List<String> verified) {}

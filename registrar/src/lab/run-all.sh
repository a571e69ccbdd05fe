#!/bin/bash
# run-all.sh JARS_DIR TEST_JARS_DIR - everything that the lab proves, one guest after the other.
#
#   TEST_JARS_DIR  the same jars, and with them the registrar's tests, JUnit and AssertJ
. "$(dirname "$0")/common.sh"
[ $# = 2 ] || die "usage: run-all.sh JARS_DIR TEST_JARS_DIR"

status=0
lab() {
  say "$*"
  "$LAB_SOURCE/run.sh" "$@" || status=$?
}
lab "$1" org.pinwise.registrar.lab.WireSelfTest
lab "$2" org.pinwise.registrar.lab.ContractLab
lab "$1" org.pinwise.registrar.lab.RegistrarLab
lab "$1" org.pinwise.registrar.lab.BufferLab
lab "$1" org.pinwise.registrar.lab.MonitorLab
lab -u -m $((1 << 20)) "$1" org.pinwise.registrar.lab.LifeLab
lab -d "$LAB_SOURCE/../../../testdata/oracle" "$1" org.pinwise.registrar.lab.KernelLab
cat "$LAB_WORK/kernel.txt"
exit "$status"

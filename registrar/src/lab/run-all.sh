#!/bin/bash
# run-all.sh JARS_DIR - everything that the lab proves, one guest after the other.
. "$(dirname "$0")/common.sh"
[ $# = 1 ] || die "usage: run-all.sh JARS_DIR"

status=0
lab() {
  say "$*"
  "$LAB_SOURCE/run.sh" "$@" || status=$?
}
lab "$1" org.pinwise.registrar.lab.WireSelfTest
lab "$1" org.pinwise.registrar.lab.RegistrarLab
lab "$1" org.pinwise.registrar.lab.KernelLab
cat "$LAB_WORK/kernel.txt"
exit "$status"

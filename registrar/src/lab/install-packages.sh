#!/bin/bash
# Installs what the lab needs from Debian (packages.txt). As root; quick when all is there.
. "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] || die "run $(basename "$0") as root"
apt-get update -qq || say "apt-get update failed; going on with the lists at hand"
lab_packages | DEBIAN_FRONTEND=noninteractive xargs apt-get install -y -qq --no-install-recommends >/dev/null ||
  die "apt-get could not install: $(lab_packages | xargs)"
need_packages

#!/bin/sh
# Installs from Debian what `pnpm bench postfix` compares with, and leaves it switched off: the bench starts instances of its own.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends postfix opendkim
if command -v systemctl >/dev/null && [ -d /run/systemd/system ]; then systemctl disable --now postfix opendkim; fi

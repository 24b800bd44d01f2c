#!/usr/bin/env bash
# Runs the notebook top to bottom in a new Debian 13 as on a hosted notebook: as root, in an empty
# folder, with a Python 3.13 that has no ensurepip and no python3.13-venv to install. Prints the
# seconds of each cell, then those of the solutions. Optional; needs root and debootstrap.
#
#   handouts/notebook/try.sh [FOLDER [MIRROR]]
#
# FOLDER keeps the new system (by default: a temporary folder, removed). What pip needs behind a proxy
# is taken from the environment.
set -euo pipefail

folder=${1:-} mirror=${2:-http://deb.debian.org/debian}
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf --one-file-system "$folder"' EXIT
fi
system=$folder/debian-13
if [ ! -e "$folder/complete" ]; then
    debootstrap --variant=minbase --include=ca-certificates,gcc,g++,make,git,python3,python3-pip \
        trixie "$system" "$mirror" > "$folder/debootstrap.log"
    touch "$folder/complete"
fi
cp -L /etc/resolv.conf "$system/etc/resolv.conf"
cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/ca-certificates.crt"
printf 'Package: python3*-venv\nPin: release *\nPin-Priority: -1\n' > "$system/etc/apt/preferences.d/no-venv"
rm -rf --one-file-system "$system/content"
mkdir "$system/content"
git clone -q --bare "$repository" "$system/content/convlabs.git"
cp "$repository"/handouts/{convlabs.ipynb,notebook/run.py} "$repository/grader/setup/requirements-notebook.lock" \
    "$system/content"
inside() {
    unshare --mount --pid --fork bash -c '
        mount --rbind /dev "$1/dev" && mount -t tmpfs shm "$1/dev/shm" && mount -t proc proc "$1/proc"
        exec chroot "$1" bash -c "cd /content && { $2; }"' inside "$system" "$1"
}
export CONVLABS_ADDRESS=file:///content/convlabs.git HOME=/root LC_ALL=C.UTF-8
inside 'pip install -q --root-user-action ignore --break-system-packages --ignore-installed --require-hashes -r requirements-notebook.lock'
inside '! python3 -c "import ensurepip" 2> /dev/null && python3 --version && gcc --version | head -1'
inside 'mkdir -p empty && python3 run.py convlabs.ipynb empty'
for lab in lab1 lab2 lab3; do
    SECONDS=0
    inside "cd empty/convlabs && ./grade $lab --src solutions | tail -1"
    echo "the solution of $lab: graded in $SECONDS s"
done

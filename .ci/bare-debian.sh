#!/usr/bin/env bash
# Proves that the README's two commands work on a Debian 12 that has only gcc, g++, make, git, python3
# and sudo. Optional; needs root and debootstrap.
#
#   .ci/bare-debian.sh [--setup-only] [--folder DIR] [--mirror URL] [--ca FILE] [--env NAME=VALUE]...
#
#   --archive TAR test the students' archive that `make release` made, instead of a clone
#   --setup-only  run only the set-up (./grade setup, make setup-dev), no grading and no tests
#   --folder DIR  keep the bare system and the logs there (default: a temporary folder, removed)
#   --mirror URL  Debian's mirror, for debootstrap (default: http://deb.debian.org/debian)
#   --ca FILE     certificates for pip and apt to trust, for a proxy that has its own
#   --env N=V     set a variable for the commands inside, such as PIP_INDEX_URL or http_proxy
#
# It runs three times, each on a fresh copy of the system and a clean clone of the last commit (or
# the archive):
#   root      both commands
#   nobody    an ordinary user without sudo: must print the exact apt-get line and exit with 3
#   sudoer    an ordinary user with sudo that needs no password: both commands
set -euo pipefail

die() { printf 'bare-debian: %s\n' "$*" >&2; exit 2; }
say() { printf '\n== %s\n' "$*"; }

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mirror=http://deb.debian.org/debian
folder='' ca='' archive='' only_setup=false
variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8)
while [ $# -gt 0 ]; do
    case $1 in
        --setup-only) only_setup=true ;;
        --archive) archive=${2:?}; shift ;;
        --folder) folder=${2:?}; shift ;;
        --mirror) mirror=${2:?}; shift ;;
        --ca) ca=${2:?}; shift ;;
        --env) variables+=("${2:?}"); shift ;;
        *) die "no option $1; see the comment at the top of this file" ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || die 'needs root, for chroot'
command -v debootstrap > /dev/null || die 'needs debootstrap: apt-get install debootstrap'

if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
base=$folder/debian
if [ ! -e "$folder/debian.complete" ]; then
    say "debootstrap of Debian 12 into $base"
    rm -rf --one-file-system "$base"
    debootstrap --variant=minbase --include=gcc,g++,make,git,python3,sudo bookworm "$base" "$mirror" \
        > "$folder/debootstrap.log" || die "debootstrap failed, see $folder/debootstrap.log"
    touch "$folder/debian.complete"
fi

# Makes a fresh system in $folder/$1, with a clean clone in the student's home folder.
prepare() {
    local root=$folder/$1
    rm -rf --one-file-system "$root"
    cp -a "$base" "$root"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    if [ -n "$ca" ]; then
        install -D -m 644 "$ca" "$root/etc/ssl/certs/bare-debian.crt"
    fi
    chroot "$root" useradd --create-home --shell /bin/bash student
    if [ -n "$archive" ]; then
        mkdir "$root/home/student/convlabs"
        tar -xzf "$archive" -C "$root/home/student/convlabs" --strip-components=1
    else
        git clone -q --no-hardlinks "$repository" "$root/home/student/convlabs"
    fi
    chroot "$root" chown -R student:student /home/student/convlabs
    if [ "$1" = sudoer ]; then
        echo 'student ALL=(ALL) NOPASSWD: ALL' > "$root/etc/sudoers.d/student"
    fi
}

# Runs the command line $2 in system $1, as root or as the student, and logs its output.
inside() {
    local root=$folder/$1 user=student home=/home/student status=0
    [ "$1" != root ] || { user=root; home=/root; }
    local all=("${variables[@]}" "HOME=$home" "USER=$user")
    [ -z "$ca" ] || all+=(PIP_CERT=/etc/ssl/certs/bare-debian.crt SSL_CERT_FILE=/etc/ssl/certs/bare-debian.crt)
    say "$1: $2"
    SECONDS=0
    # New mount and process namespaces, so that nothing stays mounted or running afterwards.
    env -i "${all[@]}" unshare --mount --pid --fork bash -c '
        mount --rbind /dev "$1/dev" && mount -t tmpfs shm "$1/dev/shm" && mount -t proc proc "$1/proc"
        exec chroot --userspec="$2" "$1" bash -c "cd /home/student/convlabs && { $3; }"
    ' inside "$root" "$user" "$2" > >(tee "$folder/$1.log") 2>&1 || status=$?
    printf '== exit %d after %d s\n' "$status" "$SECONDS"
    return "$status"
}

# Fails unless `inside $2 $3` exits with status $1.
expect() {
    local status=0
    inside "$2" "$3" || status=$?
    [ "$status" = "$1" ] || die "$2: '$3' exited with status $status instead of $1"
}

prepare nobody
expect 3 nobody './grade lab3'
sleep 0.2 # until tee has written it
grep -q '^    sudo apt-get update && sudo apt-get install -y --no-install-recommends .*libstb-dev' \
    "$folder/nobody.log" || die 'nobody: the apt-get line was not printed'
rm -rf --one-file-system "$folder/nobody"

for user in root sudoer; do
    prepare "$user"
    if $only_setup; then
        expect 0 "$user" './grade setup'
        [ -n "$archive" ] || expect 0 "$user" 'make setup-dev'
        [ -n "$archive" ] || expect 0 "$user" './grade setup --dev'
    else
        # The starter is unsolved: it earns 0 points, and the status is 1.
        expect 1 "$user" 'make lab3 && ./grade lab3'
        expect 0 "$user" 'make test'
        [ -n "$archive" ] || expect 0 "$user" './grade lab3 --src solutions'
        expect 0 "$user" './grade doctor'
    fi
    rm -rf --one-file-system "$folder/$user"
done
say 'everything is as expected'

# shellcheck shell=bash
# Scripts that try something in a bare Debian 12 (as root) source this file. They have a function
# `fail`, and remove $root at the end.

# Makes a bare Debian 12, and sets `root` to its folder.
make_root() {
  [ "$(id -u)" -eq 0 ] || fail 'a bare Debian needs root, for chroot and mount'
  tools/setup.sh package
  local mirror log
  mirror=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Component: main' | head -n 1)
  root=$(mktemp -d -t virnucpro-root.XXXXXX)  # debootstrap takes no path with spaces
  log=$(debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} 2>&1) ||
    fail "debootstrap failed:" "$(tail <<<"$log")"
}

# Runs a command in $root, in its own mount namespace, so that nothing stays mounted. A program needs
# /proc to find its own folder, and devpts for a terminal. $root is itself a mount, because otherwise
# tests may not mount more.
in_root() {
  unshare --mount sh -c 'mount --bind "$0" "$0" && mount -t proc proc "$0/proc" &&
    mount -t devpts devpts "$0/dev/pts" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"
}

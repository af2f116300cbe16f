# shellcheck shell=bash
# Shared by scripts that try something in a bare Debian 12 (as root), which source this, have a function
# `fail`, and remove $root in the end.

# Sets `root` to the folder of a new one.
make_root() {
  [ "$(id -u)" -eq 0 ] || fail 'a bare Debian needs root, for chroot and mount'
  tools/setup.sh package
  local mirror log
  mirror=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Component: main' | head -n 1)
  root=$(mktemp -d -t virnucpro-root.XXXXXX)  # debootstrap takes no path with spaces
  log=$(debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} 2>&1) ||
    fail "debootstrap failed:" "$(tail <<<"$log")"
}

# In its own mount namespace, so that nothing stays mounted. Without /proc a program cannot find its
# own folder, without devpts there is no terminal, and only in a root that is a mount itself may tests
# mount more.
in_root() {
  unshare --mount sh -c 'mount --bind "$0" "$0" && mount -t proc proc "$0/proc" &&
    mount -t devpts devpts "$0/dev/pts" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"
}

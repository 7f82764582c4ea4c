# shellcheck shell=bash
# Everything a fresh Debian needs before a benchmark or a test run: packages, then the extension, built in a copy.
# Requires common.bash. Promises: nothing is installed before it is known that all of it can be; with everything
# present no network is used; clusters and configuration of the machine are left as they were.

# setup_packages KIND: the Debian packages that `bench` or `test` needs, one per line.
setup_packages() {
  local kind=$1
  printf '%s\n' "postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR" \
    g++ make libboost-dev libbenchmark-dev perl util-linux
  case $kind in
    bench) printf '%s\n' gnuplot-nox "postgresql-$PG_MAJOR-pgrouting" ;;
    test) printf '%s\n' "postgresql-$PG_MAJOR-pgtap" libtap-parser-sourcehandler-pgtap-perl libipc-run-perl \
      libgtest-dev libpq-dev clang libclang-rt-14-dev bats shellcheck gnuplot-nox ;;
    *) die "setup: unknown kind '$kind' (bench, test)" ;;
  esac
}

# setup_installed PACKAGE: its installed version on stdout; false when it is not installed.
setup_installed() {
  local status
  status=$(dpkg-query -W -f='${db:Status-Status} ${Version}\n' "$1" 2>/dev/null | awk '$1 == "installed" {print $2; exit}')
  [[ -n $status ]] && printf '%s\n' "$status"
}

# setup_candidate PACKAGE: the version the package lists offer; false when they offer none.
setup_candidate() {
  local version
  version=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" {print $2; exit}')
  [[ -n $version ]] && printf '%s\n' "$version"
}

setup_apt() {
  as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C apt-get -q -y \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@" >&2
}

# setup_install_quietly PACKAGE…: installs them without creating a cluster and without starting any service. The two
# files that say so exist only while apt runs; ones an administrator already has are not touched.
setup_install_quietly() (
  local drop_in=/etc/postgresql-common/createcluster.d/zz-doublets-setup.conf
  local policy=/usr/sbin/policy-rc.d
  local made=()
  # shellcheck disable=SC2317  # called by the trap
  forget() { [[ ${#made[@]} -eq 0 ]] || as_root rm -f -- "${made[@]}"; }
  trap forget EXIT
  if [[ ! -e $policy ]]; then
    made+=("$policy")
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  if ! setup_installed "postgresql-$PG_MAJOR" >/dev/null; then
    # The directory that is read comes with postgresql-common, which creates no cluster itself.
    setup_apt install --no-install-recommends postgresql-common
    grep -q '^ *include_dir.*createcluster\.d' /etc/postgresql-common/createcluster.conf ||
      grep -Eq '^ *create_main_cluster *=? *'\''?(false|off|no|0)' /etc/postgresql-common/createcluster.conf ||
      die "/etc/postgresql-common/createcluster.conf reads no createcluster.d: set create_main_cluster = false in it, then run again"
    made+=("$drop_in")
    as_root mkdir -p "${drop_in%/*}"
    printf 'create_main_cluster = false\n' | as_root tee "$drop_in" >/dev/null
  fi
  setup_apt install --no-install-recommends "$@"
)

# setup_release: the name of this release, for messages.
setup_release() {
  # shellcheck source=/dev/null
  (. /etc/os-release 2>/dev/null && printf '%s\n' "${PRETTY_NAME:-unknown}") || printf 'an unknown system\n'
}

# setup_check_release PACKAGE…: dies, before anything is installed, when one of the packages is not on offer here.
setup_check_release() {
  local package offered
  have apt-get ||
    die "$(setup_release): no apt-get; the set-up supports Debian 12 (bookworm) with PostgreSQL $PG_MAJOR"
  # Stale lists name files that are gone from the mirror, and a fresh container has none.
  log "reading the package lists"
  setup_apt update || log "the package lists could not be refreshed; going on with those at hand"
  if ! setup_candidate "postgresql-$PG_MAJOR" >/dev/null; then
    offered=$(apt-cache pkgnames postgresql- 2>/dev/null | grep -Ex 'postgresql-[0-9]+' | sort -V | paste -sd ' ' || true)
    die "$(setup_release) offers no package postgresql-$PG_MAJOR (it has: ${offered:-none});" \
      "doublets supports PostgreSQL $PG_MAJOR as in Debian 12 (bookworm). Nothing was installed."
  fi
  for package in "$@"; do
    setup_candidate "$package" >/dev/null ||
      die "$(setup_release) offers no package $package. Nothing was installed."
  done
}

# setup_pin_minor PACKAGE…: prints the packages, with the server's headers held at the version of a server that is
# already installed: upgrading that server is its administrator's business, not ours.
setup_pin_minor() {
  local server="postgresql-$PG_MAJOR" dev="postgresql-server-dev-$PG_MAJOR" version package
  version=$(setup_installed "$server" || true)
  for package in "$@"; do
    if [[ $package == "$dev" && -n $version && $(setup_candidate "$dev") != "$version" ]]; then
      apt-cache madison "$dev" | awk '{print $3}' | grep -Fxq "$version" ||
        die "$server $version is installed, $dev is offered only as $(setup_candidate "$dev"): upgrade the server first"
      printf '%s=%s\n' "$dev" "$version"
    else
      printf '%s\n' "$package"
    fi
  done
}

# setup_install KIND: installs what is missing, if anything is.
setup_install() {
  local package missing=() pinned=()
  while read -r package; do
    setup_installed "$package" >/dev/null || missing+=("$package")
  done < <(setup_packages "$1")
  if [[ ${#missing[@]} -gt 0 ]]; then
    setup_check_release "${missing[@]}"
    mapfile -t pinned < <(setup_pin_minor "${missing[@]}")
    [[ ${#pinned[@]} -eq ${#missing[@]} ]] || exit 1
    log "installing: ${pinned[*]}"
    setup_install_quietly "${pinned[@]}" || die "apt-get could not install: ${pinned[*]}"
  fi
  setup_check_minor
}

# setup_check_minor: an extension built with other headers than the server's may crash it.
setup_check_minor() {
  local server dev
  server=$(setup_installed "postgresql-$PG_MAJOR" || true)
  dev=$(setup_installed "postgresql-server-dev-$PG_MAJOR" || true)
  [[ -x $PG_CONFIG ]] || die "$PG_CONFIG does not exist"
  [[ $server == "$dev" ]] ||
    die "postgresql-$PG_MAJOR is $server but postgresql-server-dev-$PG_MAJOR is $dev: install the same version of both"
}

# setup_copy: copies the checkout, without build products, to BUILD_DIR (exported) inside SCRATCH. The copy belongs to
# the server user, who need not be able to read the checkout.
setup_copy() {
  BUILD_DIR=$SCRATCH/src
  export BUILD_DIR
  mkdir -p "$BUILD_DIR"
  tar -C "$DOUBLETS_ROOT" -cf - --exclude=./.git --exclude='*.o' --exclude='*.so' --exclude='*.bc' --exclude=./results \
    --exclude=./output_iso --exclude=tmp_check --exclude=regression.diffs --exclude=regression.out . |
    tar -C "$BUILD_DIR" --no-same-owner -xf -
  if is_root; then
    chown -R postgres: "$SCRATCH"
  fi
}

# setup_build: compiles the copy as the server user and installs it as root.
setup_build() {
  local logfile=$SCRATCH/build.log
  log "building the extension"
  if ! RUN_AS_DIR=$BUILD_DIR run_as make -j"$(nproc)" PG_CONFIG="$PG_CONFIG" >"$logfile" 2>&1; then
    tail -n 40 "$logfile" >&2
    die "the extension does not build"
  fi
  if ! (cd "$BUILD_DIR" && setup_make_install) >>"$logfile" 2>&1; then
    tail -n 40 "$logfile" >&2
    die "the extension cannot be installed"
  fi
}

setup_make_install() {
  if [[ -w $("$PG_CONFIG" --pkglibdir) && -w $("$PG_CONFIG" --sharedir)/extension ]]; then
    make install PG_CONFIG="$PG_CONFIG"
  else
    as_root make install PG_CONFIG="$PG_CONFIG"
  fi
}

# setup_all KIND: packages, copy, build, install. Afterwards SCRATCH and BUILD_DIR are set; remove with scratch_remove.
setup_all() {
  local kind=$1
  setup_install "$kind"
  scratch_create
  setup_copy
  setup_build
}

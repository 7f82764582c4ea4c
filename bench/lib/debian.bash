# shellcheck shell=bash
# The real links: which Debian package depends directly (Depends, Pre-Depends) on which, from this machine's own package
# lists. Requires session.bash; sets GRAPH_SOURCE, GRAPH_INPUT_SHA256 and GRAPH_EDGES_SHA256 for the provenance.

# debian_lists: the files of this release's main component, as apt knows them, one per line.
debian_lists() {
  local codename=''
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_CODENAME:-}")
  have apt-get || return 0
  # shellcheck disable=SC2016  # the names belong to apt
  apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages' 'Component: main' "Codename: $codename" \
    "Architecture: $(dpkg --print-architecture)" 2>/dev/null | LC_ALL=C sort -u
}

# debian_stanzas FILE: the package descriptions go to FILE. Prefers the package manager's lists, then its cache of
# available packages, then the packages that are installed.
debian_stanzas() {
  local lists=()
  mapfile -t lists < <(debian_lists)
  GRAPH_SOURCE=''
  if ((${#lists[@]})) && /usr/lib/apt/apt-helper cat-file "${lists[@]}" >"$1" 2>/dev/null && [[ -s $1 ]]; then
    GRAPH_SOURCE="package lists of this release, component main"
  elif have apt-cache && apt-cache dumpavail >"$1" 2>/dev/null && [[ $(grep -c '^Package:' "$1") -gt 5000 ]]; then
    GRAPH_SOURCE="all available packages"
  elif [[ -s /var/lib/dpkg/status ]]; then
    cp -- /var/lib/dpkg/status "$1"
    GRAPH_SOURCE="only the packages installed here (no package lists)"
  else
    die "real: this machine has neither package lists nor a dpkg status file"
  fi
}

# debian_pairs FILE: distinct pairs `package<TAB>dependency`, alternatives included, versions and architectures left out.
debian_pairs() {
  awk '
    function dependencies(list, n, i, part) {
      n = split(list, part, /[,|]/)
      for (i = 1; i <= n; i++) {
        sub(/^[ \t]+/, "", part[i])
        sub(/[ \t:(\[].*$/, "", part[i])
        if (part[i] != "") print package "\t" part[i]
      }
    }
    /^Package:/ { package = $2; inside = 0; next }
    /^(Pre-)?Depends:/ { inside = 1; sub(/^[^:]*:/, ""); dependencies($0); next }
    /^[ \t]/ { if (inside) dependencies($0); next }
    { inside = 0 }' "$1" | LC_ALL=C sort -u
}

# edges_number PAIRS NUMBERS FILE: names in PAIRS get numbers, by falling in-degree and then by name, which go to NUMBERS;
# the numbered pairs go to FILE.
edges_number() {
  awk -F '\t' '{ degree[$1] += 0; degree[$2]++ } END { for (name in degree) print degree[name] "\t" name }' "$1" |
    LC_ALL=C sort -t $'\t' -k 1,1nr -k 2,2 | awk -F '\t' '{ print $2 "\t" NR }' >"$2"
  awk -F '\t' -v OFS='\t' 'NR == FNR { number[$1] = $2; next } { print FNR, number[$1], number[$2] }' \
    "$2" "$1" >"$3"
}

# debian_edges FILE: numbered edges `n<TAB>source<TAB>target`. Nodes are numbered by falling in-degree, then by name, so
# that node 1 is the biggest hub; edges are in the order of the package names. The names go to RAW/graph_nodes.csv.
debian_edges() {
  local stanzas=$WORK/stanzas pairs=$WORK/pairs numbers=$WORK/numbers
  log "reading the package lists"
  debian_stanzas "$stanzas"
  GRAPH_INPUT_SHA256=$(sha256sum "$stanzas" | cut -d ' ' -f 1)
  debian_pairs "$stanzas" >"$pairs"
  [[ -s $pairs ]] || die "real: no dependency was found in the $GRAPH_SOURCE"
  edges_number "$pairs" "$numbers" "$1"
  GRAPH_EDGES_SHA256=$(sha256sum "$1" | cut -d ' ' -f 1)
  { echo node,package; awk -F '\t' '{ print $2 "," $1 }' "$numbers"; } >"$RAW/graph_nodes.csv"
  rm -f -- "$stanzas"
}

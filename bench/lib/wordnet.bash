# shellcheck shell=bash
# WordNet's pointers between synsets as links, from the files of Debian's package wordnet-base. Requires debian.bash; sets
# WORDNET_SHA256.

WORDNET_FILES=/usr/share/wordnet

# wordnet_data: the four data files on stdout: those installed, or those of the package, which is then fetched but not
# installed.
wordnet_data() {
  local directory=$WORDNET_FILES
  if [[ ! -s $directory/data.noun ]]; then
    directory=$WORK/wordnet
    mkdir -p "$directory"
    (cd -- "$directory" && apt-get -q download wordnet-base >&2 && dpkg-deb -x ./*.deb . >&2) || return 1
    directory+=$WORDNET_FILES
  fi
  cat -- "$directory"/data.{noun,verb,adj,adv}
}

# wordnet_pairs: distinct pairs `synset<TAB>synset` out of the data on stdin. A synset is named by part of speech and
# offset; satellite adjectives are adjectives. See wndb(5WN).
wordnet_pairs() {
  awk '
    function hex(text, n, i) {
      for (i = 1; i <= length(text); i++) n = 16 * n + index("123456789abcdef", substr(text, i, 1))
      return n
    }
    function part(letter) { return letter == "s" ? "a" : letter }
    /^[0-9]/ {
      at = 5 + 2 * hex($4)
      for (i = 0; i < $at; i++) print part($3) $1 "\t" part($(at + 4 * i + 3)) $(at + 4 * i + 2)
    }' | LC_ALL=C sort -u
}

# wordnet_edges FILE: numbered edges `n<TAB>source<TAB>target`, nodes by falling in-degree.
wordnet_edges() {
  local pairs=$WORK/pairs numbers=$WORK/numbers
  log "reading WordNet"
  wordnet_data | wordnet_pairs >"$pairs" || die "real wordnet: package wordnet-base cannot be had (install it, or leave WordNet out)"
  [[ -s $pairs ]] || die "real wordnet: no pointer was found"
  edges_number "$pairs" "$numbers" "$1"
  WORDNET_SHA256=$(sha256sum "$1" | cut -d ' ' -f 1)
}

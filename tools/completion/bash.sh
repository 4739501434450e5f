# Completion for bash of the programs of Brine. complete.sh, in the directory above, finds the candidates.
_brine_folder=$(readlink -f -- "${BASH_SOURCE[0]}")
_brine_folder=${_brine_folder%/*/*}
[[ -r $_brine_folder/complete.sh ]] || _brine_folder=/usr/share/brine/completion

_brine() {
  local line=${COMP_LINE#"${COMP_WORDS[0]}"} word blank i
  local -a words=() found=()
  # readline parts words also at = and :, so put together what has no blank between
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    blank=
    while [[ $line == [[:space:]]* ]]; do
      line=${line:1}
      blank=1
    done
    line=${line#"$word"}
    if [[ -n $blank || ${#words[@]} -eq 0 ]]; then words+=("$word"); else words[-1]+=$word; fi
  done
  words=("${words[@]//[\'\"\\]/}")
  local current=${words[-1]-}
  unset 'words[-1]'
  mapfile -t found < <(sh "$_brine_folder/complete.sh" "${COMP_WORDS[0]}" "$current" "${words[@]}" 2>/dev/null)
  COMPREPLY=()
  local kept=${current%"${current##*[=:@]}"}
  case ${found[0]-} in
    :files) mapfile -t COMPREPLY < <(compgen -f -- "${current##*=}"); compopt -o filenames 2>/dev/null; return ;;
    :dirs) mapfile -t COMPREPLY < <(compgen -d -- "${current##*=}"); compopt -o filenames 2>/dev/null; return ;;
  esac
  for word in "${found[@]}"; do
    word=${word%%$'\t'*}
    COMPREPLY+=("${word#"$kept"}")
  done
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *. ]] && compopt -o nospace 2>/dev/null
  return 0
}

complete -F _brine PROGRAMS

#compdef PROGRAMS
# Completion for zsh of the programs of Brine. complete.sh, in the directory above, finds the candidates.
local folder=${${(%):-%x}:A:h:h} line value
[[ -r $folder/complete.sh ]] || folder=/usr/share/brine/completion
local -a found plain open shown
found=("${(@f)$(sh $folder/complete.sh ${words[1]:t} "${(Q)PREFIX}" "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
case ${found[1]} in
  :files) [[ $PREFIX == --*=* ]] && compset -P '*='; _files; return ;;
  :dirs) [[ $PREFIX == --*=* ]] && compset -P '*='; _files -/; return ;;
esac
for line in "${found[@]}"; do
  [[ -n $line ]] || continue
  value=${line%%$'\t'*}
  if [[ $value == *. ]]; then
    open+=("$value")
  else
    plain+=("$value")
    shown+=("${(r:28:)value} ${line#*$'\t'}")
  fi
done
(( $#open )) && compadd -S '' -- "${open[@]}"
if [[ ${PREFIX} == -* ]]; then
  (( $#plain )) && compadd -l -d shown -- "${plain[@]}"
else
  (( $#plain )) && compadd -- "${plain[@]}"
fi
(( $#open + $#plain ))

#!/bin/sh
# Print what can follow on a command line: complete.sh PROGRAM CURRENT [WORD...], one "value TAB help" a line, or the one line
# ":files" or ":dirs" for names of files. plan.awk decides from the index; this adds minion ids, nodegroups, hosts of the roster
# and users' own modules, which it reads from the machine. It offers only names of plain characters, and runs no text that it reads.
LC_ALL=C
export LC_ALL
set -f

BRINE_COMPLETION=$(dirname "$0")
export BRINE_COMPLETION
# another root directory, for tests
root=${BRINE_COMPLETION_ROOT-}
tab='	'
line_end='
'

program=${1##*/}
current=${2-}
case $program in *[!a-z-]* | '') exit 0 ;; esac
shift
[ $# -gt 0 ] && shift

is_plain() {
  case $1 in [!A-Za-z0-9_]* | *[!A-Za-z0-9_.@:+-]* | '') return 1 ;; esac
}

# The directory of the configuration that the command line or the environment names.
config_folder() {
  folder=${SALT_CONFIG_DIR:-$root/etc/salt}
  before=
  for word; do
    case $before in -c | --config-dir) folder=$word ;; esac
    case $word in --config-dir=*) folder=${word#--config-dir=} ;; esac
    before=$word
  done
  printf %s "$folder"
}

master_files() {
  set +f
  for file in "$config/master" "$config"/master.d/*.conf; do [ -f "$file" ] && [ -r "$file" ] && printf '%s\n' "$file"; done
  set -f
}

# Read the files of the master with awk; nothing where there is none.
read_master() {
  files=$(master_files)
  [ -n "$files" ] || return 0
  program_text=$1
  IFS=$line_end
  set -- $files
  unset IFS
  awk "$program_text" "$@" </dev/null 2>/dev/null
}

key_folder() {
  found=$(read_master '/^pki_dir:[ \t]*/ { sub(/^pki_dir:[ \t]*/, ""); gsub(/["\047\r]/, ""); sub(/[ \t]+(#.*)?$/, ""); last = $0 } END { print last }')
  case $found in /*) printf %s "$found" ;; *) printf %s "$root/etc/salt/pki/master" ;; esac
}

# Names in a list, one a line, that begin with $part.
offer() {
  IFS=$line_end
  for name in $1; do
    case $name in "$part"*) is_plain "$name" && printf '%s\t%s\n' "$before$name" "$2" ;; esac
  done
  unset IFS
}

ids() {
  keys=$(key_folder)
  IFS=,
  for kind in $1; do
    unset IFS
    cd "$keys/$kind" 2>/dev/null || continue
    set +f
    for name in "$part"*; do
      case $name in [!A-Za-z0-9_]* | *[!A-Za-z0-9_.@:+-]* | '') ;; *) printf '%s\t\n' "$before$name" ;; esac
    done
    set -f
  done
}

groups() {
  offer "$(read_master '
    /^[^ \t#]/ { inside = /^nodegroups:/; depth = 0; next }
    inside && match($0, /^ +/) { if (!depth) depth = RLENGTH; if (RLENGTH == depth && $1 ~ /:$/) print substr($1, 1, length($1) - 1) }')" nodegroup
}

roster() {
  file=$config/roster
  [ -f "$file" ] && [ -r "$file" ] || return 0
  offer "$(awk '/^[A-Za-z0-9_][^ \t:]*:/ { sub(/:.*/, ""); print }' "$file" 2>/dev/null)" ''
}

# Users' own modules: those that were synchronized, and those of the usual file root.
own() {
  for folder in "$root/var/cache/salt/minion/extmods/$1" "$root/var/cache/salt/master/extmods/$1" "$root/srv/salt/_$1"; do
    [ -d "$folder" ] || continue
    set +f
    for file in "$folder"/*.py "$folder"/*.ts "$folder"/*.js; do
      [ -f "$file" ] || continue
      name=${file##*/}
      name=${name%.*}
      case $name in *[!A-Za-z0-9_]* | _*) continue ;; esac
      case $part in
        "$name".*) offer "$(sed -n -e "s/^\\(async \\)*def \\([a-z][A-Za-z0-9_]*\\)(.*/$name.\\2/p" \
          -e "s/^ *\\([a-z][A-Za-z0-9_]*\\): reads(.*/$name.\\1/p" -e "s/^ *\\([a-z][A-Za-z0-9_]*\\): changes(.*/$name.\\1/p" \
          -e "s/^ *\\([a-z][A-Za-z0-9_]*\\): state(.*/$name.\\1/p" "$file" 2>/dev/null)" '' ;;
        *) offer "$name." '' ;;
      esac
    done
    set -f
  done
}

plan=$(awk -f "$BRINE_COMPLETION/plan.awk" "$program" "$current" "$@" </dev/null) || exit 0
directive=${plan##*"$line_end"}
candidates=${plan%"$directive"}
printf %s "$candidates"
config=$(config_folder "$@")
verb=${directive%%"$tab"*}
rest=${directive#*"$tab"}
family=${rest%%"$tab"*}
rest=${rest#*"$tab"}
before=${rest%%"$tab"*}
part=${rest#*"$tab"}
case $verb in
  files | dirs) printf ':%s\n' "$verb" ;;
  ids) ids "$family" ;;
  groups) groups ;;
  roster) roster ;;
  own) own "$family" ;;
esac
exit 0

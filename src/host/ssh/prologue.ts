// The shell functions on the target: POSIX sh, sent once at the start of a channel. Names begin with an underscore,
// variables are never exported. Descriptors 3 and 4 are the channel's stdout and stderr. File functions are subshells
// with `LC_ALL=C`, because their errors are parsed by the system's texts; special errors are written as `!CODE`. In a
// directory of another user, `_hold` creates a private directory and enters it: there, no other user can replace the
// file by a link before its mode is set. A file that takes several requests is in such a directory, too; each request
// enters it and checks its owner (`_open`).
import { word } from './shell-text.ts'

const FUNCTIONS = `
_z() { _s=$?; printf '%s %s %s %s;' "$_t" "$1" "$_s" "$_f" >&3; _f=-; _y "$1"; }
_n() { printf '!%s\\n' "$1" >&2; exit 1; }
_there() { [ -e "$1" ] || [ -L "$1" ]; }
_must() { _there "$1" || { ls -d "$1" >/dev/null; exit 1; }; }
_walk() {
  case $1 in /*) _p=$1;; *) _p=$PWD/$1;; esac
  _at= _hops=0
  while [ -n "$_p" ]; do
    _c=\${_p%%/*}
    case $_p in */*) _p=\${_p#*/};; *) _p=;; esac
    case $_c in ''|.) continue;; ..) _at=\${_at%/*}; continue;; esac
    if [ -L "$_at/$_c" ]; then
      _hops=$((_hops + 1)); [ "$_hops" -gt 40 ] && _n ELOOP
      _may "$_at/$_c" "\${_at:-/}" || _n EACCES
      _k=$(readlink "$_at/$_c" && echo x) || exit 1
      _k=\${_k%?x}
      case $_k in /*) _at=;; esac
      _p=$_k/$_p
    else _at=$_at/$_c; fi
  done
  _at=\${_at:-/}
}
_may() {
  [ "$(_owner "$1")" = "$_u" ] && return
  set -- "$(_owner "$1")" $(_folder "$2")
  [ "$1" = "$3" ] && return
  case $2 in [1357]??[2367]) return 1;; esac
}
_hold() {
  trap 'exit 1' HUP INT PIPE TERM
  _w=\${_at%/*}/.$1.tmp
  if [ -O "\${_at%/*}/." ]; then _o=$_w; trap 'rm -f "$_o"' EXIT; return; fi
  ( umask 077; mkdir "$_w" ) || exit 1
  trap 'rm -f "$_o"; cd /; rmdir "$_w"' EXIT
  _o=./content
  _enter "$_w" || { _o=/dev/null/none; _n EACCES; }
}
_enter() {
  cd "$1" || return 1
  case $(_folder .) in "700 $_u"|"0700 $_u") ;; *) return 1;; esac
}
_over() {
  _old=
  [ -e "$_at" ] || return 0
  [ "$1" = x ] && _n EEXIST
  _old=$(_whole "$_at") || exit 1
  case $_old in 'file 1 '*) return 0;; esac
  _put "$5" "$6" "$_at" || exit 1
  _own "$_at" "$2" "$3" "$4"
  exit
}
_write() (
  LC_ALL=C; export LC_ALL
  _walk "$1"
  _over "$2" "$3" "$4" "$5" "$7" "$8"
  _hold "$6"
  umask 077; set -C
  _put "$7" "$8" "$_o" || exit 1
  _finish "$2" "$3" "$4" "$5" "$_old"
)
_put() {
  if [ "$1" = /file ]; then cat "$2" > "$3" && return; else printf "$1" "$2" > "$3" && return; fi 2>/dev/null
  ls -d "\${3%/*}/." >/dev/null && { if [ "$1" = /file ]; then cat "$2"; else printf "$1" "$2"; fi | cat >| "$3"; }
  return 1
}
_finish() {
  _mode=$2 _uid=$3 _gid=$4
  if [ -n "$5" ]; then
    set -- "$1" $5
    _mode=\${_mode:-$4} _uid=\${_uid:-$5} _gid=\${_gid:-$6}
    [ "$_uid:$_gid" = "$_u:$_g" ] && _uid= _gid=
  fi
  _own "$_o" "\${_mode:-$_new}" "$_uid" "$_gid"
  if [ -d "$_at" ]; then _n EISDIR; fi
  [ "$1" = x ] && _there "$_at" && _n EEXIST
  mv -f "$_o" "$_at" || exit 1
  trap - EXIT
  if [ "$_o" = ./content ]; then cd /; rmdir "$_w"; fi
}
_own() {
  if [ -n "$3$4" ]; then chown -h "$3\${4:+:$4}" "$1" || exit 1; fi
  if [ -n "$2" ]; then chmod "$2" "$1" || exit 1; fi
}
_beside() {
  _walk "$1"
  [ "$2" = x ] && _there "$_at" && _n EEXIST
  _w=\${_at%/*}/.$3.tmp
  umask 077; set -C
  if [ -O "\${_at%/*}/." ]; then
    _put %s '' "$_w" || exit 1
    printf %s "$_w"; return
  fi
  mkdir "$_w" || exit 1
  _enter "$_w" || _n EACCES
  _put %s '' ./content || { cd /; rmdir "$_w"; exit 1; }
  printf %s "$_w/content"
}
_open() {
  _o=$1
  case $1 in */content) _w=\${1%/*}; _enter "$_w" || _n EACCES; _o=./content;; esac
}
_drop() (
  case $1 in
  */content) _enter "\${1%/*}" && rm -f ./content; cd /; rmdir "\${1%/*}";;
  *) rm -f "$1";;
  esac 2>/dev/null
)
_keep() { _kept=$((_kept + 1)); eval "_tmp$_kept=\\$1"; printf %s "$1"; }
_same() {
  [ "$(wc -c < "$1")" -eq "$2" ] || _n EIO
  [ -z "$3" ] && return
  set -- "$1" "$3" "$(_sum "$1")"
  case $3 in "$2"|"$2 "*|"\\$2 "*) ;; *) _n EIO;; esac
}
_move() {
  _walk "$1"
  _open "$6"
  _same "$_o" "$7" "$8"
  trap 'rm -f "$_o"; if [ "$_o" = ./content ]; then cd /; rmdir "$_w"; fi' EXIT; trap 'exit 1' HUP INT PIPE TERM
  _over "$2" "$3" "$4" "$5" /file "$_o"
  _finish "$2" "$3" "$4" "$5" "$_old"
}
_into() {
  cat >> "$1" && return
  case $1 in */*) ls -d "\${1%/*}/." >/dev/null;; esac
  return 1
}
_patch() { dd of="$1" bs=1 seek="$2" conv=notrunc; }
_copy() {
  _must "$1"
  if [ -d "$1" ] || [ -d "$2" ]; then _n EISDIR; fi
  cp "$1" "$2" && chmod "$(_mode "$1")" "$2"
}
_rename() {
  _must "$1"
  if [ -d "$2" ] && [ -L "$2" ]; then
    if [ -d "$1" ] && ! [ -L "$1" ]; then _n ENOTDIR; fi
    mv -fT "$1" "$2" 2>/dev/null && return
    rm -f "$2" || exit 1
  elif [ -d "$2" ]; then
    [ -d "$1" ] && ! [ -L "$1" ] || _n EISDIR
    rmdir "$2" || exit 1
  fi
  mv -f "$1" "$2"
}
_list() (
  LC_ALL=C; export LC_ALL; set +f
  if ! [ -d "$1" ] || ! [ -r "$1" ]; then ls "$1/" >/dev/null || exit 1; fi
  for _k in "$1"/* "$1"/.*; do
    case $_k in "$1/*"|"$1/.*") _there "$_k" || continue;; esac
    printf '%s\\000' "\${_k#"$1/"}"
  done
)
_find() {
  case $1 in
  */*)
    [ -e "$1" ] || { echo '!ENOENT program'; exit 127; }
    [ -x "$1" ] && ! [ -d "$1" ] || { echo '!EACCES program'; exit 126; }
    [ -r "$1" ] || return 0
    IFS= read -r _k < "$1" 2>/dev/null
    case $_k in '#!'*|?ELF*) return 0;; esac
    [ "$(head -c 64 "$1" | wc -c)" -eq "$(head -c 64 "$1" | tr -d '\\000' | wc -c)" ] && { echo '!ENOEXEC program'; exit 126; }
    return 0;;
  esac
  _k=ENOENT _i=$IFS; IFS=:; set -f
  for _d in \${PATH-/bin:/usr/bin}; do
    [ -e "$_d/$1" ] && [ -n "$1" ] || continue
    _k=EACCES
    if [ -f "$_d/$1" ] && [ -x "$_d/$1" ]; then _k=; break; fi
  done
  IFS=$_i; set +f
  [ -z "$_k" ] || { echo "!$_k program"; exit 127; }
}
_cd() {
  cd "$1" 2>/dev/null && return
  if ! [ -e "$1" ]; then echo '!ENOENT cwd'; elif ! [ -d "$1" ]; then echo '!ENOTDIR cwd'; else echo '!EACCES cwd'; fi
  exit 1
}
_run() {
  _m=$( exec 5>&1
    { { { ( _x ) </dev/null 2>&6 3>&- 4>&- 5>&- 6>&-; echo ":$?" >&5; } 2>&5 | cat >&3; } 6>&1 | cat >&4; } )
  _ran
}
_runin() {
  _m=$( exec 5>&1
    { { { _in 2>/dev/null | ( _x ) 2>&6 3>&- 4>&- 5>&- 6>&-; echo ":$?" >&5; } 2>&5 | cat >&3; } 6>&1 | cat >&4; } )
  _ran
}
_run1() {
  _m=$( exec 5>&1
    { { ( _x ) </dev/null 2>&1 3>&- 4>&- 5>&-; echo ":$?" >&5; } 2>&5 | cat >&3; } )
  _ran
}
_runin1() {
  _m=$( exec 5>&1
    { { _in 2>/dev/null | ( _x ) 2>&1 3>&- 4>&- 5>&-; echo ":$?" >&5; } 2>&5 | cat >&3; } )
  _ran
}
_ran() {
  case $_m in :*) _f=-;; *) _f=s;; esac
  _s=\${_m##*:}
  return "\${_s:-1}"
}
`

/** The shell prints its process id and leads a session, with /proc and setsid if they exist. */
const STARTS = `
if [ -r /proc/self/stat ] && [ -n "$_setsid" ]; then
  _go() { read -r _k _d </proc/self/stat; echo "$_k"; exec "$_setsid" "$@"; }
  _leave() { read -r _k _d </proc/self/stat; echo "$_k"; exec "$_setsid" "$@" >/dev/null; }
else
  _go() { exec $_setsid /bin/sh -c 'echo $$; exec "$@"' sh "$@"; }
  _leave() { exec $_setsid /bin/sh -c 'echo $$; exec "$@" >/dev/null' sh "$@"; }
fi
if [ -n "$_setsid" ]; then
  _kill() { kill "-$1" "-$2" 2>/dev/null; }
else
  _kill() { kill "-$1" $(_below "$2") 2>/dev/null; }
  _below() {
    echo "$1"
    for _k in $(ps -A -o pid= -o ppid= | awk -v p="$1" '$2 == p { print $1 }'); do _below "$_k"; done
  }
fi
`

/** Owner, kind and mode of files, in the way of this system's stat. */
const STATS = `
if stat -c %f / >/dev/null 2>&1; then
  _owner() { stat -c %u "$1"; }
  _folder() { stat -c '%a %u' "$1"; }
  _mode() { stat -L -c %a "$1"; }
  _whole() {
    if [ -f "$1" ]; then stat -L -c 'file %h %a %u %g' "$1"; else echo 'other 1'; fi
  }
else
  _owner() { stat -f %u "$1"; }
  _folder() { stat -f '%Mp%Lp %u' "$1"; }
  _mode() { stat -L -f %Mp%Lp "$1"; }
  _whole() {
    if [ -f "$1" ]; then stat -L -f 'file %l %Mp%Lp %u %g' "$1"; else echo 'other 1'; fi
  }
fi
`

/** The command that prints the checksum of sent content, with the tools of GNU, BSD or Perl. */
const SUM = `
_sum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v sha256 >/dev/null; then sha256 -q "$1"
  else shasum -a 256 "$1"; fi
}
`

/** `_many` runs a tool on those files that exist, after a line with a digit for each file. */
const MANY_FILES = `
_many() {
  _l=$1 _d=$2; shift 2
  _k= _i=$#
  while [ "$_i" -gt 0 ]; do
    _i=$((_i - 1)) _c=$1; shift
    if [ -e "$_c" ] && "_is_$_d" "$_c"; then _k=\${_k}1; set -- "$@" "$_c"
    elif [ -L "$_c" ] && [ "$_d" = link ]; then _k=\${_k}1; set -- "$@" "$_c"
    elif _absent "$_c"; then _k=\${_k}0
    else _k=\${_k}2; fi
  done
  echo "$_k"
  [ $# -eq 0 ] || eval "$_l \\"\\$@\\""
}
_is_link() { :; }
_is_any() { :; }
_is_file() { [ -f "$1" ] && [ -r "$1" ]; }
_absent() {
  if [ -e "$1" ] || [ -L "$1" ]; then return 1; fi
  _p=$1
  while :; do
    case $_p in /*/*) _p=\${_p%/*};; /?*) _p=/;; *) return 1;; esac
    [ -e "$_p" ] || { [ -L "$_p" ] && return 1; continue; }
    [ -d "$_p" ] && [ -x "$_p/." ]; return
  done
}
`

/** Tools that requests use if the target has them. */
const TOOLS =
  'setsid setpriv runuser su getent gzip sha1sum sha224sum sha256sum sha384sum sha512sum md5sum truncate ' +
  'sha1 sha224 sha256 sha384 sha512 md5 shasum'

/** Prints the facts about the target, each ended by a NUL. The setpriv of busybox, a link, changes no ids. */
const FACTS = [
  `_say() { printf '%s\\000' "$@"; }`,
  '_say "$(uname -s)" "$(id -u)" "$(id -g)" "$(umask)" "$(date +%s.%N)" "$(hostname 2>/dev/null || uname -n)" "$PWD"',
  `_k=; for _d in ${TOOLS}; do command -v "$_d" >/dev/null 2>&1 && _k="$_k $_d"; done`,
  '[ -L "$(command -v setpriv)" ] || _k="$_k setids"',
  `_say "$_k" "$(stat -c %.9Y / 2>/dev/null || echo bsd)" "\${BASH_VERSION:+bash}"`,
  'cat /proc/self/environ 2>/dev/null || env -0 2>/dev/null || env',
]

/** The shell ends with its channel, also when the connection is lost; then nothing of it stays. */
const BYE = `
_bye() {
  trap - EXIT
  while [ "$_kept" -gt 0 ]; do eval "_drop \\"\\$_tmp$_kept\\""; _kept=$((_kept - 1)); done
  if [ -n "$_dir" ]; then rm -rf "$_dir"; fi
  if [ -n "$_stage" ]; then rm -rf "$_stage"; fi
}
`

/** Settings of the roster for the environment of all commands. */
export interface ShellSettings {
  /** An assignment value for the shell. */
  path?: string
  umask?: number
}

export interface PrologueOptions extends ShellSettings {
  token: string
  isTerminal: boolean
}

const settingLines = ({ path, umask }: ShellSettings): string[] => [
  ...(path === undefined ? [] : [`PATH=${path}; export PATH`]),
  ...(umask === undefined ? [] : [`umask ${umask.toString(8)}`]),
]

/**
 * Return the line that prints the facts of a target. It is a part of the login's command line, which others on the
 * target can read, and which a login shell such as csh accepts only without line breaks.
 */
export const factsLine = (settings: ShellSettings): string =>
  `( ${[...settingLines(settings), ...FACTS].join('; ')} ) </dev/null 2>/dev/null; `

/** Return the text that makes a shell ready for requests. */
export function prologue({ token, isTerminal, ...settings }: PrologueOptions): string {
  return [
    'unset CDPATH ENV; exec 3>&1 4>&2; _f=-',
    `_t=${word(token.slice(0, 8))}${word(token.slice(8))}`,
    `trap 'exit 1' HUP INT PIPE TERM; trap '_bye' EXIT; _dir= _stage= _kept=0`,
    BYE,
    ...settingLines(settings),
    '_u=$(id -u); _g=$(id -g); _setsid=$(command -v setsid)',
    '_new=$(printf %o $((0666 & ~$(umask))))',
    isTerminal ? TERMINAL : `_y() { printf '%s %s;' "$_t" "$1" >&2; }`,
    FUNCTIONS,
    STARTS,
    STATS,
    SUM,
    MANY_FILES,
  ].join('\n')
}

/** A terminal has one stream: stderr is kept in a file, and sent after stdout. */
const TERMINAL = `
_tmpdir() { _dir=\${TMPDIR:-/tmp}/.brine-$$-$1; (umask 077; mkdir "$_dir") || exit 1; }
_tmpdir "$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')"
exec 2>>"$_dir/stderr" 4>>"$_dir/stderr"
_y() { cat "$_dir/stderr" >&3; : >"$_dir/stderr"; printf '%s %s;' "$_t" "$1" >&3; }
`

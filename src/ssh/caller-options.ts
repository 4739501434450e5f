// Options of salt-ssh in a caller's job. They override the master's options, so only listed ones are accepted, each
// with its type. A caller of the API has no rights on the master's machine: such a caller can choose neither files nor
// programs of the controller, nor machines outside the owner's rosters.
import { type Log, shownText } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, numberOf, str, textOf, truthy, type Value } from '../data/mod.ts'

type Kind = 'text' | 'number' | 'flag' | 'texts'

interface CallerOption {
  kind: Kind
  /** Only callers with the rights of the master's owner may set it. */
  isForOwner?: true
}

const text: CallerOption = { kind: 'text' }
const number: CallerOption = { kind: 'number' }
const flag: CallerOption = { kind: 'flag' }

const OPTIONS: ReadonlyMap<string, CallerOption> = new Map([
  ['ssh_user', text],
  ['ssh_passwd', text],
  ['ssh_port', number],
  ['ssh_sudo', flag],
  ['ssh_sudo_user', text],
  ['ssh_priv', { kind: 'text', isForOwner: true }],
  ['ssh_priv_passwd', { kind: 'text', isForOwner: true }],
  ['ssh_identities_only', flag],
  ['ssh_remote_port_forwards', { kind: 'text', isForOwner: true }],
  ['ssh_keepalive', flag],
  ['ssh_keepalive_interval', number],
  ['ssh_keepalive_count_max', number],
  ['ssh_options', { kind: 'texts', isForOwner: true }],
  ['ssh_max_procs', { kind: 'number', isForOwner: true }],
  ['ssh_update_roster', { kind: 'flag', isForOwner: true }],
  ['ssh_scan_ports', { kind: 'text', isForOwner: true }],
  ['ssh_scan_timeout', { kind: 'number', isForOwner: true }],
  ['ssh_timeout', number],
  ['ssh_pre_hook', { kind: 'text', isForOwner: true }],
  ['ssh_run_pre_flight', flag],
  ['refresh_cache', flag],
  ['roster', text],
  ['roster_file', text],
  ['rosters', { kind: 'texts', isForOwner: true }],
  ['ignore_host_keys', { kind: 'flag', isForOwner: true }],
  ['no_host_keys', { kind: 'flag', isForOwner: true }],
])

/** Options of Salt that do nothing here, or nothing without a terminal. */
const WITHOUT_EFFECT = new Set(
  'host ssh_askpass ssh_key_deploy ssh_log_file extra_filerefs min_extra_mods thin_extra_mods verbose static ssh_wipe rand_thin_dir regen_thin saltfile'.split(
    ' ',
  ),
)

/** Rosters whose targets are expressions that can name any machine. */
const EXPRESSION_ROSTERS = new Set(['scan', 'clustershell', 'range'])

/** Salt refuses ssh options that contain this; ssh itself ignores case. */
const PROXY = /proxycommand/i

const MOST_TEXT = 4096

export interface SshCaller {
  /** The caller has the rights of the master's owner. */
  isOwner: boolean
}

/** The options of a call that count; a warning names each that does not. */
export function callerOptions(opts: Dict, given: Dict, { isOwner }: SshCaller, log: Log): Dict {
  const taken: Dict = new Map()
  for (const [key, value] of given) {
    const name = str(key)
    const known = OPTIONS.get(name)
    if (!known) {
      if (!WITHOUT_EFFECT.has(name)) log('debug', `salt-ssh has no option ${shownText(name)} for a call`)
      continue
    }
    const read = known.isForOwner && !isOwner ? undefined : readAs(known.kind, value)
    const isRefused = read === undefined || (name === 'roster' && !isOwner && !mayUseRosters(opts, str(read)))
    if (isRefused) log('warning', `The option ${name} of a call of salt-ssh is not taken`)
    else taken.set(name, read)
  }
  // the file must be one of the option `rosters`
  if (!isOwner && taken.has('roster_file')) taken.set('__disable_custom_roster', true)
  return taken
}

function readAs(kind: Kind, value: Value): Value | undefined {
  if (kind === 'flag') return truthy(value)
  if (kind === 'number') {
    const count = numberOf(value) ?? Number(textOf(value)?.trim() || Number.NaN)
    return Number.isFinite(count) && count >= 0 ? count : undefined
  }
  if (kind === 'text') return isFit(value) ? str(value) : undefined
  return isList(value) && value.every(isFit) ? value.map(str) : undefined
}

const isFit = (value: Value): boolean => {
  const words = typeof value === 'number' ? String(value) : textOf(value)
  return words !== undefined && words.length <= MOST_TEXT && !PROXY.test(words) && !/[\0\r\n]/.test(words)
}

/** Whether callers of the API may use a roster of expressions: only if the master's owner configured it. */
function mayUseRosters(opts: Dict, wanted: string): boolean {
  const own = new Set(
    str(option(opts, 'roster'))
      .split(',')
      .map((name) => name.trim()),
  )
  return wanted.split(',').every((name) => !EXPRESSION_ROSTERS.has(name.trim()) || own.has(name.trim()))
}

// Options of salt-ssh that a caller gives with a job. They are laid over the master's options, so only named ones are taken, each
// with its type. A caller of the API is nobody that the master's owner trusts with the machine: such a caller chooses neither files
// nor programs of the controller, nor machines that no roster of the owner names.
import { type Log, shownText } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, numberOf, str, textOf, truthy, type Value } from '../data/mod.ts'

type Kind = 'text' | 'number' | 'flag' | 'texts'

interface CallerOption {
  kind: Kind
  /** Only callers with the rights of the master's owner may give it. */
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

/** Rosters whose targets are expressions that name machines by themselves. */
const EXPRESSION_ROSTERS = new Set(['scan', 'clustershell', 'range'])

/** Salt refuses options of ssh that have this in them; ssh itself does not tell upper from lower case. */
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
  // the file must be one that the option `rosters` offers
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

/** Rosters of expressions are for callers of the API only where the master's owner has chosen them. */
function mayUseRosters(opts: Dict, wanted: string): boolean {
  const own = new Set(
    str(option(opts, 'roster'))
      .split(',')
      .map((name) => name.trim()),
  )
  return wanted.split(',').every((name) => !EXPRESSION_ROSTERS.has(name.trim()) || own.has(name.trim()))
}

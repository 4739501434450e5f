// One entry of a roster as it was written, to the settings of a target: checked, with the defaults of `roster_defaults`, and with
// the values that `sdb://` names.
import { didYouMean, type Log, withHint } from '../../base/mod.ts'
import { fetchedSdb, option, withFetched } from '../../config/mod.ts'
import { type Dict, deepCopy, isDict, quote, secretTexts, str, textOf, typeName, type Value } from '../../data/mod.ts'
import { fetchSdb } from '../../pybridge/mod.ts'
import { isValidId } from '../../wire/mod.ts'
import { RosterError } from './errors.ts'

export interface RosterEntry {
  id: string
  /** Keys of the roster, with `sdb://` values fetched and the defaults of `roster_defaults` merged in. */
  settings: Dict
  /** Backend and file, for messages. */
  from: string
}

/** The keys that salt-ssh reads. */
const ROSTER_KEYS: ReadonlySet<string> = new Set([
  'become',
  'cmd_umask',
  'disable_wipe',
  'grains',
  'host',
  'identities_only',
  'keepalive',
  'keepalive_count_max',
  'keepalive_interval',
  'mine_functions',
  'minion_opts',
  'passwd',
  'port',
  'priv',
  'priv_passwd',
  'remote_port_forwards',
  'set_path',
  'ssh_config_file',
  'ssh_options',
  'ssh_pre_flight',
  'ssh_pre_flight_args',
  'ssh_pre_hook',
  'ssh_python_env',
  'sudo',
  'sudo_passwd',
  'sudo_user',
  'thin_dir',
  'timeout',
  'tty',
  'user',
  'winrm',
])

/** Keys whose values must never be logged. */
const SECRETS = ['passwd', 'priv_passwd', 'sudo_passwd']

/** Keys whose value must be a map. */
const MAPS = ['minion_opts', 'grains']

/** Read the entries of one lookup, and warn of an unknown key once. */
export class EntryReader {
  private readonly warned = new Set<string>()
  private readonly opts: Dict
  private readonly log: Log

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
  }

  /** Return the entry, or log why it cannot be used. */
  async read(id: string, raw: Value, from: string): Promise<RosterEntry | undefined> {
    try {
      return await this.checked(id, raw, from)
    } catch (error) {
      if (!(error instanceof RosterError)) throw error
      this.log('error', withHint(error.message, error.hint))
      return undefined
    }
  }

  private async checked(id: string, raw: Value, from: string): Promise<RosterEntry> {
    const where = `Entry ${quote(id)} of ${from}`
    if (!isValidId(id)) throw new RosterError('InvalidEntry', `${where} is left out: that is no id of a minion`)
    const settings: Dict = new Map(deepCopy(option(this.opts, 'roster_defaults') ?? new Map<Value, Value>()) as Dict)
    const host = textOf(raw)
    if (host !== undefined) settings.set('host', host)
    else if (isDict(raw)) for (const [key, value] of deepCopy(raw) as Dict) settings.set(key, value)
    else {
      throw new RosterError(
        'InvalidEntry',
        `${where} is left out: its value is of type ${typeName(raw)}, not a map or a host name`,
      )
    }
    for (const key of MAPS) this.requireMap(settings, key, where)
    this.warnOfUnknown(settings, where)
    await withFetched(settings, (uri) => this.fetched(uri, where))
    if (!settings.has('host')) settings.set('host', id)
    for (const key of SECRETS) this.log.hide?.(secretTexts(settings.get(key) ?? null, true))
    return { id, settings, from }
  }

  private requireMap(settings: Dict, key: string, where: string): void {
    const value = settings.get(key)
    if (value === undefined || isDict(value)) return
    if (value === null) settings.delete(key)
    else
      throw new RosterError('InvalidEntry', `${where} is left out: '${key}' is of type ${typeName(value)}, not a map`)
  }

  private warnOfUnknown(settings: Dict, where: string): void {
    for (const name of [...settings.keys()].map(str)) {
      if (ROSTER_KEYS.has(name) || this.warned.has(name)) continue
      this.warned.add(name)
      this.log(
        'warning',
        withHint(`${where} has the unknown key '${name}', which has no effect`, didYouMean(name, ROSTER_KEYS)),
      )
    }
  }

  private async fetched(uri: string, where: string): Promise<Value> {
    const value = await fetchedSdb(uri, this.opts, this.log, fetchSdb)
    if (value === undefined) throw new RosterError('InvalidEntry', `${where} is left out: ${uri} cannot be fetched`)
    return value
  }
}

/** Return the name or address to connect to, without the brackets of an IPv6 address. */
export function addressOfEntry(entry: RosterEntry): string {
  return str(entry.settings.get('host') ?? entry.id).replace(/^\[+|\]+$/g, '')
}

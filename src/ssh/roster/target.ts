// The connection settings of a roster entry: settings of the entry, else the options of the master, as in Salt. All
// values are checked here, because they become words of a command line.
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { option } from '../../config/mod.ts'
import { type Dict, isInt, isList, quote, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { AGENT_FORWARDING, type SshTarget } from '../../host/mod.ts'
import { addressOfEntry, type RosterEntry } from './entry.ts'
import { RosterError } from './errors.ts'
import { texts } from './files.ts'
import { defaultKey } from './key.ts'

const BECOME = ['sudo', 'doas', 'su'] as const

/** Return the connection settings of an entry; throw a RosterError with the entry and the key of an invalid value. */
export function sshTarget(entry: RosterEntry, opts: Dict): SshTarget {
  const reader = new SettingReader(entry)
  if (reader.truth('winrm', false))
    throw reader.refusal('winrm', 'Windows machines cannot be reached by WinRM, only by SSH')
  const password = reader.text('passwd', option(opts, 'ssh_passwd'))
  const target: SshTarget = {
    host: reader.word('host', addressOfEntry(entry))!,
    identitiesOnly: reader.truth('identities_only', option(opts, 'ssh_identities_only')),
    connectTimeout: reader.number('timeout', option(opts, 'ssh_timeout') + option(opts, 'timeout')),
    keepalive: keepaliveOf(reader, opts),
    hostKeys: option(opts, 'no_host_keys') ? 'ignore' : option(opts, 'ignore_host_keys') ? 'accept' : 'check',
    options: reader.words('ssh_options', option(opts, 'ssh_options'), /^[a-z]+[\s=]/i, 'Name=value'),
    remoteForwards: reader.words(
      'remote_port_forwards',
      option(opts, 'ssh_remote_port_forwards'),
      /^[\w.:[\]/*]/,
      'port:host:port',
    ),
    tty: reader.truth('tty', false),
  }
  const rest: { [Key in keyof SshTarget]?: SshTarget[Key] | undefined } = {
    port: reader.port(option(opts, 'ssh_port')),
    user: reader.word('user', option(opts, 'ssh_user')),
    password,
    identity: identityOf(reader, opts),
    passphrase: reader.text('priv_passwd', textOf(option(opts, 'ssh_priv_passwd') ?? null)),
    knownHostsFile: existing(textOf(option(opts, 'known_hosts_file') ?? null)),
    configFile: reader.text('ssh_config_file', undefined),
    become: becomeOf(reader, opts, password),
    path: reader.text('set_path', undefined),
    umask: reader.umask(),
  }
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) Object.assign(target, { [key]: value })
  return target
}

function keepaliveOf(reader: SettingReader, opts: Dict): NonNullable<SshTarget['keepalive']> {
  if (!reader.truth('keepalive', option(opts, 'ssh_keepalive'))) return false
  return {
    interval: reader.number('keepalive_interval', option(opts, 'ssh_keepalive_interval')),
    countMax: reader.number('keepalive_count_max', option(opts, 'ssh_keepalive_count_max')),
  }
}

/** Return the private key. A configured one must exist; salt-ssh's own is generated at its first use. */
function identityOf(reader: SettingReader, opts: Dict): string {
  const own = reader.text('priv', undefined)
  const { path, isNamed } = own === undefined ? defaultKey(opts) : { path: inHome(own), isNamed: true }
  // ssh replaces %h and the like itself
  if (path === AGENT_FORWARDING || !isNamed || path.includes('%') || existing(path) !== undefined) return path
  throw reader.refusal('priv', `the private key ${quote(path)} does not exist`)
}

function becomeOf(reader: SettingReader, opts: Dict, password: string | undefined): SshTarget['become'] {
  const named = reader.text('become', undefined)
  const program = BECOME.find((name) => name === (named ?? 'sudo'))
  if (program === undefined) throw reader.refusal('become', `${quote(named!)} is none of ${BECOME.join(', ')}`)
  if (named === undefined && !reader.truth('sudo', option(opts, 'ssh_sudo'))) return undefined
  const user = reader.word('sudo_user', option(opts, 'ssh_sudo_user')) ?? 'root'
  const secret = reader.text('sudo_passwd', password)
  return { program, user, ...(secret !== undefined && { password: secret }) }
}

const inHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir())

function existing(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined
  const file = inHome(path)
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/** Reads settings of one entry; an empty or absent one gives the default. */
class SettingReader {
  private readonly entry: RosterEntry

  constructor(entry: RosterEntry) {
    this.entry = entry
  }

  refusal(key: string, why: string): RosterError {
    return new RosterError(
      'InvalidEntry',
      `Setting '${key}' of ${quote(this.entry.id)} in ${this.entry.from} cannot be used: ${why}`,
    )
  }

  truth(key: string, usual: boolean): boolean {
    const value = this.entry.settings.get(key)
    return value === undefined || value === null ? usual : truthy(value)
  }

  /** Return a text without NUL and line breaks. Values may be secrets, so errors do not quote them. */
  text(key: string, usual: string | undefined): string | undefined {
    const value = this.entry.settings.get(key)
    const text = value === undefined || value === null ? usual : this.scalar(key, value)
    if (text === undefined || text === '') return undefined
    if (/[\0\r\n]/.test(text)) throw this.refusal(key, 'it has a line break or a NUL character')
    return text
  }

  /** A text that is one word of a command line and no option. */
  word(key: string, usual: string | undefined): string | undefined {
    const text = key === 'host' ? usual : this.text(key, usual)
    if (text === undefined || text === '') {
      if (key === 'host') throw this.refusal(key, 'it is empty')
      return undefined
    }
    if (text.startsWith('-') || /[\s\p{Cc}]/u.test(text)) throw this.refusal(key, `${quote(text)} is no name`)
    return text
  }

  words(key: string, usual: Value | undefined, form: RegExp, shown: string): string[] {
    const value = this.entry.settings.get(key) ?? usual ?? null
    const list = key === 'ssh_options' && !isList(value) && value !== null ? [str(value)] : texts(value)
    for (const text of list) {
      if (!form.test(text) || /\p{Cc}/u.test(text)) throw this.refusal(key, `${quote(text)} has not the form ${shown}`)
    }
    return list
  }

  number(key: string, usual: number): number {
    const value = this.entry.settings.get(key)
    if (value === undefined || value === null) return usual
    const number = Number(str(value))
    if (!Number.isFinite(number) || number < 0 || str(value).trim() === '')
      throw this.refusal(key, `${quote(str(value))} is no number`)
    return number
  }

  port(usual: string): number | undefined {
    const port = this.number('port', Number(usual))
    if (port === 0) return undefined
    if (Number.isInteger(port) && port <= 65_535) return port
    throw this.refusal('port', `${port} is no port`)
  }

  /** A number, which YAML reads from octal digits, or a text of octal digits. */
  umask(): number | undefined {
    const value = this.entry.settings.get('cmd_umask') ?? null
    if (value === null) return undefined
    const text = textOf(value)
    const mask =
      text !== undefined && /^(0o?)?[0-7]{1,4}$/.test(text) ? Number.parseInt(text.replace('0o', ''), 8) : value
    if (isInt(mask) && mask >= 0 && mask <= 0o777) return Number(mask)
    throw this.refusal('cmd_umask', `${quote(str(value))} is no mask of permissions`)
  }

  private scalar(key: string, value: Value): string {
    if (textOf(value) === undefined && typeof value === 'object') throw this.refusal(key, 'it is not a text')
    return textOf(value) ?? str(value)
  }
}

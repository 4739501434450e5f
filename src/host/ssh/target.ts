// The connection settings of a machine over SSH, and their checks. All values come from rosters and command lines, so
// they are checked here before they become arguments.
import { SshError } from './errors.ts'

export interface SshTarget {
  /** Name or address. */
  host: string
  /**
   * The command that runs the shell line on the target in place of ssh, such as `docker exec -i NAME /bin/sh -c`; the
   * line is appended.
   */
  via?: readonly string[]
  port?: number
  user?: string
  /** For the login. A secret: never in an argument, the environment, a file or a log. */
  password?: string
  /** Path of the private key; `agent-forwarding` means no file, and a forwarded agent. */
  identity?: string
  /** Passphrase of the private key; a secret. */
  passphrase?: string
  identitiesOnly?: boolean
  /** In seconds. */
  connectTimeout?: number
  /** Interval in seconds, and how many may stay unanswered. */
  keepalive?: { interval: number; countMax: number } | false
  /** `accept` goes on with unknown and changed host keys, `ignore` also leaves the file of known hosts alone. Default: `check`. */
  hostKeys?: 'check' | 'accept' | 'ignore'
  knownHostsFile?: string
  configFile?: string
  /** Further `-o` settings of ssh. */
  options?: readonly string[]
  /** Values for `-R`. */
  remoteForwards?: readonly string[]
  /** Ask the target for a terminal. */
  tty?: boolean
  /** The user to change to after the login; the password is a secret. */
  become?: { program: 'sudo' | 'doas' | 'su'; user: string; password?: string }
  /** PATH on the target; `$PATH` in it is the original value. */
  path?: string
  umask?: number
}

export const AGENT_FORWARDING = 'agent-forwarding'

const USER = /^[A-Za-z0-9_][A-Za-z0-9_.@+\\-]*\$?$/
/** Commands of ssh such as ProxyCommand and ProxyJump hand the host to a shell: characters with a meaning there are refused. */
const HOST = /^[^\s\0/@'"`\\$;&<>|(){}-][^\s\0'"`\\$;&<>|(){}]*$/

const MOST = 4096

/** Refuse a target that ssh or a shell could read as something else. */
export function checkTarget(target: SshTarget): void {
  const { host, port, user, become, password, passphrase } = target
  const refuse = (what: string): never => {
    throw new SshError('Unreachable', `Invalid SSH target: ${what}`, '')
  }
  if (!HOST.test(host) || host.length > 255) refuse(`host name ${JSON.stringify(host)}`)
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65536)) refuse(`port ${String(port)}`)
  if (user !== undefined && (!USER.test(user) || user.length > 256)) refuse(`user ${JSON.stringify(user)}`)
  if (become && (!USER.test(become.user) || become.user.length > 256)) refuse(`user ${JSON.stringify(become.user)}`)
  for (const secret of [password, passphrase, become?.password]) {
    if (secret !== undefined && (/[\0\r\n]/.test(secret) || secret.length > MOST)) refuse('a password of several lines')
  }
  const words = [target.identity, target.knownHostsFile, target.configFile, target.path]
  for (const text of [...words, ...(target.via ?? []), ...(target.options ?? []), ...(target.remoteForwards ?? [])]) {
    if (text !== undefined && (/[\0\n]/.test(text) || text.length > MOST))
      refuse(`${JSON.stringify(text.slice(0, 80))}`)
  }
}

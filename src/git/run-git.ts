// Runs git, always with a controlled environment, so that it neither runs other programs, nor prompts, nor shows a
// login.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { shownText, withoutLogin } from '../base/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { parseAddress } from './address.ts'
import { GitError, type GitErrorCode } from './errors.ts'
import type { GitRemote } from './remote.ts'

export interface GitCall {
  /** The folder of the repository. */
  folder: string
  /** The words after `git --git-dir=…`. */
  words: readonly string[]
  /** The remote, if the command connects to one. */
  remote?: GitRemote
  /** In seconds. */
  timeout: number
  /** Hold this file with a lock of the kernel meanwhile, and wait that many seconds for it. */
  lock?: { file: string; seconds: number }
  signal?: AbortSignal
}

/** The host of this process: a mirror outlives the job that first requests it. */
const machine = new LocalHost()

/** Variables that git and ssh need to find programs, settings, agents and proxies of the user. */
const KEPT_VARIABLES = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SSH_AUTH_SOCK',
  'GIT_SSH_COMMAND',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'KRB5CCNAME',
  'KRB5_CONFIG',
]

const PROTOCOLS = 'file:git:http:https:ssh:ftp:ftps'

/** Exit status of flock if the lock is held. */
const LOCK_BUSY = 75

const MOST_OUTPUT = 64 << 20

/** Characters of an error. */
const MOST_SAID = 1000

/** A server that sends less than a byte a second for a minute has gone. */
const SETTINGS: ReadonlyArray<readonly [string, string]> = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['gc.autoDetach', 'false'],
  ['maintenance.auto', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
]

/** Return git's standard output; a failure becomes a GitError without the login. */
export async function runGit(call: GitCall): Promise<string> {
  const argv = ['git', `--git-dir=${call.folder}`, ...call.words]
  const { lock, remote } = call
  const locked = lock ? ['flock', '-x', '-E', `${LOCK_BUSY}`, '-w', `${lock.seconds}`, lock.file, ...argv] : argv
  const result = await machine
    .run({
      argv: locked,
      cwd: call.folder,
      cleanEnv: true,
      env: gitEnvironment(remote, call.folder),
      timeout: call.timeout,
      maxOutput: MOST_OUTPUT,
      ...(call.signal && { signal: call.signal }),
    })
    .catch((error: Error) => {
      call.signal?.throwIfAborted()
      throw new GitError('GitFailed', `Cannot run git: ${error.message}`, { cause: error })
    })
  if (result.retcode === 0 && !result.truncated) return Buffer.from(result.stdout).toString()
  if (result.truncated) throw new GitError('Unreachable', 'the answer of the repository is too long')
  if (result.timedOut) throw new GitError('TimedOut', `git did not end within ${call.timeout} seconds`)
  if (lock && result.retcode === LOCK_BUSY)
    throw new GitError('TimedOut', `another process has been fetching for ${lock.seconds} seconds`)
  throw failure(Buffer.from(result.stderr).toString(), remote)
}

/** Return the variables of this process that programs which talk to servers need. */
export function userVariables(): Map<string, string> {
  const kept = KEPT_VARIABLES.map((name) => [name, process.env[name]] as const)
  return new Map(kept.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''))
}

/** Return the environment of git: for a remote with its login, which only processes of this user can read there. */
export function gitEnvironment(remote?: GitRemote, folder = ''): Map<string, string> {
  const env = userVariables()
  env
    .set('LC_ALL', 'C')
    .set('GIT_TERMINAL_PROMPT', '0')
    .set('GIT_ALLOW_PROTOCOL', PROTOCOLS)
    .set('GIT_NO_REPLACE_OBJECTS', '1')
    .set('GIT_OPTIONAL_LOCKS', '0')
  const settings = [...SETTINGS, ...(remote ? remoteSettings(remote, env, folder) : [])]
  env.set('GIT_CONFIG_COUNT', `${settings.length}`)
  settings.forEach(([key, value], at) => {
    env.set(`GIT_CONFIG_KEY_${at}`, key).set(`GIT_CONFIG_VALUE_${at}`, value)
  })
  return env
}

/** Finds the login in its environment; `printf` is part of the shell, so no words of a command show it. */
const LOGIN_HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$BRINE_GIT_USER" "$BRINE_GIT_PASSWORD"; }; f'

function remoteSettings(remote: GitRemote, env: Map<string, string>, folder: string): Array<[string, string]> {
  const address = parseAddress(remote.url)
  const settings: Array<[string, string]> = [['remote.origin.url', address.url]]
  if (!remote.sslVerify) settings.push(['http.sslVerify', 'false'])
  if (remote.proxy !== '') settings.push(['http.proxy', remote.proxy])
  const [user, password] =
    remote.user === '' && remote.password === '' ? [address.user, address.password] : [remote.user, remote.password]
  if (/^(https?|ftps?)$/.test(address.scheme) && `${user}${password}` !== '') {
    env.set('BRINE_GIT_USER', user).set('BRINE_GIT_PASSWORD', password)
    // the empty one drops helpers of the user, which would keep this login
    settings.push(['credential.helper', ''])
    for (const server of loginServers(address.url)) settings.push([`credential.${server}.helper`, LOGIN_HELPER])
  }
  if (address.scheme === 'ssh') env.set('GIT_SSH_COMMAND', sshCommand(remote, env, folder))
  return settings
}

/** Return the servers that get the login of an address: a redirect to another one must not. An encrypted connection to the same host may. */
function loginServers(url: string): string[] {
  const [, server = '', host = ''] = /^(\w+:\/\/((?:\[[^\]]*\]|[^/:])*)[^/?#]*)/.exec(url) ?? []
  return [...new Set([server, ...(server.startsWith('http:') ? [`https://${host}`] : [])])]
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Keys of servers are checked as ssh is configured to do for this user. */
function sshCommand(remote: GitRemote, env: Map<string, string>, folder: string): string {
  const options = ['-o ConnectTimeout=30', '-o ServerAliveInterval=15', '-o ServerAliveCountMax=4']
  if (remote.privkey !== '') options.push(`-i ${quoted(remote.privkey)}`, '-o IdentitiesOnly=yes')
  if (remote.passphrase === '') options.push('-o BatchMode=yes')
  else {
    env.set('BRINE_GIT_PASSPHRASE', remote.passphrase)
    env.set('SSH_ASKPASS_REQUIRE', 'force').set('SSH_ASKPASS', askpassProgram(folder)).set('DISPLAY', ':')
    options.push('-o PasswordAuthentication=no', '-o KbdInteractiveAuthentication=no', '-o NumberOfPasswordPrompts=1')
  }
  return [env.get('GIT_SSH_COMMAND') ?? 'ssh', ...options].join(' ')
}

/** Answers the question for a passphrase and no other one. It has no secret in it. */
const ASKPASS = `#!/bin/sh
case "$1" in *passphrase*) printf '%s\\n' "$BRINE_GIT_PASSPHRASE" ;; *) exit 1 ;; esac
`

function askpassProgram(folder: string): string {
  const path = join(folder, 'askpass')
  if (!existsSync(path)) writeFileSync(path, ASKPASS, { mode: 0o700 })
  return path
}

/** Patterns of git's and ssh's messages; the first match counts. */
const MEANINGS: ReadonlyArray<readonly [RegExp, GitErrorCode]> = [
  [/could not read (Username|Password)|terminal prompts disabled/, 'LoginNeeded'],
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/, 'HostKeyRefused'],
  [/Authentication failed|Permission denied|invalid credentials|returned error: 40[13]/i, 'LoginRefused'],
  [/Connection (timed out|refused)|Could not resolve|not found|does not appear to be a git repository/i, 'Unreachable'],
  [/Could not read from remote repository|unable to access|early EOF|hung up|index-pack failed/i, 'Unreachable'],
]

function failure(stderr: string, remote: GitRemote | undefined): GitError {
  const code = MEANINGS.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'GitFailed'
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote): /, '').trim())
    .filter((line) => line !== '' && !/^(hint:|Please make sure you have|and the repository exists)/.test(line))
  // some lines come from a server
  const said = shownText(hidden([...new Set(lines)].slice(0, 6).join('; '), remote), MOST_SAID)
  return new GitError(code, said || 'git failed without a word', {
    hint: code === 'HostKeyRefused' ? 'Add the key of the server to known_hosts of the user that runs this' : undefined,
  })
}

/** Return a text of git without the secrets of a remote. */
function hidden(text: string, remote: GitRemote | undefined): string {
  if (remote === undefined) return text
  const address = parseAddress(remote.url)
  const secrets = [remote.password, remote.passphrase, address.password, address.password === '' ? address.user : '']
  // a user name alone in a web address is a token
  const known = secrets.filter((secret, at) => secret !== '' && (at < 3 || address.scheme.startsWith('http')))
  const forms = known.flatMap((secret) => [secret, encodeURIComponent(secret)])
  const shown = forms.reduce((left, secret) => left.replaceAll(secret, '<redacted>'), text)
  return shown.replaceAll(remote.url, withoutLogin(remote.url))
}

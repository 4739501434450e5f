// The address of a repository: the text for git, and the login in it. All users of the machine can read the arguments
// of a process, so the login is removed and passed in the environment.
import { isAnyError, recover, withoutLogin } from '../base/mod.ts'
import { GitError } from './errors.ts'

export interface GitAddress {
  /** The address without a login: safe to show. */
  url: string
  scheme: 'file' | 'ftp' | 'ftps' | 'git' | 'http' | 'https' | 'ssh'
  user: string
  password: string
}

const SCHEMES: Readonly<Record<string, GitAddress['scheme']>> = {
  file: 'file',
  ftp: 'ftp',
  ftps: 'ftps',
  git: 'git',
  http: 'http',
  https: 'https',
  ssh: 'ssh',
  sftp: 'ssh',
  'git+ssh': 'ssh',
  'ssh+git': 'ssh',
}

const CONTROL = /[\0-\x1f\x7f]/

/** `user@host:path`, as scp takes it. */
const SCP_LIKE = /^(?:([^@/:]+)@)?([^@/:]+|\[[^\]]+\]):(?!\/\/)(.+)$/

/** Parse an address; throw if git would treat it as an option or as a command to run. */
export function parseAddress(text: string): GitAddress {
  const refuse = (why: string): never => {
    throw new GitError('AddressRefused', `The address '${withoutLogin(text)}' of a Git repository ${why}`)
  }
  if (text === '' || text.startsWith('-') || CONTROL.test(text)) refuse('is not valid')
  if (text.startsWith('/')) return { url: text, scheme: 'file', user: '', password: '' }
  const [, name, rest] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(text) ?? []
  if (name !== undefined) {
    const scheme = Object.hasOwn(SCHEMES, name.toLowerCase()) ? SCHEMES[name.toLowerCase()] : undefined
    if (scheme === undefined) return refuse(`has the unknown scheme '${name}'`)
    return withScheme(name.toLowerCase(), scheme, rest!, refuse)
  }
  // `ext::sh -c …` would run a command
  const [, , host] = (text.includes('::') ? undefined : SCP_LIKE.exec(text)) ?? []
  if (host === undefined || host.startsWith('-') || text.includes('@-')) refuse('is neither a URL nor user@host:path')
  return { url: text, scheme: 'ssh', user: '', password: '' }
}

function withScheme(
  name: string,
  scheme: GitAddress['scheme'],
  rest: string,
  refuse: (why: string) => never,
): GitAddress {
  if (scheme === 'file') return { url: `file://${rest}`, scheme, user: '', password: '' }
  const [, authority = '', path = ''] = /^([^/?#]*)(.*)$/s.exec(rest)!
  const at = authority.lastIndexOf('@')
  const server = authority.slice(at + 1)
  if (server === '' || server.startsWith('-')) refuse('names no server')
  const login = at < 0 ? '' : authority.slice(0, at)
  // git-remote-https gets the address as an argument; ssh takes the user from it, and a password there has no meaning
  const [user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(login)!.slice(1).map(decoded)
  if (scheme === 'ssh') {
    const before = user === '' ? '' : `${login.split(':')[0]!}@`
    if (before.startsWith('-')) refuse('names no server')
    return { url: `${name === 'sftp' ? 'ssh' : name}://${before}${server}${path}`, scheme, user, password: '' }
  }
  return { url: `${name}://${server}${path}`, scheme, user, password }
}

function decoded(text: string): string {
  // a percent sign that begins no escape is literal
  return recover(isAnyError, text, () => decodeURIComponent(text))
}

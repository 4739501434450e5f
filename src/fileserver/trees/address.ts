// The address of a repository: the text for the program, and the login in it. All users of the machine can read the
// arguments of a process, so the password is removed.
import { isAnyError, recover, withoutLogin } from '../../base/mod.ts'
import { TreeError } from './program.ts'

export interface TreeAddress {
  /** The address without a password. */
  url: string
  user: string
  password: string
}

const CONTROL = /[\0-\x1f\x7f]/

/** Parse an address; throw if the program would treat it as an option or as a command to run. */
export function parseTreeAddress(text: string, schemes: readonly string[]): TreeAddress {
  const refuse = (why: string): never => {
    throw new TreeError('AddressRefused', `The address '${withoutLogin(text)}' of a repository ${why}`)
  }
  if (text === '' || text.startsWith('-') || CONTROL.test(text)) refuse('is not valid')
  if (text.startsWith('/') && schemes.includes('')) return { url: text, user: '', password: '' }
  const [, name = '', authority = '', path = ''] = /^([a-z][a-z0-9+]*):\/\/([^/?#]*)(.*)$/i.exec(text) ?? []
  const scheme = name.toLowerCase()
  if (scheme === '' || !schemes.includes(scheme))
    refuse(`must begin with one of ${schemes.map((one) => (one === '' ? '/' : `${one}://`)).join(', ')}`)
  const at = authority.lastIndexOf('@')
  const [server, login] = [authority.slice(at + 1), at < 0 ? '' : authority.slice(0, at)]
  if (server.startsWith('-') || login.startsWith('-') || (server === '' && scheme !== 'file')) refuse('names no server')
  const [user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(login)!.slice(1).map(decoded)
  if (CONTROL.test(user) || CONTROL.test(password) || user.startsWith('-')) refuse('has a login that is not valid')
  // ssh takes the user from the address, and asks for passwords itself
  const before = scheme.endsWith('ssh') && login !== '' ? `${login.split(':')[0]}@` : ''
  return { url: `${scheme}://${before}${server}${path}`.replace(/\/+$/, ''), user, password }
}

function decoded(text: string): string {
  // a percent sign that begins no escape is literal
  return recover(isAnyError, text, () => decodeURIComponent(text))
}

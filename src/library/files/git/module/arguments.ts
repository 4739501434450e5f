// Parameters that functions of `git` share, and their command-line words.
import { misuse, str, type Value } from '../../../../data/mod.ts'
import { arg } from '../../../../sdk/mod.ts'

const optional = { optional: true } as const
const secret = { optional: true, secret: true } as const

export const cwd = arg.text('Path of the checkout; a relative one is below the home directory')
export const optionalCwd = arg.text('Path of the checkout; a relative one is below the home directory', optional)
const opts = arg.textOrList('Options of the command: text that is split as a shell does, or a list', { default: '' })
const git_opts = arg.textOrList('Options of git itself: text that is split as a shell does, or a list', { default: '' })
const user = arg.text('User that git runs as', optional)
const password = arg.text('Password of the user, for Windows', secret)
const identity = arg.textOrList('Path or `salt://` URL of a private key, or a list of them', optional)
const https_user = arg.text('User name for HTTPS', optional)
const https_pass = arg.text('Password for HTTPS', secret)
const ignore_retcode = arg.flag('Do not log a failure of git as an error', { default: false })
const saltenv = arg.text('Salt environment of keys on the file server', { default: 'base' })
const output_encoding = arg.text("Encoding of git's output", optional)

export const common = {
  cwd,
  opts,
  git_opts,
  user,
  password,
  identity,
  https_user,
  https_pass,
  ignore_retcode,
  saltenv,
  output_encoding,
}
export const remote = arg.text('Name of the remote', { default: 'origin' })
export const rev = arg.text('Revision: a branch, a tag or a commit', { default: 'HEAD' })
export const filename = arg.text('Path of the file')
export const redact_auth = arg.flag('Hide passwords in URLs', { default: true })
export const flag = (doc: string) => arg.flag(doc, { default: false })
export const text = (doc: string) => arg.text(doc, optional)
export const pushPassword = arg.text('Password for HTTPS when pushing', secret)

/** Parameters of functions that run git as a user. */
export const asUser = { user, password, ignore_retcode, output_encoding }
/** Parameters of functions that also take options. */
export const withOptions = { opts, git_opts, ...asUser }
const withKey = { opts, git_opts, user, password, identity }
/** Parameters of functions that reach a remote with a key. */
export const withKeyOnly = { ...withKey, ignore_retcode, output_encoding }
export const withSaltKey = { ...withKey, ignore_retcode, saltenv, output_encoding }
export const withHttps = { ...withKey, https_user, https_pass, ignore_retcode }
export const httpsKey = { user, password, identity, https_user, https_pass, ignore_retcode }

/** Return some of the further keywords by name; refuse the others. */
export function taken<const Name extends string>(
  kwargs: ReadonlyMap<string, Value>,
  ...names: readonly Name[]
): Record<Name, Value> {
  const known: readonly string[] = names
  const unknown = [...kwargs].filter(([name]) => !name.startsWith('__') && !known.includes(name))
  if (unknown.length > 0) {
    const listing = unknown.map(([name, value]) => `${name}=${str(value)}`).join(', ')
    throw misuse(`The following keyword arguments are not valid: ${listing}`)
  }
  return Object.fromEntries(names.map((name) => [name, kwargs.get(name) ?? null])) as Record<Name, Value>
}

/** Return words when a condition holds. */
export const when = (condition: unknown, ...parts: string[]): string[] => (condition ? parts : [])

/** Return a value as one word; no word for None. */
export const given = (value: string | null): string[] => (value === null ? [] : [value])

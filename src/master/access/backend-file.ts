// `file`: names and passwords in a file, one user a line: as plain text or digests, or as Apache's htpasswd and htdigest.
import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { toError } from '../../base/mod.ts'
import { briefStr, numberOf, textOf } from '../../data/mod.ts'
import type { AuthBackend, AuthContext } from './auth-backend.ts'
import { htpasswdForm } from './htpasswd.ts'

function equal(a: string, b: string): boolean {
  const [left, right] = [createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest()]
  return timingSafeEqual(left, right)
}

interface Login extends AuthContext {
  user: string
  password: string
  lines: readonly string[]
}

/** The stored password of a user, and the given password in the same form. */
type Found = readonly [stored: string | undefined, given: string | undefined]

function textFile({ lines, user, password, config }: Login): Found {
  const separator = textOf(config.get('^field_separator') ?? null) ?? ':'
  const field = (name: string, fallback: number): number => (numberOf(config.get(name) ?? fallback) ?? fallback) - 1
  const [nameField, passwordField] = [field('^username_field', 1), field('^password_field', 2)]
  const form = textOf(config.get('^hashtype') ?? null) ?? 'plaintext'
  const line = lines.map((one) => one.split(separator)).find((fields) => fields[nameField] === user)
  return [line?.[passwordField], form === 'plaintext' ? password : createHash(form).update(password).digest('hex')]
}

function digestFile({ lines, user, password, config }: Login): Found {
  const realm = textOf(config.get('^realm') ?? null)
  if (!realm) throw new Error('a ^realm must be set in external_auth for filetype htdigest')
  const line = lines.map((one) => one.split(':')).find(([name, of]) => name === user && of === realm)
  return [line?.[2], createHash('md5').update(`${user}:${realm}:${password}`).digest('hex')]
}

async function passwordFile({ lines, user, password, opts }: Login): Promise<Found> {
  const stored = lines.map((line) => line.split(':')).find(([name]) => name === user)?.[1]
  return [stored, stored && (await htpasswdForm(opts, stored, password))]
}

const FILE_TYPES = new Map<string, (login: Login) => Found | Promise<Found>>([
  ['text', textFile],
  ['htdigest', digestFile],
  ['htpasswd', passwordFile],
])

async function check(user: string, password: string, path: string, ctx: AuthContext): Promise<boolean> {
  const type = textOf(ctx.config.get('^filetype') ?? null) ?? 'text'
  const find = FILE_TYPES.get(type)
  if (!find) throw new Error(`its filetype ${type} is none of ${[...FILE_TYPES.keys()].join(', ')}`)
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
  const [stored, given] = await find({ ...ctx, user, password, lines })
  // an empty password field locks the user; it does not mean that no password is needed
  return Boolean(stored) && given !== undefined && equal(stored!, given)
}

const file: AuthBackend = {
  name: (credentials) => briefStr(credentials.get('username') ?? ''),
  check: async (credentials, ctx) => {
    const path = textOf(ctx.config.get('^filename') ?? null)
    const user = briefStr(credentials.get('username') ?? '')
    const password = textOf(credentials.get('password') ?? null)
    if (!path) {
      ctx.log('error', 'salt.auth.file: A filename must be set in the external_auth section')
      return false
    }
    if (user === '' || password === undefined) return false
    try {
      return await check(user, password, path, ctx)
    } catch (error) {
      ctx.log('error', `salt.auth.file: The file ${path} cannot be used: ${toError(error).message}`)
      return false
    }
  },
}

export default file

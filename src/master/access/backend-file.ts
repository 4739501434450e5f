// `file`: names and passwords in a file, one user a line, as plain text or as digests.
import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { toError } from '../../base/mod.ts'
import { numberOf, str, textOf } from '../../data/mod.ts'
import type { AuthBackend, AuthContext } from './backends.ts'

function equal(a: string, b: string): boolean {
  const [left, right] = [createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest()]
  return timingSafeEqual(left, right)
}

/** The password that a text file has for a user. */
function stored(lines: readonly string[], user: string, { config }: AuthContext): string | undefined {
  const separator = textOf(config.get('^field_separator') ?? null) ?? ':'
  const field = (name: string, fallback: number): number => (numberOf(config.get(name) ?? fallback) ?? fallback) - 1
  const [nameField, passwordField] = [field('^username_field', 1), field('^password_field', 2)]
  for (const line of lines) {
    const fields = line.split(separator)
    if (fields[nameField] === user) return fields[passwordField]
  }
  return undefined
}

/** A password as an htdigest file or a hash type has it. */
function digested(password: string, user: string, { config }: AuthContext): string {
  if (textOf(config.get('^filetype') ?? null) === 'htdigest') {
    const realm = textOf(config.get('^realm') ?? null) ?? ''
    return createHash('md5').update(`${user}:${realm}:${password}`).digest('hex')
  }
  const form = textOf(config.get('^hashtype') ?? null) ?? 'plaintext'
  return form === 'plaintext' ? password : createHash(form).update(password).digest('hex')
}

const file: AuthBackend = {
  name: (credentials) => str(credentials.get('username') ?? ''),
  check: (credentials, ctx) => {
    const path = textOf(ctx.config.get('^filename') ?? null)
    const user = str(credentials.get('username') ?? '')
    const password = textOf(credentials.get('password') ?? null)
    if (!path) {
      ctx.log('error', 'salt.auth.file: A filename must be set in the external_auth section')
      return false
    }
    if (user === '' || password === undefined) return false
    try {
      const lines = readFileSync(path, 'utf8').split('\n')
      const isDigestFile = textOf(ctx.config.get('^filetype') ?? null) === 'htdigest'
      const known = isDigestFile
        ? lines.find((line) => line.startsWith(`${user}:`))?.split(':')[2]
        : stored(lines, user, ctx)
      return known !== undefined && equal(known.trim(), digested(password, user, ctx))
    } catch (error) {
      ctx.log('error', `salt.auth.file: The file ${path} cannot be read: ${toError(error).message}`)
      return false
    }
  },
}

export default file

// `sharedsecret`: one password for all, the option of that name.
import { timingSafeEqual } from 'node:crypto'
import { option } from '../../config/mod.ts'
import { briefStr, textOf } from '../../data/mod.ts'
import type { AuthBackend } from './auth-backend.ts'

const sharedsecret: AuthBackend = {
  name: (credentials) => briefStr(credentials.get('username') ?? ''),
  check: (credentials, { opts }) => {
    const secret = option(opts, 'sharedsecret')
    const given = textOf(credentials.get('sharedsecret') ?? credentials.get('password') ?? null)
    if (!secret || given === undefined) return false
    const [a, b] = [Buffer.from(secret), Buffer.from(given)]
    return a.length === b.length && timingSafeEqual(a, b)
  },
}

export default sharedsecret

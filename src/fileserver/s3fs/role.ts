// The access key of the role of an EC2 instance, from its metadata service. Used only if no key is configured; cached
// until shortly before it expires.
import { type Dict, dictFrom, float, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import { type HttpStream, openUrl } from '../../http/mod.ts'
import { type S3Login, s3Login, wholeText } from '../s3.ts'

/** As a key, this word means the same as no key. */
const ROLE_WORD = 'use-instance-role-credentials'

const ADDRESS = 'http://169.254.169.254'

/** Milliseconds before the metadata service is queried again after it did not answer. */
const ABSENT_MS = 300_000

/** A key is renewed this many milliseconds before it ends. */
const EARLY_MS = 60_000

let known: { login: S3Login | undefined; until: number } | undefined

/** Return the key that is configured, that of the role of this machine, or none. */
export async function s3Identity(host: Host, opts: Dict): Promise<S3Login> {
  const own = s3Login(opts)
  if (own.key && own.keyId && own.key !== ROLE_WORD && own.keyId !== ROLE_WORD) return own
  if (known === undefined || known.until < Date.now()) known = await roleLogin(host, opts)
  return known.login ?? { key: undefined, keyId: undefined }
}

async function roleLogin(host: Host, opts: Dict): Promise<NonNullable<typeof known>> {
  const none = { login: undefined, until: Date.now() + ABSENT_MS }
  const short: Dict = new Map(opts).set('http_connect_timeout', float(2)).set('http_request_timeout', float(5))
  const base = `${(process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? ADDRESS).replace(/\/+$/, '')}/latest`
  const ask = (path: string, method: string, headers: Record<string, string>): Promise<HttpStream> =>
    openUrl(
      host,
      short,
      new Map<string, Value>([
        ['url', `${base}/${path}`],
        ['method', method],
        ['header_dict', dictFrom(headers)],
      ]),
    )
  const text = async ({ status, body }: HttpStream): Promise<string> => {
    const all = await wholeText(body, 1 << 16)
    return status < 300 ? all.trim() : ''
  }
  try {
    const token = await text(await ask('api/token', 'PUT', { 'X-aws-ec2-metadata-token-ttl-seconds': '60' }))
    const headers: Record<string, string> = token === '' ? {} : { 'X-aws-ec2-metadata-token': token }
    const [role = ''] = (await text(await ask('meta-data/iam/security-credentials/', 'GET', headers))).split('\n')
    if (!/^[\w+=,.@-]+$/.test(role)) return none
    const given = await text(await ask(`meta-data/iam/security-credentials/${role}`, 'GET', headers))
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = JSON.parse(given) as Record<string, string | undefined>
    if (!AccessKeyId || !SecretAccessKey) return none
    const until = Date.parse(Expiration ?? '') - EARLY_MS
    const login = { key: SecretAccessKey, keyId: AccessKeyId, ...(Token && { token: Token }) }
    return { login, until: Number.isNaN(until) ? none.until : until }
  } catch {
    // not an EC2 instance; public buckets need no key
    return none
  }
}

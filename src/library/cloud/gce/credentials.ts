// The identity towards Google: a service account with a key, which signs a JWT, or the service account of the machine
// on which salt-cloud runs.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { toError } from '../../../base/mod.ts'
import { type Dict, isDict, loadJson, markSecret, str, type Value } from '../../../data/mod.ts'
import type { CloudContext } from '../../../sdk/mod.ts'
import { at, bodyOf, exit, RestCloud, withoutSlash } from '../common/rest.ts'
import { askMetadata, metadataToken, Tokens } from '../common/token.ts'
import { configError, type ProviderSettings } from './settings.ts'

const SCOPE = 'https://www.googleapis.com/auth/compute'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_URI = 'https://oauth2.googleapis.com/token'
const LIFETIME = 3600
const MOST_KEY_BYTES = 1 << 16
/** Others than the owner may not write to a key, nor read it. */
const OPEN_BITS = 0o077

interface ServiceKey {
  email: string
  key: KeyObject
  keyId: string | null
  tokenUri: string
  /** The place of the key, for errors. */
  from: string
}

/** Return the tokens of a project. No request is sent yet. */
export function googleTokens(ctx: CloudContext, settings: ProviderSettings): Tokens {
  let key: Promise<ServiceKey> | undefined
  return new Tokens(async () => {
    if (settings.service_account_private_key === '') return fromMachine(ctx, settings)
    key ??= readKey(ctx, settings)
    return exchange(ctx, await key)
  })
}

async function fromMachine(ctx: CloudContext, settings: ProviderSettings): Promise<Dict> {
  const account = encodeURIComponent(settings.service_account_email_address || 'default')
  const base = withoutSlash(settings.metadata_url)
  const url = `${base}/computeMetadata/v1/instance/service-accounts/${account}/token`
  return metadataToken(
    await askMetadata(ctx, url, { 'Metadata-Flavor': 'Google' }),
    `The provider '${ctx.alias}' cannot log in: the metadata service ${base}`,
    "this is no machine of Google, so the setting 'service_account_private_key' must name a key",
  )
}

async function readKey(ctx: CloudContext, settings: ProviderSettings): Promise<ServiceKey> {
  const setting = settings.service_account_private_key
  const isInline = /^\s*(\{|-----BEGIN)/.test(setting)
  const from = isInline ? "the setting 'service_account_private_key'" : setting
  const text = isInline ? setting : await keyText(ctx, setting)
  markSecret(text.replace(/-----[^-\n]+-----/g, ''))
  const json = text.trimStart().startsWith('{') ? jsonKey(text, from) : undefined
  const pem = json ? str(json.get('private_key') ?? '') : text
  markSecret(pem.replace(/-----[^-\n]+-----/g, ''))
  const email = settings.service_account_email_address || str(json?.get('client_email') ?? '')
  if (email === '') {
    throw configError(
      `The provider '${ctx.alias}' needs the setting 'service_account_email_address': ${from} is a key in PEM, which names no account`,
    )
  }
  return { email, from, key: privateKey(pem, from), ...fieldsOf(json) }
}

function fieldsOf(json: Dict | undefined): Pick<ServiceKey, 'keyId' | 'tokenUri'> {
  const tokenUri = str(json?.get('token_uri') ?? TOKEN_URI)
  const keyId = json?.get('private_key_id') ?? null
  return { tokenUri, keyId: keyId === null ? null : str(keyId) }
}

async function keyText({ host, alias }: CloudContext, path: string): Promise<string> {
  const wrong = (what: string) =>
    configError(`The provider '${alias}' cannot read the key ${path} of 'service_account_private_key': ${what}`)
  try {
    const stat = await host.stat(path)
    if (stat === undefined) throw wrong('there is no such file')
    if (stat.mode & OPEN_BITS) throw wrong(`its mode is ${stat.mode.toString(8)}, and it must be 400 or 600`)
    if (stat.size > MOST_KEY_BYTES) throw wrong('it is too large for a key')
    return Buffer.from(await host.read(path)).toString()
  } catch (error) {
    const { message } = toError(error)
    throw message.includes(path) ? error : wrong(message)
  }
}

function jsonKey(text: string, from: string): Dict {
  let value: Value
  try {
    value = loadJson(text)
  } catch {
    throw configError(`The key ${from} is no valid JSON`)
  }
  const type = at(value, 'type')
  if (isDict(value) && (type === 'service_account' || type === null)) return value
  throw configError(`The key ${from} is not the key of a service account: its type is ${str(type)}`)
}

function privateKey(pem: string, from: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // the error below names the missing part
  }
  throw configError(`The key ${from} has no RSA private key in PEM`)
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

function assertionOf({ email, key, keyId, tokenUri }: ServiceKey): string {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== null && { kid: keyId }) }
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + LIFETIME }
  const signed = `${encoded(header)}.${encoded(claims)}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

/** Exchange a signed statement for a token. */
async function exchange(ctx: CloudContext, key: ServiceKey): Promise<Dict> {
  const rest = new RestCloud(ctx, { base: key.tokenUri, headers: () => ({}), isForm: true, repeatsPosts: true })
  const assertion = assertionOf(key)
  markSecret(assertion)
  const answer = await rest.reply('POST', '', { grant_type: GRANT, assertion })
  const body = bodyOf(answer)
  if (answer.status === 200 && isDict(body)) return body
  const problem = [at(body, 'error'), at(body, 'error_description')].filter((part) => part !== null).map(str)
  throw exit(
    `The provider '${ctx.alias}' cannot log in: Google refuses the service account ${key.email} with the key ${key.from}: ${problem.join(': ') || `status ${answer.status}`}`,
  )
}

// The access key of a call, from the same sources and in the same order as in Amazon's own programs: the arguments and
// options, the environment, a web identity token, the shared files, the container, the machine's role. A configured
// role is then assumed with that key.
import { toError } from '../../../base/mod.ts'
import { markSecret } from '../../../data/mod.ts'
import type { AwsContext, AwsSettings } from './login.ts'
import { fromContainer, fromMachine, type TimedKey } from './metadata.ts'

/** A key is renewed this long before it ends. */
const EARLY_MS = 300_000

/** Temporary keys by source, shared by all calls of this process. */
const kept = new Map<string, TimedKey>()

/** Return a kept key that has not ended, or get a new one and keep it if it ends. */
export async function keepKey<K extends TimedKey | undefined>(
  source: string,
  get: () => Promise<K>,
): Promise<TimedKey | K> {
  const known = kept.get(source)
  if (known?.ends !== undefined && known.ends - EARLY_MS > Date.now()) return known
  const key = await get()
  if (key !== undefined) {
    markSecret([key.key, key.token ?? ''])
    if (key.ends !== undefined) kept.set(source, key)
  }
  return key
}

/** Name of the role, or of the web identity, that the environment or a shared file asks for. */
export interface RoleRequest {
  roleArn: string
  sessionName: string
  externalId?: string | undefined
  /** A token of an identity provider, in place of a key. */
  webToken?: string
}

export interface FoundKey {
  key: TimedKey | undefined
  /** A role to take on with the key. */
  role?: RoleRequest | undefined
}

/** Return the key to sign with. Without any, `key` is undefined. */
export async function findKey(ctx: AwsContext, settings: AwsSettings): Promise<FoundKey> {
  const { key, keyId, token, roleArn, externalId } = settings
  const role = roleArn ? { roleArn, sessionName: SESSION, externalId } : undefined
  if (key && keyId) return { key: { key, keyId, token }, role }
  const env = await ctx.host.env()
  const found = fromEnvironment(env) ?? (await fromFiles(ctx, env))
  if (found !== undefined) return { ...found, role: role ?? found.role }
  return { key: (await fromContainer(ctx, env)) ?? (await fromMachine(ctx, env)), role }
}

const SESSION = 'salt'

function fromEnvironment(env: ReadonlyMap<string, string>): FoundKey | undefined {
  const [keyId, key] = [env.get('AWS_ACCESS_KEY_ID'), env.get('AWS_SECRET_ACCESS_KEY')]
  if (!keyId || !key) return undefined
  markSecret([key, env.get('AWS_SESSION_TOKEN') ?? ''])
  return { key: { keyId, key, token: env.get('AWS_SESSION_TOKEN') || undefined } }
}

/** Return the settings of the shared files and of the web identity file. */
async function fromFiles(ctx: AwsContext, env: ReadonlyMap<string, string>): Promise<FoundKey | undefined> {
  const [roleArn, tokenFile] = [env.get('AWS_ROLE_ARN'), env.get('AWS_WEB_IDENTITY_TOKEN_FILE')]
  if (roleArn && tokenFile) {
    const webToken = Buffer.from(await ctx.host.read(tokenFile))
      .toString()
      .trim()
    markSecret(webToken)
    return { key: undefined, role: { roleArn, webToken, sessionName: env.get('AWS_ROLE_SESSION_NAME') || SESSION } }
  }
  const name = env.get('AWS_PROFILE') || env.get('AWS_DEFAULT_PROFILE') || 'default'
  const sections = await sharedFiles(ctx, env)
  return keyOfSection(sections, name, new Set())
}

type Sections = ReadonlyMap<string, ReadonlyMap<string, string>>

function keyOfSection(sections: Sections, name: string, seen: Set<string>): FoundKey | undefined {
  const section = sections.get(name)
  if (section === undefined || seen.has(name)) return undefined
  seen.add(name)
  const [keyId, key] = [section.get('aws_access_key_id'), section.get('aws_secret_access_key')]
  const own = keyId && key ? { keyId, key, token: section.get('aws_session_token') || undefined } : undefined
  if (own !== undefined) markSecret([own.key, own.token ?? ''])
  const roleArn = section.get('role_arn')
  const source = section.get('source_profile')
  if (!roleArn || !source) return own && { key: own }
  const base = source === name ? own && { key: own } : keyOfSection(sections, source, seen)
  if (base?.key === undefined) return undefined
  const sessionName = section.get('role_session_name') || SESSION
  return { key: base.key, role: { roleArn, sessionName, externalId: section.get('external_id') } }
}

/** Return the sections of both shared files by the names of profiles; `credentials` counts over `config`. */
export async function sharedFiles(ctx: AwsContext, env: ReadonlyMap<string, string>): Promise<Sections> {
  const sections = new Map<string, Map<string, string>>()
  const files = [
    [env.get('AWS_CONFIG_FILE') || '~/.aws/config', /^profile\s+(.*)$/],
    [env.get('AWS_SHARED_CREDENTIALS_FILE') || '~/.aws/credentials', /^(.*)$/],
  ] as const
  for (const [path, pattern] of files) {
    for (const [title, section] of iniOf(await textOrNone(ctx, env, path))) {
      const name = title === 'default' ? title : pattern.exec(title)?.[1]
      if (name === undefined) continue
      const known = sections.get(name) ?? new Map<string, string>()
      for (const [key, value] of section) known.set(key, value)
      sections.set(name, known)
    }
  }
  return sections
}

function iniOf(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let at: Map<string, string> | undefined
  for (const line of text.split('\n')) {
    const title = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim()
    const [, key, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (title !== undefined) {
      at = sections.get(title) ?? new Map()
      sections.set(title, at)
    } else if (key !== undefined) at?.set(key.toLowerCase(), value!)
  }
  return sections
}

async function textOrNone(ctx: AwsContext, env: ReadonlyMap<string, string>, path: string): Promise<string> {
  try {
    return Buffer.from(await ctx.host.read(path.replace(/^~(?=\/)/, env.get('HOME') ?? '/root'))).toString()
  } catch (error) {
    ctx.log('debug', `No shared file of AWS is read: ${toError(error).message}`)
    return ''
  }
}

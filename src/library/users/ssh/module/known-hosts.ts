// The keys of hosts that are known, read and removed through ssh-keygen, which knows hashed names, and fetched with
// ssh-keyscan.
import { dirname, isAbsolute, join } from 'node:path/posix'
import {
  contains,
  type Dict,
  decodeBytes,
  dictFrom,
  equals,
  failure,
  isFailure,
  PySet,
  splitLines,
  str,
  strip,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { checkLinks, type FunctionContext, isHostError, outputOf } from '../../../../sdk/mod.ts'
import { isFile, userInfo } from './authorized.ts'
import { fingerprint } from './keys.ts'

const SSH_PORT = 22

const problem = (error: string): Dict => dictFrom({ status: 'error', error })

/** Return the path of a file of known hosts, or a dict with the error. */
async function hostsFile(ctx: FunctionContext, user: string | null, config: string | null): Promise<string | Dict> {
  const path = config || (user ? '.ssh/known_hosts' : '/etc/ssh/ssh_known_hosts')
  if (isAbsolute(path)) return path
  if (!user) return problem('Cannot determine absolute path to file.')
  const info = await userInfo(ctx, user)
  return info.size === 0 ? problem(`User ${user} does not exist`) : join(str(info.get('home')!), path)
}

/** Return the path of a file of known hosts that may be changed, or a dict with the error. */
async function changeableFile(
  ctx: FunctionContext,
  user: string | null,
  config: string | null,
): Promise<string | Dict> {
  const path = await hostsFile(ctx, user, config)
  if (path instanceof Map) return path
  return checkLinks(ctx.host, path).catch((error: unknown) => {
    if (isFailure(error)) return problem(error.message)
    throw error
  })
}

async function needs(ctx: FunctionContext, program: string): Promise<void> {
  if ((await ctx.host.which(program)) === undefined) throw failure(`The '${program}' binary was not found in $PATH.`)
}

const hostAt = (hostname: Value, port: Value): string =>
  !truthy(port) || equals(port, SSH_PORT) ? str(hostname) : `[${str(hostname)}]:${str(port)}`

/** Parse the output of ssh-keygen and ssh-keyscan: a name, a type and a key in each line. */
export function parseEntries(output: string, hashType: Value): Dict[] {
  const entries: Dict[] = []
  for (const line of splitLines(output)) {
    const words = strip(line).split(/\s+/)
    const [hostname, enc, key] = words as [string, string, string]
    if (words.length !== 3 || hostname.startsWith('#')) continue
    const print = fingerprint(key, hashType)
    if (print !== undefined) entries.push(dictFrom({ hostname, key, enc, fingerprint: print }))
  }
  return entries
}

interface HostQuery {
  user: string | null
  hostname: string | null
  config: string | null
  port: Value
  fingerprint_hash_type: string | null
}

/** Return the known keys of a host; null without keys, a dict for an error. */
export async function knownEntries(ctx: FunctionContext, query: HostQuery): Promise<Dict[] | Dict | null> {
  await needs(ctx, 'ssh-keygen')
  const path = await hostsFile(ctx, query.user, query.config)
  if (path instanceof Map) return path
  const entries = parseEntries(await found(ctx, query, path), query.fingerprint_hash_type)
  return entries.length > 0 ? entries : null
}

const found = (ctx: FunctionContext, { hostname, port }: HostQuery, path: string): Promise<string> =>
  outputOf(ctx, ['ssh-keygen', '-F', hostAt(hostname, port), '-f', path], { ignore_retcode: true })

interface ScanRequest {
  hostname: string | null
  enc: string | null
  port: Value
  hash_known_hosts: boolean
  timeout: number
  fingerprint_hash_type: string | null
}

export async function scanHost(ctx: FunctionContext, request: ScanRequest): Promise<Dict[] | null> {
  await needs(ctx, 'ssh-keyscan')
  const { hostname, enc, port } = request
  const isOld = ctx.grains.get('osfinger') === 'CentOS-5'
  const command: Value[] = [
    'ssh-keyscan',
    ...(truthy(port) ? ['-p', port] : []),
    ...(enc ? ['-t', enc] : isOld ? ['-t', 'rsa'] : []),
    ...(request.hash_known_hosts ? ['-H'] : []),
    ...['-T', String(request.timeout), hostname],
  ]
  let output = ''
  for (let attempt = 0; attempt < 5 && output === ''; attempt++) output = await outputOf(ctx, command)
  const entries = parseEntries(output, request.fingerprint_hash_type)
  return entries.length > 0 ? entries : null
}

const column = (entries: readonly Dict[], key: string): Value[] => entries.map((entry) => entry.get(key) ?? null)

export async function checkHost(
  ctx: FunctionContext,
  query: HostQuery,
  key: string | null,
  print: string | null,
): Promise<Value> {
  if (!query.hostname) return problem('hostname argument required')
  const entries = await knownEntries(ctx, query)
  if (entries instanceof Map) return entries
  if (entries === null) return 'add'
  const wanted = key || print
  if (!wanted) return 'exists'
  return contains(column(entries, key ? 'key' : 'fingerprint'), wanted) ? 'exists' : 'update'
}

/** Restore the owner of the file, which ssh-keygen replaces. */
async function giveBack(ctx: FunctionContext, path: string, user: string | null): Promise<void> {
  const isRoot = ctx.grains.get('kernel') !== 'Windows' && (await ctx.host.identity()).uid === 0
  if (!isRoot || !user) return
  const info = await userInfo(ctx, user)
  await ctx.host.chown(path, Number(info.get('uid')), Number(info.get('gid')))
}

export async function removeHost(
  ctx: FunctionContext,
  { user, hostname, config, port }: Omit<HostQuery, 'fingerprint_hash_type'>,
): Promise<Dict> {
  if (!hostname) return problem('hostname argument required')
  const path = await changeableFile(ctx, user, config)
  if (path instanceof Map) return path
  if (!(await isFile(ctx.host, path))) return problem(`Known hosts file ${path} does not exist`)
  const comment = await outputOf(ctx, ['ssh-keygen', '-R', hostAt(hostname, port), '-f', path])
  await giveBack(ctx, path, user)
  return dictFrom({ status: 'removed', comment })
}

export async function hashHosts(ctx: FunctionContext, user: string | null, config: string | null): Promise<Dict> {
  await needs(ctx, 'ssh-keygen')
  const path = await changeableFile(ctx, user, config)
  if (path instanceof Map) return path
  if (!(await isFile(ctx.host, path))) return problem(`Known hosts file ${path} does not exist`)
  const { mode } = (await ctx.host.stat(path))!
  const comment = await outputOf(ctx, ['ssh-keygen', '-H', '-f', path])
  await ctx.host.chmod(path, mode)
  await giveBack(ctx, path, user)
  return dictFrom({ status: 'updated', comment })
}

interface WantedHost extends HostQuery, ScanRequest {
  key: string | null
  fingerprint: string | null
}

/** Either the entries to store, or the final answer. */
type Decision = { entries: Dict[]; old: Dict[] | null } | Dict

async function decide(ctx: FunctionContext, wanted: WantedHost): Promise<Decision> {
  const { hostname, enc, key, fingerprint: print } = wanted
  const stored = await knownEntries(ctx, wanted)
  if (stored instanceof Map) return stored
  const sameKind = (stored ?? []).filter((entry) => enc === null || entry.get('enc') === enc)
  const keys = column(sameKind, 'key')
  const unknownPrint = print && !contains(column(stored ?? [], 'fingerprint'), print)
  const mustUpdate = stored === null || unknownPrint || (key && !contains(keys, key))
  const mustCompare = !mustUpdate && key === null && print === null
  if (!mustUpdate && !mustCompare) return dictFrom({ status: 'exists', keys })
  if (key) return { entries: [dictFrom({ hostname, enc, key })], old: stored }
  const remote = await scanHost(ctx, wanted)
  if (remote === null) return problem('Unable to receive remote host keys')
  if (print && !contains(column(remote, 'fingerprint'), print)) {
    return problem('Remote host public keys found but none of their fingerprints match the one you have provided')
  }
  if (mustCompare && equals(new PySet(column(remote, 'key')), new PySet(keys)))
    return dictFrom({ status: 'exists', keys })
  return { entries: remote, old: stored }
}

export async function setHost(ctx: FunctionContext, wanted: WantedHost): Promise<Dict> {
  const { user, port } = wanted
  if (!wanted.hostname) return problem('hostname argument required')
  const hashed = wanted.hash_known_hosts
  if (port !== null && !equals(port, SSH_PORT) && hashed) {
    return problem('argument port can not be used in conjunction with argument hash_known_hosts')
  }
  const decision = await decide(ctx, wanted)
  if (decision instanceof Map) return decision
  const path = await changeableFile(ctx, user, wanted.config)
  if (path instanceof Map) return path
  const mode = (await isFile(ctx.host, path)) ? (await ctx.host.stat(path))!.mode : undefined
  if (mode !== undefined) await dropEntries(ctx, wanted, path)
  await makeDirectory(ctx, dirname(path), user)
  try {
    await ctx.host.append(path, decision.entries.map((entry) => entryLine(entry, port, hashed)).join(''))
  } catch (error) {
    if (isHostError(error)) throw failure(`Couldn't append to known hosts file: '${error.message}'`)
    throw error
  }
  await giveBack(ctx, path, user)
  await ctx.host.chmod(path, mode ?? 0o600)
  if (wanted.key && hashed) await ctx.call('ssh.hash_known_hosts', [], { user, config: path })
  return dictFrom({ status: 'updated', old: decision.old, new: decision.entries })
}

/** Return the line of an entry; set the port in the entry if the line has it. */
function entryLine(entry: Dict, port: Value, hashed: boolean): string {
  const hostname = str(entry.get('hostname')!)
  const bare = hashed || port === null || equals(port, SSH_PORT) || hostname.includes(':')
  if (!bare) entry.set('port', port)
  const name = bare ? hostname : `[${hostname}]:${str(port)}`
  return `${name} ${str(entry.get('enc') ?? null)} ${str(entry.get('key')!)}\n`
}

/** Remove the stored keys of the host, of the given type if there is one. */
async function dropEntries(ctx: FunctionContext, wanted: WantedHost, path: string): Promise<void> {
  const lines = splitLines(await found(ctx, wanted, path))
  const gone = new Set<number>()
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const number = Number(strip(lines[at]!).split(/\s+/).at(-1))
    if (
      wanted.enc === null ||
      strip(lines[at + 1]!)
        .split(/\s+/)
        .at(-2) === wanted.enc
    )
      gone.add(number)
  }
  if (gone.size === 0) return
  try {
    const held = decodeBytes(await ctx.host.read(path)).split(/(?<=\n)/)
    await ctx.host.write(path, held.filter((_line, index) => !gone.has(index + 1)).join(''))
  } catch (error) {
    if (!isHostError(error)) throw error
    throw failure(`Couldn't remove old entry(ies) from known hosts file: '${error.message}'`)
  }
}

async function makeDirectory(ctx: FunctionContext, path: string, user: string | null): Promise<void> {
  if ((await ctx.host.stat(path)) !== undefined) return
  try {
    await ctx.host.makeDirectory(path, { parents: true })
  } catch (error) {
    if (!isHostError(error, 'EACCES')) throw error
    ctx.log('error', `Unable to create directory ${path}: Permission denied`)
    return
  }
  if (!user) return
  const info = await userInfo(ctx, user)
  await ctx.host.chown(path, Number(info.get('uid')), Number(info.get('gid')))
  await ctx.host.chmod(path, 0o700)
}

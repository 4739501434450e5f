// Keys of repositories: in apt-key, or as files in a directory of keyrings.
import { basename } from 'node:path/posix'
import {
  type Dict,
  failure,
  loadJson,
  misuse,
  PyError,
  splitLines,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, runAll } from '../../../../sdk/mod.ts'
import type { Ppa } from '../sources/sources.ts'
import { callApt } from './call.ts'

const KEYRINGS = '/etc/apt/keyrings'

export interface KeyPlace {
  aptKey: boolean
  keydir?: string | null
}

const folderOf = (keydir: string | null | undefined): string => (keydir || KEYRINGS).replace(/(?<=.)\/+$/, '')

async function hasFolder(ctx: FunctionContext, folder: string): Promise<boolean> {
  if ((await ctx.host.stat(folder))?.type === 'directory') return true
  const advice = 'Please create this directory only writable by root'
  ctx.log('error', `The directory ${folder} does not exist. ${advice}`)
  return false
}

const item = (text: string | undefined): Value => {
  const trimmed = (text ?? '').trim()
  if (trimmed === '') return null
  return /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : trimmed
}

/** Return the keys by id in the output of `gpg --with-colons`. */
export function parseKeys(output: string): Dict {
  const keys: Dict[] = []
  for (const line of splitLines(output).filter((line) => line.trim() !== '')) {
    const items = line.split(':').map(item)
    const at = (index: number): Value => items[index] ?? null
    const last = keys.at(-1)
    const subkey = last?.get('subkey') as Dict | undefined
    if (items[0] === 'pub' || items[0] === 'sub') {
      const key = new Map<Value, Value>(
        Object.entries({
          algorithm: at(3),
          bits: at(2),
          capability: at(11),
          date_creation: at(5),
          date_expiration: at(6),
          keyid: str(at(4)),
          validity: at(1),
        }),
      )
      if (items[0] === 'pub') keys.push(key)
      else last?.set('subkey', key)
    } else if (items[0] === 'fpr') (subkey ?? last)?.set('fingerprint', at(9))
    else if (items[0] === 'uid') last?.set('uid', at(9)).set('uid_hash', at(7))
  }
  return new Map(keys.map((key) => [key.get('keyid')!, key]))
}

const listing = (file: string): string[] => [
  ...['gpg', '--no-default-keyring', '--keyring'],
  ...[file, '--list-keys', '--with-colons'],
]

async function usesAptKey(ctx: FunctionContext, wanted: boolean): Promise<boolean> {
  return wanted && (await ctx.host.which('apt-key')) !== undefined
}

export async function getRepoKeys(ctx: FunctionContext, { aptKey, keydir }: KeyPlace): Promise<Dict | false> {
  if (await usesAptKey(ctx, aptKey)) {
    const words = ['--batch', '--list-public-keys', '--with-fingerprint', '--with-fingerprint', '--with-colons']
    const listed = await callApt(ctx, ['apt-key', 'adv', ...words, '--fixed-list-mode'], { scope: false })
    if (listed.retcode !== 0) throw failure(listed.stderr)
    return parseKeys(listed.stdout)
  }
  const folder = folderOf(keydir)
  if (!(await hasFolder(ctx, folder))) return false
  const outputs: string[] = []
  for (const name of await namesIn(ctx.host, folder))
    outputs.push((await runAll(ctx, listing(`${folder}/${name}`))).stdout)
  return parseKeys(outputs.join('\n'))
}

/** Return the path of the key without ASCII armour, unless the target may have it; undefined when gpg is missing. */
async function dearmored(ctx: FunctionContext, path: string, target: string): Promise<string | undefined> {
  const isArmored = Buffer.from(await ctx.host.read(path))
    .toString('latin1')
    .replace(/^-+/, '')
    .startsWith('BEGIN PGP')
  if (!isArmored || target.endsWith('.asc')) return path
  if ((await ctx.host.which('gpg')) === undefined) {
    const problem = `Detected an ASCII armored key ${path} and the gpg binary is not available.`
    ctx.log('error', `${problem} Not decrypting the key.`)
    return undefined
  }
  const bare = `${path}.decrypted`
  const { retcode } = await runAll(ctx, ['gpg', '--yes', '--output', bare, '--dearmor', path])
  if (retcode !== 0) ctx.log('error', `Failed to decrypt the key ${path}`)
  return bare
}

export interface KeyToAdd extends KeyPlace {
  path?: string | null
  text?: string | null
  keyserver?: string | null
  keyid?: string | null
  keyfile?: string | null
  saltenv?: string
}

async function addFile(ctx: FunctionContext, path: string, key: KeyToAdd, folder: string): Promise<boolean | string[]> {
  const cached = await ctx.call('cp.cache_file', [path, key.saltenv ?? 'base'])
  if (!truthy(cached)) {
    ctx.log('error', `Unable to get cached copy of file: ${path}`)
    return false
  }
  if (key.aptKey) return ['apt-key', 'add', str(cached)]
  const target = key.keyfile || basename(str(cached))
  const source = await dearmored(ctx, str(cached), target)
  if (source === undefined) return false
  await ctx.host.write(`${folder}/${target}`, await ctx.host.read(source))
  return true
}

function receiving(
  ctx: FunctionContext,
  keyserver: string,
  { aptKey, keyid, keyfile }: KeyToAdd,
  folder: string,
): string[] | undefined {
  if (!keyid) throw misuse(`No keyid or keyid too short for keyserver: ${keyserver}`)
  if (aptKey) return ['apt-key', 'adv', '--batch', '--keyserver', keyserver, '--recv', keyid]
  if (!keyfile) {
    ctx.log('error', 'You must define the name of the key file to save the key. See keyfile argument')
    return undefined
  }
  const ring = keyfile.startsWith('/') ? keyfile : `${folder}/${keyfile}`
  return ['gpg', '--no-default-keyring', '--keyring', ring, '--keyserver', keyserver, '--recv-keys', keyid]
}

/** Add a key; return whether it exists afterwards. */
export async function addRepoKey(ctx: FunctionContext, given: KeyToAdd): Promise<boolean> {
  const folder = folderOf(given.keydir)
  if (!given.aptKey && !(await hasFolder(ctx, folder))) return false
  const key: KeyToAdd = { ...given, aptKey: await usesAptKey(ctx, given.aptKey) }
  const { path, text, keyserver, keyid } = key
  if (keyid) {
    const known = await getRepoKeys(ctx, { aptKey: key.aptKey, keydir: folder })
    if (known !== false && [...known.keys()].some((id) => str(id).endsWith(keyid))) return true
  }
  let words: string[] | undefined
  if (path) {
    const added = await addFile(ctx, path, key, folder)
    if (typeof added === 'boolean') return added
    words = added
  } else if (text) words = ['apt-key', 'add', '-']
  else if (keyserver) words = receiving(ctx, keyserver, key, folder)
  else if (keyid) throw misuse(`No keyserver specified for keyid: ${keyid}`)
  else throw new PyError('TypeError', 'add_repo_key() takes at least 1 argument (0 given)')
  if (words === undefined) return false
  const stdin = !path && text ? { options: { stdin: text } } : {}
  const { retcode, stderr } = await callApt(ctx, words, stdin)
  if (retcode !== 0) ctx.log('error', `Unable to add repo key: ${stderr}`)
  return retcode === 0
}

async function fileOfKey(ctx: FunctionContext, folder: string, keyid: string): Promise<string | undefined> {
  if (keyid.length !== 8 && keyid.length !== 16) {
    ctx.log('error', 'The keyid needs to be either 8 or 16 characters')
    return undefined
  }
  for (const name of await namesIn(ctx.host, folder)) {
    const keys = parseKeys((await runAll(ctx, listing(`${folder}/${name}`))).stdout)
    if ([...keys.keys()].some((id) => str(id).endsWith(keyid))) return `${folder}/${name}`
  }
  ctx.log('error', `Could not find the key file for keyid: ${keyid}`)
  return undefined
}

export interface KeyToDelete extends KeyPlace {
  name: string | null
  kwargs: ReadonlyMap<string, Value>
}

async function idToDelete(ctx: FunctionContext, { name, kwargs }: KeyToDelete): Promise<string> {
  if (!truthy(kwargs.get('keyid_ppa') ?? false)) {
    if (!kwargs.has('keyid')) throw misuse('keyid or keyid_ppa and PPA name must be passed')
    return str(kwargs.get('keyid')!)
  }
  const [owner, ppa] = /^ppa:([^/]+)\/(.+)$/.exec(name ?? '')?.slice(1) ?? []
  if (owner === undefined || ppa === undefined) throw misuse('keyid_ppa requires that a PPA be passed')
  return str((await launchpadInfo(ctx, { owner, name: ppa })).get('signing_key_fingerprint') ?? '').slice(-8)
}

/** Remove a key, and return its id, or False. */
export async function delRepoKey(ctx: FunctionContext, key: KeyToDelete): Promise<string | false> {
  const folder = folderOf(key.keydir)
  if (!key.aptKey && !(await hasFolder(ctx, folder))) return false
  const keyid = await idToDelete(ctx, key)
  if (await usesAptKey(ctx, key.aptKey)) {
    const { retcode, stderr } = await callApt(ctx, ['apt-key', 'del', keyid], { scope: false })
    if (retcode === 0) return keyid
    throw failure(`Failed to remove keyid {0}${stderr === '' ? '' : `: ${stderr}`}`)
  }
  const file = await fileOfKey(ctx, folder, keyid)
  if (file === undefined) return false
  await ctx.host.remove(file)
  return keyid
}

/** Return the facts that Launchpad has about a personal archive. */
export async function launchpadInfo(ctx: FunctionContext, { owner, name }: Ppa): Promise<Dict> {
  const url = `https://launchpad.net/api/1.0/~${owner}/+archive/${name}`
  const answer = await ctx.call('http.query', [url], { decode: false, text: true })
  if (truthy(answer.get('error') ?? null)) {
    throw failure(`Launchpad does not know about ${owner}/${name}: ${str(answer.get('error')!)}`)
  }
  return loadJson(str(answer.get('text') ?? '{}')) as Dict
}

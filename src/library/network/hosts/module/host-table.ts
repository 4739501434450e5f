// The entries of the hosts file by address, and its comment lines under generated keys. The file is read once; every
// change discards the cached entries.
import { type Dict, decodeBytes, splitWords, str, strip, textOf, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'

const TABLE = 'hosts._list_hosts'

async function hostsFile(ctx: FunctionContext): Promise<string> {
  const path = await ctx.call('config.option', ['hosts.file'])
  return truthy(path) ? str(path) : '/etc/hosts'
}

/** Return the path of the hosts file. Create the file if it does not exist. */
export async function existingHostsFile(ctx: FunctionContext): Promise<string> {
  const path = await hostsFile(ctx)
  if ((await ctx.host.stat(path)) === undefined) await ctx.host.write(path, '')
  return path
}

export async function isPlainFile(ctx: FunctionContext, path: string): Promise<boolean> {
  return (await ctx.host.stat(path))?.type === 'file'
}

export const forgetHosts = (ctx: FunctionContext): boolean => ctx.memory.delete(TABLE)

export async function hostTable(ctx: FunctionContext): Promise<Dict> {
  const known = ctx.memory.get(TABLE)
  if (known instanceof Map) return known
  let text: string
  try {
    text = decodeBytes(await ctx.host.read(await hostsFile(ctx)))
  } catch (error) {
    if (isHostError(error, 'ENOENT')) return new Map()
    throw error
  }
  const table = parseHosts(text)
  ctx.memory.set(TABLE, table)
  return table
}

function parseHosts(text: string): Dict {
  const table: Dict = new Map()
  let comments = 0
  for (const raw of text.split('\n')) {
    const line = strip(raw)
    if (line === '') continue
    if (line.startsWith('#')) {
      table.set(`comment-${comments++}`, [line])
      continue
    }
    const hash = line.indexOf('#')
    const [ip, ...names] = splitWords(hash < 0 ? line : line.slice(0, hash))
    if (ip === undefined) continue
    const comment = hash < 0 ? '' : line.slice(hash + 1).trimStart()
    const entry = entryOf(table, ip)
    aliasesOf(entry).push(...names)
    if (comment !== '') entry.set('comment', comment)
  }
  return table
}

function entryOf(table: Dict, ip: string): Dict {
  const known = table.get(ip)
  if (known instanceof Map) return known
  const entry: Dict = new Map<Value, Value>([['aliases', []]])
  table.set(ip, entry)
  return entry
}

export function aliasesOf(entry: Value | undefined): Value[] {
  const aliases = entry instanceof Map ? entry.get('aliases') : undefined
  return Array.isArray(aliases) ? aliases : []
}

export function addAlias(table: Dict, ip: string, alias: Value): void {
  const held = table.get(ip)
  // as in Salt: if the address is the key of a comment line, the alias goes in front of the comment
  if (Array.isArray(held) && textOf(held[0] ?? null)?.startsWith('#')) held.unshift(alias)
  else aliasesOf(entryOf(table, ip)).push(alias)
}

export async function writeHosts(ctx: FunctionContext, table: Dict): Promise<void> {
  const lines: string[] = []
  for (const [ip, entry] of table) {
    const line = entryText(str(ip), entry)
    if (strip(line) !== '') lines.push(`${strip(line)}\n`)
  }
  await ctx.host.write(await existingHostsFile(ctx), lines.join(''))
}

function entryText(ip: string, entry: Value): string {
  if (ip.startsWith('comment')) return Array.isArray(entry) ? entry.map((part) => str(part)).join('') : ''
  const names = aliasesOf(entry).map((name) => str(name))
  const comment = entry instanceof Map ? entry.get('comment') : undefined
  const line = `${ip}\t\t${names.join(' ')}`
  return comment === undefined ? line : `${line}\t\t# ${str(comment)}`
}

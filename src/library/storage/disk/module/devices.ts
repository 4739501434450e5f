// Parameters of block devices and file systems on them: blockdev, mkfs, wipefs, smartctl and hdparm.
import { lookup } from '../../../../base/mod.ts'
import {
  type Dict,
  failure,
  isList,
  misuse,
  SaltError,
  splitLines,
  splitWords,
  str,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, type Result, retcodeOf, runAll } from '../../../../sdk/mod.ts'

/** Tunable parameters: the options of blockdev that set and get them. */
const TUNABLE: Readonly<Record<string, readonly [set: string, get: string]>> = lookup({
  'read-ahead': ['setra', 'getra'],
  'filesystem-read-ahead': ['setfra', 'getfra'],
  'read-only': ['setro', 'getro'],
  'read-write': ['setrw', 'getro'],
})

const PROPERTIES =
  'getro getsz getss getpbsz getiomin getioopt getalignoff getmaxsect getsize getsize64 getra getfra'.split(' ')

const isSwitch = (name: string): boolean => name === 'read-only' || name === 'read-write'

/** Return the parameters, all or the wanted ones; false if blockdev fails. */
export async function dump(
  ctx: FunctionContext,
  device: string,
  wanted: readonly string[] = [],
): Promise<Dict | false> {
  const { retcode, stdout } = await runAll(ctx, `blockdev ${PROPERTIES.map((name) => `--${name}`).join(' ')} ${device}`)
  if (retcode !== 0) return false
  const lines = splitLines(stdout).filter((line) => line !== '')
  const all = new Map(lines.map((line, at) => [PROPERTIES[at]!, line]))
  return wanted.length > 0 ? new Map(wanted.map((name) => [name, all.get(name) ?? ''])) : (all as Dict)
}

export async function tune(
  ctx: FunctionContext,
  device: string,
  given: ReadonlyMap<string, Value>,
): Promise<Dict | false> {
  const wrong: string[] = []
  const [words, properties]: [string[], string[]] = [[], []]
  for (const [name, value] of given) {
    const known = TUNABLE[name]
    if (known === undefined && name.startsWith('__')) continue
    if (known === undefined || (isSwitch(name) && value !== true && value !== 'True')) {
      wrong.push(`${name}=${str(value)}`)
      continue
    }
    words.push(isSwitch(name) ? `--${known[0]}` : `--${known[0]} ${str(value)}`)
    properties.push(known[1])
  }
  if (wrong.length > 0) throw misuse(`Invalid keyword arguments: ${wrong.join(', ')}`)
  const { retcode, stderr } = await runAll(ctx, `blockdev ${words.map((word) => `${word} `).join('')}${device}`)
  if (retcode !== 0) throw failure(stderr)
  return dump(ctx, device, properties)
}

export async function wipe(ctx: FunctionContext, device: string): Promise<boolean> {
  const { retcode, stderr } = await runAll(ctx, `wipefs -a ${device}`)
  if (retcode !== 0) ctx.log('error', `Error wiping device ${device}: ${stderr}`)
  return retcode === 0
}

export interface Format {
  device: string
  fs_type: string
  inode_size: string | null
  lazy_itable_init: string | null
  fat: Value
  force: boolean
}

export async function format(ctx: FunctionContext, request: Format): Promise<boolean> {
  const { device, fs_type, inode_size, lazy_itable_init, fat, force } = request
  const isExt = fs_type.startsWith('ext')
  const words = ['mkfs', '-t', fs_type]
  if (inode_size !== null && isExt) words.push('-i', inode_size)
  if (inode_size !== null && fs_type === 'xfs') words.push('-i', `size=${inode_size}`)
  if (lazy_itable_init !== null && isExt) words.push('-E', `lazy_itable_init=${lazy_itable_init}`)
  if ((fat === 12 || fat === 16 || fat === 32) && fs_type.endsWith('fat')) words.push('-F', `${fat}`)
  if (force && isExt) words.push('-F')
  if (force && fs_type === 'xfs') words.push('-f')
  const options = { ignore_retcode: true }
  const made = await retcodeOf(ctx, [...words, device], options)
  const synced = await retcodeOf(ctx, 'sync', options)
  return made === 0 && synced === 0
}

/** Return a whole number, a list of whole numbers separated by spaces, or the text. */
function numeric(text: string): Value {
  const parts = text.split(' ')
  if (!parts.every((part) => /^[+-]?\d+$/.test(part))) return text
  return parts.length === 1 ? Number(text) : parts.map(Number)
}

export async function smartAttributes(
  ctx: FunctionContext,
  dev: string,
  attributes: Value,
  values: string[] | null,
): Promise<Dict> {
  const device = dev.startsWith('/dev/') ? dev : `/dev/${dev}`
  const { retcode, stdout, stderr } = await runAll(ctx, `smartctl --attributes ${device}`, { output_loglevel: 'quiet' })
  if (retcode !== 0) throw failure(stderr)
  const lines = splitLines(stdout)
  const head = lines.findIndex((line) => line.startsWith('ID#'))
  const found: Dict = new Map()
  if (head < 0) return found
  const fields = splitWords(lines[head]!)
    .slice(1)
    .map((field) => field.toLowerCase())
  for (const line of lines.slice(head + 1)) {
    if (!/^\s*\d/.test(line)) break
    const words = splitWords(line)
    const columns = [...words.slice(0, fields.length), words.slice(fields.length).join(' ')]
    const id = Number(columns[0])
    if (isList(attributes) && !attributes.includes(id)) continue
    const facts = fields.map((field, at): [string, Value] => [field, numeric(columns[at + 1] ?? '')])
    found.set(id, new Map(facts.filter(([field]) => values === null || values.includes(field))))
  }
  return found
}

/** Parse a value of hdparm: `256 (on)`, `1/2, a=b` or a word. */
function hdparmValue(text: string): Value | undefined {
  const [, number, note = ''] = /^([0-9]+) \((.*)\)/.exec(text) ?? []
  if (number !== undefined) return [Number(number), splitWords(note)[0] ?? '']
  const parts: Value[] = []
  const pairs: Dict = new Map()
  for (const part of text.split(/[/,]/).map((piece) => piece.trim())) {
    if (/^[+-]?\d+$/.test(part)) parts.push(Number(part))
    else if (part.includes('=')) {
      const [key = '', ...rest] = part.split('=')
      if (rest.join('=').trim() !== '') pairs.set(key.trim(), rest.join('=').trim())
    } else if (part !== '') parts.push(part)
  }
  if (pairs.size > 0) parts.push(pairs)
  return parts.length === 1 ? parts[0] : parts.length === 0 ? undefined : parts
}

export async function hdparms(ctx: FunctionContext, disks: string[], args: string | Value[]): Promise<Dict> {
  if ((await ctx.host.which('hdparm')) === undefined) {
    throw new SaltError('SaltException', "The 'hdparm' binary was not found in $PATH.")
  }
  const flags = typeof args === 'string' ? args : args.map(str).join('')
  const found: Dict = new Map()
  for (const disk of disks) {
    const device = disk.startsWith('/dev') ? disk : `/dev/${disk}`
    const { retcode, stdout, stderr } = await runAll(ctx, `hdparm -${flags} ${device}`)
    if (retcode !== 0) ctx.log('warning', `hdparm -${flags} ${device}: ${stderr}`)
    const facts: Dict = new Map()
    for (const line of splitLines(stdout).map((text) => text.trim())) {
      const at = line.includes(':') ? line.indexOf(':') : line.indexOf('=')
      if (at < 0 || line === `${device}:`) continue
      const key = line.slice(0, at).replace(/ is$/, '').trim().toLowerCase().replaceAll(' ', '_')
      const value = hdparmValue(line.slice(at + 1).trim())
      if (value !== undefined) facts.set(key, value)
    }
    found.set(device, facts)
  }
  return found
}

/** Return the sectors of disks and their hidden sectors; with a size, hide that many. */
export async function protectedAreas(ctx: FunctionContext, disks: string[], size: string | null): Promise<Result> {
  const found = new Map<string, Record<string, number>>()
  for (const [disk, facts] of await hdparms(ctx, disks, 'N')) {
    const [visible, total, status] = ([...(facts as Dict).values()][0] ?? []) as [number, number, string]
    const whole = visible === total || str(status ?? '').includes('disabled')
    found.set(str(disk), whole ? { total } : { total, visible, hidden: total - visible })
  }
  if (size === null) return Object.fromEntries(found)
  for (const [disk, { total = 0 }] of found) {
    const rest = size.includes('%') ? ((100 - Number(size.replaceAll('%', ''))) * total) / 100 : total - Number(size)
    const command = `hdparm --yes-i-know-what-i-am-doing -Np${rest <= 0 ? total : rest} ${disk}`
    const { retcode, stderr } = await runAll(ctx, command)
    if (retcode !== 0) throw failure(`${command}: ${stderr}`)
  }
  return null
}

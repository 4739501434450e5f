// Active mounts: from the tables of the kernel on Linux, from `mount` elsewhere.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, failure, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, runAll } from '../../../../sdk/mod.ts'

const grain = (ctx: FunctionContext, name: string): string => str(ctx.grains.get(name) ?? '')

async function output(ctx: FunctionContext, command: string): Promise<string[]> {
  return (await runAll(ctx, command)).stdout.split('\n')
}

/** Return options with escaped spaces, and numbers for users and groups. */
async function resolved(ctx: FunctionContext, options: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const option of options) {
    const [key = '', id = ''] = option.split('=')
    let text = option
    if ((key === 'uid' || key === 'gid') && option.includes('=')) {
      text = `${key}=${/^[0-9]+$/.test(id) ? id : await idOf(ctx, key, id)}`
    }
    found.push(text.replaceAll('\\040', '\\ '))
  }
  return found
}

async function idOf(ctx: FunctionContext, key: 'uid' | 'gid', name: string): Promise<string> {
  const info = await ctx.call(key === 'uid' ? 'user.info' : 'group.info', [name])
  return str((info instanceof Map ? info.get(key) : undefined) ?? name)
}

/** Return devices by mount point, as `mount` names them. */
async function listed(ctx: FunctionContext): Promise<Map<string, string>> {
  const rows = (await output(ctx, 'mount -l')).map((line) => splitWords(line)).filter((words) => words.length >= 3)
  return new Map(rows.map((words) => [words[2]!, words[0]!]))
}

async function kernelTable(ctx: FunctionContext, path: string): Promise<string[][]> {
  if (!(await ctx.host.access(path, 'read'))) throw failure(`File not readable ${path}`)
  return splitLines(Buffer.from(await ctx.host.read(path)).toString()).map(splitWords)
}

async function fromMounts(ctx: FunctionContext): Promise<Dict> {
  const names = await listed(ctx)
  const found: Dict = new Map()
  for (const [device = '', point = '', fstype = '', options = ''] of await kernelTable(ctx, '/proc/self/mounts')) {
    const opts = await resolved(ctx, options.split(','))
    found.set(point, dictFrom({ device, alt_device: names.get(point) ?? null, fstype, opts }))
  }
  return found
}

async function fromMountInfo(ctx: FunctionContext): Promise<Dict> {
  const names = await listed(ctx)
  const rows = await kernelTable(ctx, '/proc/self/mountinfo')
  if (!ctx.memory.has('disk.blkid')) ctx.memory.set('disk.blkid', await ctx.call('disk.blkid'))
  const blocks = ctx.memory.get('disk.blkid') as Dict
  const found: Dict = new Map()
  for (const words of rows) {
    const [mountid = '', parentid = '', numbers = '', root = '', point = '', options = ''] = words
    const [fstype = '', device = '', superOptions = ''] = words.slice(words.indexOf('-') + 1)
    const [major = '', minor = ''] = numbers.split(':')
    const block = blocks.get(device) as Dict | undefined
    const uuid = block?.get('UUID')
    const facts = {
      mountid,
      parentid,
      major,
      minor,
      root,
      opts: await resolved(ctx, options.split(',')),
      fstype,
      device: device.replaceAll('\\040', '\\ '),
      alt_device: names.get(point) ?? null,
      superopts: await resolved(ctx, superOptions.split(',')),
      device_uuid: uuid === undefined ? null : str(uuid).toLowerCase(),
      device_label: block?.get('LABEL') ?? null,
    }
    found.set(point, dictFrom(facts))
  }
  return found
}

const parenthesised = (line: string): string[] => [...line.matchAll(/\((.*?)\)/gs)].map((match) => match[1]!)

interface Row {
  point: string
  facts: Record<string, Value>
  options: string[]
}

/** The commands of other systems and the parsers of their columns. */
const COMMANDS: Readonly<Record<string, { command: string; read: (words: string[], line: string) => Row }>> = lookup({
  FreeBSD: {
    command: 'mount -p',
    read: ([device = '', point = '', fstype = '', options = '']) => ({
      point,
      facts: { device, fstype },
      options: options.split(','),
    }),
  },
  SunOS: {
    command: 'mount -v',
    read: ([device = '', , point = '', , fstype = '', options = '']) => ({
      point,
      facts: { device, fstype },
      options: options.split('/'),
    }),
  },
  OpenBSD: {
    command: 'mount -v',
    read: (words, line) => {
      const inside = parenthesised(line)
      const hasId = inside.length > 1
      const [device = '', point = '', fstype = ''] = [words[0], words[hasId ? 3 : 2], words[hasId ? 5 : 4]]
      const facts = hasId ? { device, fstype, device_uuid: inside[0]! } : { device, fstype }
      return { point, facts, options: (inside[hasId ? 1 : 0] ?? '').split(', ') }
    },
  },
  MacOS: {
    command: 'mount',
    read: ([device = '', , point = ''], line) => {
      const [fstype = '', ...options] = (parenthesised(line)[0] ?? '').split(', ')
      return { point, facts: { device, fstype }, options }
    },
  },
})

/** Return the active mounts by mount point; `extended` adds data that only Linux has. */
export async function activeMounts(ctx: FunctionContext, extended: boolean): Promise<Dict> {
  const os = grain(ctx, 'os') === 'Darwin' ? 'MacOS' : grain(ctx, 'os')
  const foreign = COMMANDS[os] ?? COMMANDS[grain(ctx, 'kernel')]
  if (foreign === undefined) {
    return extended && (await ctx.host.access('/proc/self/mountinfo', 'read')) ? fromMountInfo(ctx) : fromMounts(ctx)
  }
  const found: Dict = new Map()
  for (const line of await output(ctx, foreign.command)) {
    if (line.trim() === '') continue
    const { point, facts, options } = foreign.read(splitWords(line), line)
    found.set(point, dictFrom({ ...facts, opts: await resolved(ctx, options) }))
  }
  return found
}

// /etc/filesystems of AIX: a block for each mount point, with settings as `name = value`. Other systems have no such
// table.
import { type Dict, failure, isList, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, textAt } from '../../../../sdk/mod.ts'

type Block = Map<string, string>

const isAix = (ctx: FunctionContext): boolean => str(ctx.grains.get('kernel') ?? '').includes('AIX')

const KEYS = new Set(
  'dev name fstype vfstype opts mount type vfs account boot check free nodename quota size vol log'.split(' '),
)

/** File systems that are identified by their mount point. */
const SPECIAL = new Set(
  (
    'none tmpfs sysfs proc fusectl debugfs securityfs devtmpfs cgroup btrfs cdrfs procfs jfs jfs2 nfs sfs nfs3 cachefs ' +
    'udfs cifs namefs pmemfs ahafs nfs4 autofs stnfs'
  ).split(' '),
)

async function blocksIn(ctx: FunctionContext, config: string): Promise<Block[]> {
  const blocks: Block[] = []
  for (const text of ((await textAt(ctx.host, config)) ?? '').split(/\n\s*\n/)) {
    const lines = text.split('\n')
    const start = lines.findIndex((line) => line.startsWith('/'))
    if (start < 0) continue
    const settings = lines.slice(start + 1).flatMap((line): [string, string][] => {
      const [key = '', value] = line.split('= ')
      return value === undefined ? [] : [[key.trim(), value.trim()]]
    })
    blocks.push(new Map([['name', lines[start]!.split(':')[0]!.trim()], ...settings]))
  }
  return blocks
}

const blockText = (block: Block): string => {
  const settings = [...block].filter(([key]) => !key.includes('name')).map(([key, value]) => `\t${key}\t\t= ${value}\n`)
  return `${block.get('name')}:\n${settings.join('')}\n`
}

const sortedOptions = (text: string): string => text.split(',').sort().join(',')

const agrees = (found: Block, wanted: Block): boolean =>
  [...wanted].every(([key, value]) => {
    const known = found.get(key)
    return key === 'opts' ? known !== undefined && sortedOptions(known) === sortedOptions(value) : known === value
  })

/** Return the first block, as Salt does. */
export async function firstFileSystem(ctx: FunctionContext, config: string): Promise<Dict> {
  const [first] = isAix(ctx) ? await blocksIn(ctx, config) : []
  if (!first) return new Map()
  const settings = [...first]
    .filter(([key]) => key !== 'name')
    .map(([key, value]): [Value, Value] => [key, key === 'opts' ? value.split(',') : value])
  return new Map([[first.get('name')!, new Map(settings)]])
}

export interface FileSystemEntry {
  name: string
  device: string
  vfstype: string
  opts: Value
  mount: string
  config: string
  match_on: Value
  not_change: boolean
  kwargs: ReadonlyMap<string, Value>
}

export async function setFileSystem(
  ctx: FunctionContext,
  request: FileSystemEntry,
  dry: boolean,
): Promise<string | null> {
  if (!isAix(ctx)) return null
  const { name, device, vfstype, mount, config, match_on, not_change, kwargs } = request
  const opts = isList(request.opts) ? request.opts.map(str).join(',') : str(request.opts)
  const entry: Block = new Map([
    ['name', name],
    ['dev', device.replaceAll('\\ ', '\\040')],
    ['vfstype', vfstype],
    ['opts', opts],
    ['mount', mount],
  ])
  for (const [key, value] of kwargs) if (KEYS.has(key)) entry.set(key, str(value))
  const auto = SPECIAL.has(vfstype) ? 'name' : 'dev'
  const keys = isList(match_on) ? match_on.map(str) : [match_on === 'auto' ? auto : str(match_on)]
  const unknown = keys.filter((key) => !entry.has(key))
  if (unknown.length > 0) {
    throw failure(`Unrecognized keys in match_on: "${unknown.join(', ')}"`)
  }
  if ((await ctx.host.stat(config))?.type !== 'file') {
    throw failure(`Bad config file "${config}"`)
  }
  const criteria: Block = new Map(keys.map((key) => [key, entry.get(key)!]))
  let outcome = 'new'
  const blocks = (await blocksIn(ctx, config)).map((block) => {
    if (!agrees(block, criteria)) return block
    const settled = agrees(block, entry) || not_change
    outcome = settled ? 'present' : 'change'
    return settled ? block : entry
  })
  if (outcome === 'new') blocks.push(entry)
  if (outcome !== 'present' && !dry) await ctx.host.write(config, blocks.map(blockText).join(''))
  return outcome
}

export async function removeFileSystem(
  ctx: FunctionContext,
  name: string,
  device: Value,
  config: string,
): Promise<boolean> {
  if (!isAix(ctx)) return false
  const wanted: Block = new Map([['name', name]])
  if (device !== null) wanted.set('dev', str(device))
  const blocks = await blocksIn(ctx, config)
  const kept = blocks.filter((block) => !agrees(block, wanted))
  if (kept.length === blocks.length) return false
  await ctx.host.write(config, kept.map(blockText).join(''))
  return true
}

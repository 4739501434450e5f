// The packages in dpkg's database: installed packages with their versions, removed ones with remaining configuration,
// and those that could not be purged. The result is cached until something is installed or removed.
import { type Dict, isDict, splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, runAll } from '../../../../sdk/mod.ts'

const KEY = 'pkg.list_pkgs'
const FORMAT = `${['Status', 'Package', 'Version', 'Architecture'].map((field) => `\${${field}}`).join(' ')}\n`

type Kind = 'installed' | 'removed' | 'purge_desired'

export interface ListOptions {
  removed?: boolean
  purgeDesired?: boolean
  /** False reads the list again. */
  cached?: boolean
}

export const forgetPackages = (ctx: FunctionContext): boolean => ctx.memory.delete(KEY)

/** The name that a package goes by here: with its architecture when that is a foreign one. */
function ownName(ctx: FunctionContext, name: string, arch: string): string {
  const osarch = str(ctx.grains.get('osarch') ?? '')
  const foreign = ctx.grains.get('cpuarch') === 'x86_64' && arch !== 'all' && osarch === 'amd64' && osarch !== arch
  return foreign ? `${name}:${arch}` : name
}

function kindOf(selection: string, status: string): Kind | undefined {
  if ((selection.includes('install') || selection.includes('hold')) && status.includes('installed')) return 'installed'
  if (selection.includes('deinstall')) return 'removed'
  return selection.includes('purge') && status === 'installed' ? 'purge_desired' : undefined
}

async function query(ctx: FunctionContext): Promise<Dict> {
  const lists: Record<Kind, Map<string, string[]>> = {
    installed: new Map(),
    removed: new Map(),
    purge_desired: new Map(),
  }
  const { stdout } = await runAll(ctx, ['dpkg-query', '--showformat', FORMAT, '-W'], { output_loglevel: 'trace' })
  for (const line of splitLines(stdout)) {
    const [selection, , status, name, version, arch] = splitWords(line)
    if (arch === undefined) continue
    const kind = kindOf(selection!, status!)
    if (kind === undefined) continue
    const known = ownName(ctx, name!, arch)
    lists[kind].set(known, [...(lists[kind].get(known) ?? []), version!])
  }
  const sortedList = (list: Map<string, string[]>): Dict =>
    new Map([...list].map(([name, versions]) => [name, [...new Set(versions)].sort()]))
  return new Map(Object.entries(lists).map(([kind, list]) => [kind, sortedList(list)]))
}

/** Versions by name. */
export async function listPackages(ctx: FunctionContext, options: ListOptions = {}): Promise<Map<string, string[]>> {
  const { removed = false, purgeDesired = false, cached = true } = options
  const known = ctx.memory.get(KEY)
  const lists = cached && isDict(known ?? null) ? (known as Dict) : await query(ctx)
  ctx.memory.set(KEY, lists)
  const list = (kind: Kind): [string, string[]][] => [...(lists.get(kind) as Map<string, string[]>)]
  if (removed) return new Map(list('removed'))
  return new Map([...list('purge_desired'), ...(purgeDesired ? [] : list('installed'))])
}

/** The same with versions as text. */
export async function listVersions(ctx: FunctionContext, options: ListOptions = {}): Promise<Dict> {
  return joinVersions(await listPackages(ctx, options))
}

export const joinVersions = (packages: ReadonlyMap<string, readonly string[]>): Dict =>
  new Map<Value, Value>([...packages].map(([name, versions]) => [name, versions.join(',')]))

// Held packages, through the plugin versionlock.
import { type Dict, fnmatch, isDict, misuse, numberOf, str, truthy, type Value } from '../../../../data/mod.ts'
import { deserialize, type FunctionContext, outputOf, textAt } from '../../../../sdk/mod.ts'
import { type HoldCall, holdTargets, isDryRun, judged } from '../../common/holds.ts'
import { listInstalled } from './listing.ts'
import { callYum, isDnf, type Program, programOf } from './program.ts'

const LOCK_FILE = '/etc/dnf/versionlock.toml'
export const HOLD_PATTERN = '[\\w+]+(?:[.-][^-]+)*'

function pluginFor(ctx: FunctionContext, program: Program): string {
  const grain = (name: string): number => Number(numberOf(ctx.grains.get(name) ?? 0) ?? str(ctx.grains.get(name)!))
  if (program === 'tdnf') throw misuse('Cannot proceed, no versionlock for tdnf')
  if (program === 'yum') return 'yum-plugin-versionlock'
  if (str(ctx.grains.get('os') ?? '').toLowerCase() === 'fedora') {
    return grain('osrelease') >= 26 ? 'python3-dnf-plugin-versionlock' : 'python3-dnf-plugins-extras-versionlock'
  }
  return grain('osmajorrelease') >= 8 ? 'python3-dnf-plugin-versionlock' : 'python2-dnf-plugin-versionlock'
}

async function requirePlugin(ctx: FunctionContext, program: Program): Promise<void> {
  const plugin = pluginFor(ctx, program)
  if (!(await listInstalled(ctx)).has(plugin)) throw misuse(`Cannot proceed, ${plugin} is not installed.`)
}

/** A lock in a line; `full` with its version, else the name alone. */
function holdIn(line: string, program: Program, pattern: string, full: boolean): string | undefined {
  const epoch = isDnf(program) ? '' : '\\d+:'
  const expression = full ? `(${epoch}${pattern}-\\S+)` : `${epoch}(${pattern}-\\S+)`
  const match = new RegExp(expression).exec(line)?.[1]
  if (match === undefined || full) return match
  const cut = (text: string, mark: string): string => {
    const at = text.lastIndexOf(mark)
    return at < 0 ? text : text.slice(0, at)
  }
  return cut(cut(cut(match, '.'), '-'), '-')
}

export async function listHolds(ctx: FunctionContext, pattern = HOLD_PATTERN, full = true): Promise<string[]> {
  const program = await programOf(ctx)
  await requirePlugin(ctx, program)
  if (program === 'dnf5') return lockFile(ctx, full)
  const output = await outputOf(ctx, [program, 'versionlock', 'list'])
  return output
    .split('\n')
    .map((line) => holdIn(line, program, pattern, full))
    .filter((hold) => hold !== undefined)
}

const dicts = (value: Value | undefined): Dict[] =>
  (Array.isArray(value) ? (value as Value[]) : []).filter((one) => isDict(one))

async function lockFile(ctx: FunctionContext, full: boolean): Promise<string[]> {
  const text = await textAt(ctx.host, LOCK_FILE)
  if (text === undefined) return []
  const data = await deserialize('toml', text)
  const holds: string[] = []
  for (const entry of dicts(isDict(data) ? data.get('packages') : undefined)) {
    const name = entry.get('name')
    if (!truthy(name ?? null)) continue
    if (!full) {
      holds.push(str(name!))
      continue
    }
    const condition = dicts(entry.get('conditions')).find(
      (one) => one.get('key') === 'evr' && one.get('comparator') === '=',
    )
    const evr = condition === undefined ? undefined : str(condition.get('value') ?? '')
    if (evr !== undefined) holds.push(`${str(name!)}-${evr.includes(':') ? evr : `0:${evr}`}.*`)
  }
  return full ? holds : [...new Set(holds)]
}

export async function hold(ctx: FunctionContext, call: HoldCall): Promise<Dict> {
  await requirePlugin(ctx, await programOf(ctx))
  const names = holdTargets(call)
  const held = await listHolds(ctx, HOLD_PATTERN, false)
  return judged(names, async (name) => {
    if (held.includes(name)) return [true, `Package ${name} is already set to be held.`]
    if (isDryRun(ctx)) return [null, `Package ${name} is set to be held.`]
    const { retcode } = await callYum(ctx, ['versionlock', 'add', name])
    if (retcode !== 0) return [false, `Package ${name} was unable to be held.`]
    return [true, `Package ${name} is now being held.`, ['hold', '']]
  })
}

export async function unhold(ctx: FunctionContext, call: HoldCall): Promise<Dict> {
  const program = await programOf(ctx)
  await requirePlugin(ctx, program)
  const names = holdTargets(call)
  const held = await listHolds(ctx, HOLD_PATTERN, program === 'yum')
  const locksOf = (name: string): string[] =>
    isDnf(program)
      ? held.filter((lock) => lock === name)
      : held.filter((lock) => fnmatch(lock, `*${name}*`) && holdIn(lock, program, HOLD_PATTERN, false) === name)
  return judged(names, async (name) => {
    const locks = locksOf(name)
    if (locks.length === 0) return [true, `Package ${name} is not being held.`]
    if (isDryRun(ctx)) return [null, `Package ${name} is set to be unheld.`]
    const { retcode } = await callYum(ctx, ['versionlock', 'delete', ...locks])
    if (retcode !== 0) return [false, `Package ${name} was unable to be unheld.`]
    return [true, `Package ${name} is no longer held.`, ['', 'hold']]
  })
}

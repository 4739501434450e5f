// Locks of zypper: the held packages and their versions.
import { isA, recover } from '../../../../base/mod.ts'
import { type Dict, failure, isDict, iterate, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, textAt } from '../../../../sdk/mod.ts'
import { judged, type Verdict } from '../../common/holds.ts'
import type { TargetCall } from '../../common/installed.ts'
import { search } from './listing.ts'
import { textOfElement, zypper, zypperElements } from './program.ts'

const LOCKS = '/etc/zypp/locks'
const fileOf = (root: Value): string => (truthy(root) ? `${str(root).replace(/\/$/, '')}${LOCKS}` : LOCKS)

/** Return the locks by package name. */
export async function listLocks(ctx: FunctionContext, root: Value): Promise<Dict> {
  const found: Dict = new Map()
  for (const part of ((await textAt(ctx.host, fileOf(root))) ?? '').split('\n\n')) {
    const lock: Dict = new Map()
    for (const line of part.split('\n').filter((one) => one.includes(':'))) {
      lock.set(line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim())
    }
    const name = lock.get('solvable_name')
    lock.delete('solvable_name')
    if (name !== undefined && name !== '') found.set(name, lock)
  }
  return found
}

/** Remove locks that match no package. */
export async function cleanLocks(ctx: FunctionContext, root: Value): Promise<Dict> {
  if ((await ctx.host.stat(fileOf(root))) === undefined) return new Map([['removed', 0]])
  const messages = await zypperElements(ctx, 'message', ['cl'], { root })
  const text = messages.map((message) => textOfElement(message).toLowerCase()).find((one) => one.startsWith('removed'))
  return new Map<Value, Value>([['removed', text?.split(' ')[1] ?? 0]])
}

/** Return the installed packages that are locked, with or without their versions. */
export async function listHolds(ctx: FunctionContext, pattern: Value, full: boolean, root: Value): Promise<string[]> {
  const editions = new Map<string, Value[]>()
  for (const [name, lock] of await listLocks(ctx, root)) {
    if (((lock as Dict).get('type') ?? 'package') !== 'package') continue
    for (const found of await lockedPackages(ctx, str(name), root)) {
      if (editions.has(found)) continue
      const facts = await ctx.call('pkg.info_installed', [found], {
        root,
        attr: 'edition,epoch',
        all_versions: true,
      })
      for (const [one, list] of facts) editions.set(str(one), list as Value[])
    }
  }
  const wanted = truthy(pattern) ? new RegExp(`^${str(pattern)}-\\S+`) : undefined
  const holds: string[] = []
  for (const [name, list] of editions) {
    for (const facts of list as Dict[]) {
      const text = full ? `${name}-${str(facts.get('epoch') ?? 0)}:${str(facts.get('edition') ?? null)}.*` : name
      if (!holds.includes(text) && (wanted?.test(text) ?? true)) holds.push(text)
    }
  }
  return holds
}

async function lockedPackages(ctx: FunctionContext, name: string, root: Value): Promise<string[]> {
  const exact: [string, Value][] = name.includes('*') ? [] : [['match', 'exact']]
  const options = new Map<string, Value>([
    ...exact,
    ['root', root],
    ['case_sensitive', true],
    ['installed_only', true],
    ['details', true],
  ])
  return recover(isA(SaltError), [], async () => [...(await search(ctx, name, options)).keys()].map((one) => str(one)))
}

interface HoldRequest extends TargetCall {
  root: string | null
}

/** Return the given names with their versions. */
function targets({ name = null, pkgs = null }: TargetCall): Map<string, string | undefined> {
  if (!truthy(name) && !truthy(pkgs)) throw failure('Name or packages must be specified.')
  return new Map(
    Array.from(iterate(truthy(pkgs) ? pkgs : [name]), (item) => {
      if (!isDict(item)) return [str(item), undefined]
      const [key, version] = [...item][0]!
      return [str(key), truthy(version) ? str(version) : undefined]
    }),
  )
}

export async function hold(ctx: FunctionContext, { root, ...call }: HoldRequest): Promise<Dict> {
  const wanted = targets(call)
  const locks = await listLocks(ctx, root)
  const added: string[] = []
  const report = await judged([...wanted.keys()], async (name): Promise<Verdict> => {
    if (locks.has(name)) return [true, `Package ${name} is already set to be held.`]
    const version = wanted.get(name)
    added.push(version === undefined ? name : `${name}=${version}`)
    return [true, `Package ${name} is now being held.`, ['hold', '']]
  })
  if (added.length > 0) await zypper(ctx, ['al', ...added], { root })
  return report
}

export async function unhold(ctx: FunctionContext, { root, ...call }: HoldRequest): Promise<Dict> {
  const wanted = targets(call)
  const locks = await listLocks(ctx, root)
  const removed: string[] = []
  const report = await judged([...wanted.keys()], async (name): Promise<Verdict> => {
    const lock = locks.get(name) as Dict | undefined
    if (lock === undefined) return [true, `Package ${name} was already unheld.`]
    const held = lock.has('version') ? str(lock.get('version')!).replace(/^[= ]+/, '') : undefined
    const version = wanted.get(name)
    if (version !== undefined && held !== version) {
      return [false, `Unable to unhold package ${name} as it is held with the other version.`]
    }
    removed.push(held ? `${name}=${held}` : name)
    return [true, `Package ${name} is no longer held.`, ['', 'hold']]
  })
  if (removed.length > 0) await zypper(ctx, ['rl', ...removed], { root })
  return report
}

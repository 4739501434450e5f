// Holding packages as part of an installation, and as separate states.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { isFailure, type Options, type Report, report } from './provider.ts'

export interface HoldReports {
  modified: Dict[]
  unchanged: Dict[]
  failed: Dict[]
}

/** Apply the option `hold` of a state; return a text after a failure. */
export async function applyHold(
  ctx: StateContext,
  hold: Value,
  packages: Options,
): Promise<HoldReports | { failure: string }> {
  const reports = await ctx.call(truthy(hold) ? 'pkg.hold' : 'pkg.unhold', [], packages)
  if (reports.has('result') && !truthy(reports.get('result')!)) {
    const comment = str(reports.get('comment') ?? '')
    return { failure: `An error was encountered while holding/unholding package(s): ${comment}` }
  }
  const all = [...reports.values()].filter(isDict)
  const changed = (one: Dict): boolean => truthy(one.get('changes') ?? null)
  const good = (one: Dict): boolean => truthy(one.get('result') ?? null)
  return {
    modified: all.filter(changed),
    unchanged: all.filter((one) => !changed(one) && good(one)),
    failed: all.filter((one) => !good(one)),
  }
}

/** Adds holds to a report about packages that need no installation. */
export async function holdInstalled(
  ctx: StateContext,
  done: Report,
  options: Options,
  packages: Options,
): Promise<Report> {
  if (!ctx.has('pkg.hold') || !options.has('hold')) return done
  let held: HoldReports | { failure: string }
  try {
    held = await applyHold(ctx, options.get('hold')!, packages)
  } catch (error) {
    if (isFailure(error, 'CommandExecutionError', 'SaltInvocationError')) return report(done.name, false, error.message)
    throw error
  }
  if ('failure' in held) return report(done.name, false, held.failure)
  for (const one of [...held.modified, ...held.unchanged, ...held.failed]) {
    done.comment += `.\n${str(one.get('comment')!)}`
    done.result = one.get('result') as boolean | null
  }
  for (const one of held.modified) done.changes.set(one.get('name')!, one.get('changes')!)
  return done
}

/** Add the changes of holds to the changes of an installation. */
export function mergeHolds(changes: Dict, modified: readonly Dict[]): void {
  for (const one of modified) {
    const name = one.get('name')!
    const held = one.get('changes') as Dict
    const known = changes.get(name)
    if (!isDict(known ?? null)) {
      changes.set(name, new Map([['new', str(held.get('new') ?? null)]]))
      continue
    }
    for (const side of ['new', 'old']) {
      const before = str((known as Dict).get(side) ?? '')
      ;(known as Dict).set(side, `${before}${before === '' ? '' : '\n'}${str(held.get(side) ?? null)}`)
    }
  }
}

interface Locks {
  locks: Map<string, Dict>
  /** Whether a lock names a version. */
  versioned: boolean
}

const NO_LOCKS =
  'No any function to get the list of held packages available.\nCheck if the package manager supports package locking.'

/** Return the held packages from the package manager; undefined if it does not support holds. */
async function readLocks(ctx: StateContext): Promise<Locks | undefined> {
  if (ctx.has('pkg.list_locks')) {
    return { locks: (await ctx.call('pkg.list_locks')) as Map<string, Dict>, versioned: true }
  }
  if (ctx.has('pkg.list_holds')) {
    const list = await ctx.call('pkg.list_holds', [], { full: true })
    return { locks: new Map(list.map((lock) => parseHold(str(lock)))), versioned: false }
  }
  if (!ctx.has('pkg.get_selections')) return undefined
  const held = await ctx.call('pkg.get_selections', [], { state: 'hold' })
  return {
    locks: new Map(((held.get('hold') ?? []) as Value[]).map((name) => [str(name), new Map()])),
    versioned: false,
  }
}

/** `name-epoch:version.*`. */
function parseHold(lock: string): [string, Dict] {
  const [, name, epoch, version] = /^(.+)-(\d+):(.*)\.\*/.exec(lock) ?? []
  if (name === undefined) return [lock, new Map()]
  return [name, new Map([['version', `${epoch === '0' ? '' : `${epoch}:`}${version}`]])]
}

const lockVersion = (lock: Dict | undefined): string | null => {
  const version = lock?.get('version')
  return version === undefined ? null : str(version).replace(/^[= ]+/, '')
}

const isPackage = (lock: Dict): boolean => (lock.get('type') ?? 'package') === 'package'

interface Holding {
  name: Value
  version: Value
  pkgs: Value
  /** `replace` of `held`, `all` of `unheld`. */
  others: boolean
}

function entriesOf(pkgs: Value): [name: Value, version: Value, given: Value][] {
  return (isList(pkgs) ? [...(pkgs as Value[])] : []).map((one) =>
    isDict(one) ? ([...([...one][0] ?? ['', null]), one] as [Value, Value, Value]) : [one, null, one],
  )
}

const isEmptyList = (pkgs: Value): boolean => isList(pkgs) && (pkgs as Value[]).length === 0
const succeeded = (answer: Dict, name: Value): boolean =>
  truthy((answer.get(name) as Dict | undefined)?.get('result') ?? false)

export async function held(ctx: StateContext, { name, version, pkgs: given, others }: Holding): Promise<Report> {
  if (isEmptyList(given) && !others) return report(name, true, 'No packages to be held provided')
  const single = truthy(version) ? [new Map([[name, version]])] : [name]
  const pkgs = truthy(name) && given === null ? single : given
  const state = await readLocks(ctx)
  if (state === undefined) return report(name, false, NO_LOCKS)
  if (!ctx.has('pkg.hold')) return report(name, false, '`hold` function is not implemented for the package manager.')
  const { locks, versioned } = state
  const done = report(name, true, '')
  const comments: string[] = []
  const wanted = entriesOf(pkgs)
  for (const [one, wish, entry] of wanted) {
    const lock = locks.get(str(one))
    if (lock !== undefined && !(versioned && lockVersion(lock) !== wish)) continue
    if (ctx.test) {
      const what = lock === undefined ? 'package would be held' : "package's hold rule would be updated"
      comments.push(`The following ${what}: ${str(one)}${truthy(wish) ? ` (version = ${str(wish)})` : ''}`)
    } else comments.push(await holdOne(ctx, done, { one, entry, isHeld: lock !== undefined }))
  }
  const names = wanted.map(([one]) => str(one))
  for (const [one, lock] of others ? locks : []) {
    if (isPackage(lock) && !names.includes(one)) comments.push(...(await release(ctx, done, one, one)))
  }
  return concluded(done, comments)
}

interface OneHold {
  one: Value
  entry: Value
  isHeld: boolean
}

async function holdOne(ctx: StateContext, done: Report, { one, entry, isHeld }: OneHold): Promise<string> {
  const released = isHeld ? await ctx.call('pkg.unhold', [], { name: done.name, pkgs: [one] }) : undefined
  const answer = await ctx.call('pkg.hold', [], { name: done.name, pkgs: [entry] })
  for (const [key, value] of answer) done.changes.set(key, value)
  if (!succeeded(answer, one)) {
    done.result = false
    return `Package ${str(one)} was not held`
  }
  const isUpdated = released !== undefined && succeeded(released, one)
  return isUpdated ? `Package ${str(one)} was updated with hold rule` : `Package ${str(one)} is now being held`
}

/** Lifts a hold, or says that it would. */
async function release(ctx: StateContext, done: Report, name: string, shown: string): Promise<string[]> {
  if (ctx.test) return [`The following package would be unheld: ${shown}`]
  const answer = await ctx.call('pkg.unhold', [], { name: done.name, pkgs: [name] })
  if (!succeeded(answer, name)) done.result = false
  for (const [key, value] of answer) done.changes.set(key, value)
  const comment = (answer.get(name) as Dict | undefined)?.get('comment') ?? null
  return truthy(comment) ? [str(comment)] : []
}

function concluded(done: Report, comments: readonly string[]): Report {
  const comment = comments.join('\n')
  return { ...done, comment: done.changes.size === 0 && comment === '' ? 'No changes made' : comment }
}

export async function unheld(ctx: StateContext, { name, version, pkgs: given, others }: Holding): Promise<Report> {
  if (isEmptyList(given) && !others) return report(name, true, 'No packages to be unheld provided')
  const pkgs = truthy(name) && given === null ? [new Map([[name, version]])] : given
  const state = await readLocks(ctx)
  if (state === undefined) return report(name, false, NO_LOCKS)
  const wanted = new Map(entriesOf(pkgs).map(([one, wish]) => [str(one), wish]))
  const done = report(name, true, '')
  const comments: string[] = []
  for (const [one, lock] of state.locks) {
    if (!isPackage(lock)) continue
    const locked = state.versioned ? lockVersion(lock) : null
    const isWanted = wanted.has(one) && (!locked || locked === wanted.get(one))
    if (!others && !isWanted) continue
    const shown = truthy(wanted.get(one) ?? null) ? `${one} (version = ${locked === null ? 'None' : locked})` : one
    comments.push(...(await release(ctx, done, one, shown)))
  }
  return concluded(done, comments)
}

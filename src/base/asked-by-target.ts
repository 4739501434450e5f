// Work that a managed machine asked for. Modules that run on a target over SSH call functions here; that machine may be in other
// hands, so what such a call leads to must not reach beyond it. The mark follows all that the work awaits.
import type { AsyncLocalStorage } from 'node:async_hooks'

let asked: AsyncLocalStorage<boolean> | undefined

/** Do work that is marked as asked for by a target, or as not so. */
export async function askedByTarget<T>(isTarget: boolean, work: () => T | Promise<T>): Promise<T> {
  if (!asked && !isTarget) return work()
  const { AsyncLocalStorage } = await import('node:async_hooks')
  asked ??= new AsyncLocalStorage()
  return asked.run(isTarget, async () => work())
}

export const isAskedByTarget = (): boolean => asked?.getStore() === true

/** Options of the master that functions of a target have, and the target itself must not see. */
export const WITHHELD_OPTIONS: ReadonlySet<unknown> = new Set(['__master_opts__', 'ext_pillar', 'master_tops'])

// Marks work by its requester, if that party is not trusted with this machine. Functions of a target over SSH run here,
// and an attacker may control that machine, or the caller may have rights on the target only. Such a call must not
// reach beyond the target. The mark follows all asynchronous work that the call starts.
import type { AsyncLocalStorage } from 'node:async_hooks'

/**
 * `target`: a module on the target, or a caller without the rights of the master's owner. `caller`: such a caller began a run of the master's own
 * states, and gave values for it. `owner`: everything else.
 */
export type Asker = 'owner' | 'caller' | 'target'

let asked: AsyncLocalStorage<Asker> | undefined

/** Run work that is marked with its requester. */
export async function askedBy<T>(who: Asker, work: () => T | Promise<T>): Promise<T> {
  if (!asked && who === 'owner') return work()
  const { AsyncLocalStorage } = await import('node:async_hooks')
  asked ??= new AsyncLocalStorage()
  return asked.run(who, async () => work())
}

/** Return the requester of the running work. */
export const asker = (): Asker => asked?.getStore() ?? 'owner'

export const isAskedByTarget = (): boolean => asker() === 'target'

/** Options of the master that functions of a target have, and the target itself must not see. */
export const WITHHELD_OPTIONS: ReadonlySet<unknown> = new Set(['__master_opts__', 'ext_pillar', 'master_tops'])

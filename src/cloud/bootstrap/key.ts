// The key of a new minion: accepted on this master before the minion joins, and taken back if the minion does not come up.
import { BrineError } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { type MasterAccess, masterContext } from '../../runner/mod.ts'
import { cleanKey } from '../../wire/mod.ts'

/** Do something about keys of the master as salt-key does, with its events. */
const wheel = (access: MasterAccess, name: string, ...args: Dict[]): Promise<unknown> =>
  masterContext(access, { jid: '', user: '', tag: 'salt/wheel' }).wheel(`key.${name}`, args)

/** Refuse an id that another machine has. */
export function assertFree(access: MasterAccess, id: string, publicPem: string | undefined, isForced: boolean): void {
  const known = access.stores.keys.pem('minions', id)
  if (known === undefined || isForced) return
  if (publicPem !== undefined && cleanKey(known) === cleanKey(publicPem)) return
  throw new BrineError('IdTaken', `The master has accepted another key for the id ${id}`, {
    hint: `Run salt-key -d ${id}, or brine bootstrap with another --id, or with --id ${id} --force`,
  })
}

export interface Acceptance {
  isNew: boolean
  /** Restore the keys of the master. */
  undo(): Promise<void>
}

export async function acceptKey(access: MasterAccess, id: string, publicPem: string): Promise<Acceptance> {
  const { keys } = access.stores
  const before = keys.pem('minions', id)
  if (before !== undefined && cleanKey(before) === cleanKey(publicPem)) return { isNew: false, undo: async () => {} }
  const undo = async (): Promise<void> => {
    await wheel(access, 'delete_dict', new Map([['minions', [id]]]))
    if (before !== undefined) keys.store(id, { state: 'accepted', pub: before })
  }
  keys.store(id, { state: 'pending', pub: publicPem })
  try {
    await wheel(access, 'accept_dict', new Map([['minions_pre', [id]]]))
  } catch (error) {
    await undo()
    throw error
  }
  return { isNew: true, undo }
}

/** Remove the key of a minion from the master, if it matches. Return whether it existed. */
export async function removeKey(access: MasterAccess, id: string, publicPem?: string): Promise<boolean> {
  const known = access.stores.keys.pem('minions', id)
  if (known === undefined || (publicPem !== undefined && cleanKey(known) !== cleanKey(publicPem))) return false
  await wheel(access, 'delete_dict', new Map([['minions', [id]]]))
  return true
}

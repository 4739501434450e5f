// The API sessions of a cluster, in the data cache of its masters. A program beside the master reads the cache files
// and asks the master for changes, because only the master replicates them.
import { toError } from '../base/mod.ts'
import { type Dict, dictFrom, isDict, type Value } from '../data/mod.ts'
import type { MasterStores } from '../sdk/mod.ts'
import { type AnswerRecords, SESSION_BANK, type SharedRecords } from '../store/mod.ts'
import { HttpError } from './errors.ts'

type Stores = Pick<MasterStores, 'cache' | 'settled'>

function reading({ cache }: Stores): Pick<SharedRecords, 'fetch' | 'list'> {
  const bank = cache.bank(SESSION_BANK)
  return { fetch: (key) => bank.fetch(key), list: () => bank.list() }
}

/** Return the records for the master, which changes them directly. */
export function ownRecords(stores: Stores): SharedRecords {
  const bank = stores.cache.bank(SESSION_BANK)
  const change = async (work: () => void): Promise<void> => {
    work()
    await stores.settled()
  }
  return {
    ...reading(stores),
    store: (key, value) => change(() => bank.store(key, value)),
    remove: (key) => change(() => bank.flush(key)),
  }
}

/** Return the records for a program beside the master, which changes them by commands of the owner. */
export function recordsBeside(stores: Stores, command: (load: Dict) => Promise<Value>): SharedRecords {
  const change = async (key: string, record: Value): Promise<void> => {
    const load = new Map<Value, Value>([['cmd', 'note_session']]).set('name', key).set('record', record)
    if ((await command(load)) !== true) throw new HttpError(503, 'The master did not take the session')
  }
  return { ...reading(stores), store: change, remove: (key) => change(key, null) }
}

/** Return the answers for the master, which changes them directly. */
export function ownAnswers(claims: AnswerRecords): AnswerRecords {
  return {
    claim: (key, record) =>
      claims.claim(key, record).catch((error: unknown) => {
        throw new HttpError(503, toError(error).message, error)
      }),
    store: (key, record) => claims.store(key, record),
    remove: (key) => claims.remove(key),
  }
}

/** Return the answers for a program beside the master, which changes them by commands of the owner. */
export function answersBeside(command: (load: Dict) => Promise<Value>): AnswerRecords {
  const ask = async (what: string, key: string, record: Value = null): Promise<Value | undefined> => {
    const answer = await command(dictFrom({ cmd: 'note_answer', what, name: key, record }))
    if (isDict(answer) && answer.get('done') === true) return answer.get('there') ?? undefined
    throw new HttpError(503, 'The master did not take the claim of the Idempotency-Key')
  }
  return {
    claim: (key, record) => ask('claim', key, record),
    store: async (key, record) => void (await ask('store', key, record)),
    remove: async (key) => void (await ask('remove', key)),
  }
}

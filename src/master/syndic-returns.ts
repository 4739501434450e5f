// `_syndic_return`: returns that a syndic gathered from its own minions, taken apart into one for each.
import { isJid, shownText } from '../base/mod.ts'
import { syndicOrigin } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { MasterParts } from './parts.ts'
import type { ReturnService } from './returns.ts'

const PASSED_ON = ['master_id', 'fun', 'fun_args', 'out', 'sig']

interface SyndicParts extends Pick<MasterParts, 'opts' | 'log' | 'keys' | 'bus' | 'jobs' | 'syndics'> {
  returns: ReturnService
}

/** Store the returns that a syndic forwards. A minion that may not act as a syndic cannot return for others. */
export async function takeSyndicReturn(parts: SyndicParts, load: Dict): Promise<null> {
  const syndic = str(load.get('id')!)
  if (!parts.syndics.mayPassOn(syndic)) {
    const reason = option(parts.opts, 'order_masters') ? 'syndics does not name it' : 'order_masters is not set'
    parts.log('warning', `Dropped returns that ${syndic} passed on: ${reason}`)
    return null
  }
  const several = load.get('load')
  const loads = several !== undefined && isList(several) ? several : [load]
  for (const one of loads) {
    if (isDict(one) && ['return', 'jid', 'id'].every((name) => one.has(name))) await takeReturns(parts, one, syndic)
  }
  return null
}

/** Take the returns of one job. They are stored together; the promise rejects when one of them cannot be stored. */
async function takeReturns(parts: SyndicParts, load: Dict, syndic: string): Promise<void> {
  const jid = load.get('jid')
  const job = load.get('load')
  const returned = load.get('return')!
  if (!isDict(returned)) return
  if (!isJid(jid)) {
    const shown = shownText(briefStr(jid ?? null))
    parts.log('warning', `Dropped returns that ${syndic} passed on to what cannot be a job: ${shown}`)
    return
  }
  parts.syndics.register(syndic)
  // minions of this master send their own returns
  const passedOn = [...returned].filter(([id]) => {
    return isValidId(id) && (id === syndic || parts.keys.accepted(id) === undefined)
  })
  if (job !== undefined && isDict(job) && passedOn.length > 0) {
    parts.jobs.saveJob({ jid, load: job, minions: passedOn.map(([id]) => str(id)), isForeign: true })
  }
  const stored = passedOn.map(async ([id, item]) => {
    // fields of the returned dict must not replace the job id or the minion id
    const single: Dict = new Map<Value, Value>([['jid', jid], ['id', id], ...(isDict(item) ? item : [])])
    single.set('jid', jid).set('id', id).delete('resource_id')
    for (const name of PASSED_ON) if (load.has(name)) single.set(name, load.get(name)!)
    await parts.returns.take(single, syndicOrigin(syndic))
  })
  // all of them are settled before the syndic gets the failure, so that it does not repeat returns that are still being
  // stored
  const failed = (await Promise.allSettled(stored)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}

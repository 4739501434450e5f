// `_syndic_return`: returns that a syndic gathered from its own minions, taken apart into one for each.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { MasterParts } from './parts.ts'
import type { Returns } from './returns.ts'

const PASSED_ON = ['master_id', 'fun', 'fun_args', 'out', 'sig']

interface SyndicParts extends MasterParts {
  returns: Returns
}

export async function takeSyndicReturn(parts: SyndicParts, load: Dict): Promise<null> {
  const several = load.get('load')
  const loads = several !== undefined && isList(several) ? several : [load]
  for (const one of loads) {
    if (isDict(one) && ['return', 'jid', 'id'].every((name) => one.has(name))) await takeOne(parts, one)
  }
  return null
}

async function takeOne(parts: SyndicParts, load: Dict): Promise<void> {
  const jid = str(load.get('jid')!)
  const job = load.get('load')
  const returned = load.get('return')!
  if (!isDict(returned)) return
  if (job !== undefined && isDict(job)) {
    parts.jobs.saveJob({ jid, load: job, minions: [...returned.keys()].map(str) })
  }
  register(parts, str(load.get('id')!))
  for (const [id, item] of returned) {
    const single: Dict = new Map<Value, Value>([['jid', jid], ['id', id], ...(isDict(item) ? item : [])])
    for (const name of PASSED_ON) if (load.has(name)) single.set(name, load.get(name)!)
    await parts.returns.take(single)
  }
}

/** Syndics are known by files of their ids. */
function register({ opts }: MasterParts, id: string): void {
  if (!isValidId(id)) return
  const folder = join(str(opts.get('cachedir')!), 'syndics')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, id), '')
}

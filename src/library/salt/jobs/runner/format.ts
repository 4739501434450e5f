// Jobs in the form of the `jobs` runner.
import { type Dict, deepCopy, dictFrom, EncodedEntry, isDict, isList, str, type Value } from '../../../../data/mod.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const JID = /^\d{20}(?:_\d+)?$/

/** Return whether a text is a job id with a time. */
export const isTimed = (jid: string): boolean => JID.test(jid)

/** Return the time of a job id, such as `2026, Nov 15 12:34:56.123456`; empty if it is not a job id. */
export function timeOf(jid: string): string {
  if (!isTimed(jid)) return ''
  const month = MONTHS[Number(jid.slice(4, 6)) - 1] ?? ''
  const time = `${jid.slice(8, 10)}:${jid.slice(10, 12)}:${jid.slice(12, 14)}.${jid.slice(14, 20)}`
  return `${jid.slice(0, 4)}, ${month} ${jid.slice(6, 8)} ${time}`
}

function metadataOf(job: Dict): Value | undefined {
  if (job.has('metadata')) return job.get('metadata')!
  const kwargs = job.get('kwargs')
  if (kwargs !== undefined && isDict(kwargs) && kwargs.has('metadata')) return kwargs.get('metadata')
  const args = job.get('arg')
  for (const arg of args !== undefined && isList(args) ? args : []) {
    if (isDict(arg) && arg.get('__kwarg__') === true && arg.has('metadata')) return arg.get('metadata')
  }
  return undefined
}

/** Return a job as it is shown. The load may be shared with other readers, so its lists and dicts are copied. */
export function formatJob(jid: string, job: Dict | undefined, minions?: readonly string[]): Dict {
  if (!job) {
    return dictFrom({ Error: 'Cannot contact returner or no job with this jid', StartTime: timeOf(jid) })
  }
  const args = deepCopy(job.get('arg') ?? [])
  const shown: Dict = new Map<Value, Value>([
    ['Function', job.get('fun') ?? 'unknown-function'],
    ['Arguments', isList(args) ? args : [args]],
    ['Target', deepCopy(job.get('tgt') ?? 'unknown-target')],
    ['Target-type', job.get('tgt_type') ?? 'list'],
    ['User', job.get('user') ?? 'root'],
  ])
  const metadata = metadataOf(job)
  if (metadata !== undefined) shown.set('Metadata', deepCopy(metadata))
  if (minions?.length) shown.set('Minions', [...minions])
  return shown.set('StartTime', timeOf(jid))
}

const listed = new WeakMap<Dict, EncodedEntry>()

/** Return the entry of a job in lists of jobs. A load that lasts does not change, so its entry is made and encoded once. */
export function jobEntry(jid: string, load: Dict, lasts: boolean): EncodedEntry {
  const known = lasts ? listed.get(load) : undefined
  if (known) return known
  const entry = new EncodedEntry(jid, () => formatJob(jid, load))
  if (lasts) listed.set(load, entry)
  return entry
}

/** Return the fields of a stored return. */
export function resultOf(data: Dict): Dict {
  const shown: Dict = new Map<Value, Value>([['return', data.get('return') ?? null]])
  for (const name of ['out', 'retcode', 'success']) if (data.has(name)) shown.set(name, data.get(name)!)
  return shown
}

export const isFindJob = (job: Dict): boolean => str(job.get('fun') ?? '') === 'saltutil.find_job'

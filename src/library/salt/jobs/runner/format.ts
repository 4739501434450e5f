// Jobs as the `jobs` runner shows them.
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Return the time of a job id, such as `2026, Nov 15 12:34:56.123456`; empty if it is not a job id. */
export function timeOf(jid: string): string {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})(?:_\d+)?$/.exec(jid)
  if (!match) return ''
  const [, year, month, day, hour, minute, second, micro] = match
  return `${year}, ${MONTHS[Number(month) - 1] ?? ''} ${day} ${hour}:${minute}:${second}.${micro}`
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

export function formatJob(jid: string, job: Dict | undefined, minions?: readonly string[]): Dict {
  if (!job) {
    return new Map<Value, Value>([
      ['Error', 'Cannot contact returner or no job with this jid'],
      ['StartTime', timeOf(jid)],
    ])
  }
  const args = job.get('arg') ?? []
  const shown: Dict = new Map<Value, Value>([
    ['Function', job.get('fun') ?? 'unknown-function'],
    ['Arguments', isList(args) ? [...args] : [args]],
    ['Target', job.get('tgt') ?? 'unknown-target'],
    ['Target-type', job.get('tgt_type') ?? 'list'],
    ['User', job.get('user') ?? 'root'],
  ])
  const metadata = metadataOf(job)
  if (metadata !== undefined) shown.set('Metadata', metadata)
  if (minions?.length) shown.set('Minions', [...minions])
  return shown.set('StartTime', timeOf(jid))
}

/** Return the fields of a stored return. */
export function resultOf(data: Dict): Dict {
  const shown: Dict = new Map<Value, Value>([['return', data.get('return') ?? null]])
  for (const name of ['out', 'retcode', 'success']) if (data.has(name)) shown.set(name, data.get(name)!)
  return shown
}

export const isFindJob = (job: Dict): boolean => str(job.get('fun') ?? '') === 'saltutil.find_job'

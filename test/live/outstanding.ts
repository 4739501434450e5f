// Which jobs of a scenario still have minions to answer, judged by the events.
import type { BusEvent } from '../../src/bus/mod.ts'
import { isList, str } from '../../src/data/mod.ts'

export function hasOutstandingJobs(events: readonly BusEvent[], isUp: (id: string) => boolean): boolean {
  const open = new Set<string>()
  for (const { tag, data } of events) {
    const [, kind, jid, what, id] = tag.split('/')
    if (kind !== 'job') continue
    const minions = data.get('minions') ?? []
    if (what === 'new' && isList(minions)) for (const name of minions.map(str)) open.add(`${jid}/${name}`)
    if (what === 'ret') open.delete(`${jid}/${id}`)
  }
  return [...open].some((job) => isUp(job.split('/')[1]!))
}

// Updates of minions in the list by events: presence, the last job and the last highstate. Pure, for tests.
import type { components } from '../../api/schema.d.ts'

export type Minion = components['schemas']['Minion']

/** The minions of a list. The map is changed in place, and the object around it is new after each change. */
export interface Fleet {
  readonly rows: Map<string, Minion>
  /** The total number on the server. */
  readonly total: number
}

/** An event as far as it matters here. */
export interface FleetEvent {
  tag: string
  stamp: string
  data: Readonly<Record<string, unknown>>
}

const HIGHSTATES: ReadonlySet<unknown> = new Set(['state.highstate', 'state.apply'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface StateCounts {
  succeeded: number
  changed: number
  failed: number
}

/** Count the states of a return; undefined where it is no result of states. */
export function countStates(value: unknown): StateCounts | undefined {
  if (!isObject(value)) return undefined
  const states = Object.values(value).filter((state) => isObject(state) && 'result' in state) as Record<
    string,
    unknown
  >[]
  if (states.length === 0 && Object.keys(value).length > 0) return undefined
  const counts = { succeeded: 0, changed: 0, failed: 0 }
  for (const { result, changes } of states) {
    const hasChanges = isObject(changes) && Object.keys(changes).length > 0
    if (result === false) counts.failed++
    else if (result === null || hasChanges) counts.changed++
    if (result === true) counts.succeeded++
  }
  return counts
}

/** Return the effect of `state.apply` or `state.highstate` with these arguments. */
export function highstateKind(fun: unknown, args: unknown): 'applied' | 'tried' | 'other' {
  if (!HIGHSTATES.has(fun)) return 'other'
  const given = Array.isArray(args) ? args : []
  const isKeywords = (arg: unknown): arg is Record<string, unknown> => isObject(arg)
  const keywords = given.filter(isKeywords)
  const words = given.filter((arg) => !isKeywords(arg))
  const isTrial =
    keywords.some(({ test }) => Boolean(test)) || words.some((word) => /^test=(true|1)$/i.test(String(word)))
  const named = words.filter((word) => !/^\w+=/.test(String(word)))
  if (fun === 'state.apply' && (named.length > 0 || keywords.some((each) => 'mods' in each))) return 'other'
  return isTrial ? 'tried' : 'applied'
}

const isoOf = (stamp: string): string => (/(Z|[+-]\d\d:\d\d)$/.test(stamp) ? stamp : `${stamp}Z`)

function afterReturn(minion: Minion, jid: string, { data, stamp }: FleetEvent): Minion {
  const next = jid >= (minion.lastJob ?? '') ? { ...minion, lastJob: jid } : minion
  const kind = highstateKind(data['fun'], data['fun_args'])
  const last = minion.lastHighstate?.jid ?? ''
  const counts = kind === 'other' || jid <= last ? undefined : countStates(data['return'])
  if (!counts) return next
  const when = isoOf(stamp)
  if (kind === 'tried') return { ...next, drift: { jid, when, changes: counts.changed } }
  const drift = minion.drift && minion.drift.jid > jid ? minion.drift : null
  return { ...next, lastHighstate: { jid, when, ...counts }, drift }
}

const withPresence = (minion: Minion, connected: boolean, stamp: string): Minion =>
  minion.presence.connected === connected ? minion : { ...minion, presence: { connected, since: isoOf(stamp) } }

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Return the minions that an event changed, or `reload` where the list itself is another. */
function changedBy(rows: ReadonlyMap<string, Minion>, event: FleetEvent): 'reload' | Minion[] {
  const { tag, data, stamp } = event
  const [, jid, id] = /^salt\/job\/(\d+)\/ret\/(.+)$/.exec(tag) ?? []
  const known = (name: string): Minion[] => {
    const minion = rows.get(name)
    return minion ? [minion] : []
  }
  if (jid !== undefined) return known(id!).map((minion) => afterReturn(minion, jid, event))
  const [, started] = /^salt\/minion\/([^/]+)\/start$/.exec(tag) ?? []
  if (started !== undefined) {
    const minion = rows.get(started)
    return minion?.version ? [withPresence(minion, true, stamp)] : 'reload'
  }
  if (tag === 'salt/presence/change') {
    return [
      ...textsOf(data['new']).flatMap((name) => known(name).map((minion) => withPresence(minion, true, stamp))),
      ...textsOf(data['lost']).flatMap((name) => known(name).map((minion) => withPresence(minion, false, stamp))),
    ]
  }
  if (tag === 'salt/key') return 'reload'
  return tag === 'salt/auth' && data['act'] === 'pend' ? 'reload' : []
}

/** Change the list by an event. */
export function withEvent(fleet: Fleet, event: FleetEvent): Fleet | 'reload' | undefined {
  const changed = changedBy(fleet.rows, event)
  if (changed === 'reload') return 'reload'
  let isNews = false
  for (const minion of changed) {
    if (fleet.rows.get(minion.id) === minion) continue
    fleet.rows.set(minion.id, minion)
    isNews = true
  }
  return isNews ? { ...fleet } : undefined
}

// The minions of the list, page by page, and kept true by events.
import { useEffect } from 'preact/hooks'
import { type Answer, type Data, get, Problem, read } from '../../api/client.ts'
import { type State, useResource } from '../../live/resource.ts'
import { type Fleet, type Minion, withEvent } from './facts.ts'

/** The part of the filter that the server evaluates; other filters use the loaded data. */
export interface Wanted {
  /** The state of keys. */
  state: 'accepted' | 'pending' | 'rejected' | 'denied'
  grain: string
  /** A compound target. */
  target: string
  columns: readonly string[]
}

/** The first page is small, so that rows can be seen at once. */
const FIRST_PAGE = 200
const PAGE = 5000

/** Minimum interval of reloading a list of 10,000 minions, in milliseconds. */
const RELOAD_MS = 5000

/** Interval for comparing the number of connected minions, in milliseconds; a closed connection fires no event. */
const PRESENCE_MS = 10_000

async function load(wanted: Wanted, signal: AbortSignal, show: (fleet: Fleet) => void): Promise<Answer<Fleet>> {
  const rows = new Map<string, Minion>()
  let cursor: string | undefined
  let number: number | undefined
  for (;;) {
    const query = {
      state: wanted.state,
      grain: wanted.grain,
      target: wanted.target,
      columns: wanted.columns.join(','),
      limit: cursor === undefined ? FIRST_PAGE : PAGE,
      ...(cursor !== undefined && { cursor }),
    }
    const page: Answer<Data<'/v1/minions'>> = await read('/v1/minions', { query, signal })
    // events after the first page are applied to later pages at most twice, without harm
    number ??= page.number
    for (const minion of page.data.items) rows.set(minion.id, minion)
    const fleet = { rows, total: page.data.total }
    if (page.data.next === null) return { data: fleet, number }
    cursor = page.data.next
    show(fleet)
  }
}

/** Ask for the list again when the number of connected minions changes. */
async function checkPresence({ data, isLoading, reload }: FleetState, wanted: Wanted): Promise<void> {
  if (!data || isLoading || document.hidden || wanted.state !== 'accepted') return
  let up = 0
  for (const { presence } of data.rows.values()) if (presence.connected) up++
  try {
    const { grain, target } = wanted
    const { total } = await get('/v1/minions', { query: { state: 'up', grain, target, limit: 1 } })
    if (total !== up) await reload()
  } catch (error) {
    // the next poll tries again; an ended session is reported elsewhere
    if (!(error instanceof Problem)) throw error
  }
}

export type FleetState = State<Fleet> & { reload(): Promise<void> }

export function useFleet(wanted: Wanted): FleetState {
  const key = JSON.stringify(wanted)
  const state = useResource((signal, show) => load(wanted, signal, show), [key], {
    apply: withEvent,
    reloadMs: RELOAD_MS,
  })
  useEffect(() => {
    const timer = setInterval(() => void checkPresence(state, wanted), PRESENCE_MS)
    return () => clearInterval(timer)
  }, [key, state.data])
  return state
}

// Calls a function on a minion, as a separate job.
import { get, Problem, post } from '../api/client.ts'
import { stream } from './stream.ts'

/** How long a minion may take, in milliseconds. */
const PATIENCE_MS = 30_000
/** How long to wait for the event of a return before polling, in milliseconds; some users may not read events. */
const PAUSE_MS = 1500

export interface MinionCall {
  function: string
  args?: readonly unknown[]
  kwargs?: Readonly<Record<string, unknown>>
}

/** Wait until an event reports a return of the job, up to a limit. */
function returned(jid: string, seen: ReadonlySet<string>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (seen.has(jid)) {
      resolve()
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      unlisten()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    const unlisten = stream.listen(() => seen.has(jid) && end())
    signal?.addEventListener('abort', end)
  })
}

/** The text of a return that is no success. */
const failureOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (text ?? 'The function failed').slice(0, 500)
}

/** Start a job on one minion and return the result. Throw a problem if it fails or the minion does not answer. */
export async function callMinion(minion: string, call: MinionCall, signal?: AbortSignal): Promise<unknown> {
  const seen = new Set<string>()
  const unlisten = stream.listen((events) => {
    for (const { tag } of events) {
      const [, jid] = /^salt\/job\/(\d+)\/ret\//.exec(tag) ?? []
      if (jid !== undefined) seen.add(jid)
    }
  })
  try {
    const { function: fun, args = [], kwargs = {} } = call
    const { jid, minions } = await post('/v1/jobs', {
      body: { target: [minion], targetType: 'list', function: fun, args: [...args], kwargs: { ...kwargs } },
      ...(signal && { signal }),
    })
    if (minions.length === 0) throw new Problem(404, `${minion} is no minion of this master`)
    const until = Date.now() + PATIENCE_MS
    while (Date.now() < until) {
      await returned(jid, seen, PAUSE_MS, signal)
      signal?.throwIfAborted()
      const { items } = await get('/v1/jobs/{jid}/returns', { params: { jid }, ...(signal && { signal }) })
      const answer = items[0]
      if (answer && !answer.succeeded) throw new Problem(422, `${minion}: ${failureOf(answer.value)}`)
      if (answer) return answer.value
    }
    throw new Problem(504, `${minion} has not answered ${fun} within ${PATIENCE_MS / 1000} seconds`)
  } finally {
    unlisten()
  }
}

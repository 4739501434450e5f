// One event: its sender, its data as a tree, and the ways on.
import { read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import type { LiveEvent } from '../../live/stream.ts'
import { href, pageLink, setParams } from '../../route.ts'
import { Button, CopyMenu, Empty, ProblemNotice, Time } from '../../ui/basic.tsx'
import { Tree } from '../../ui/values.tsx'
import { linksOf, originWord } from './facts.ts'
import { fireCommand } from './fire.tsx'

const PROOFS: Readonly<Record<string, string>> = {
  process: 'the code of the master itself',
  session: 'the session of a minion with an accepted key',
  socket: 'the local socket',
  key: 'the key file of a local user',
  eauth: 'external authentication',
  token: 'a token',
  none: 'nothing: the sender is not proven',
}

/** Read one event of the journal. */
async function readEvent(number: number, signal: AbortSignal) {
  const { data, number: seen } = await read('/v1/events', {
    query: { format: 'json', since: number - 1, limit: 1 },
    signal,
  })
  return { data: data.items.find((event) => event.number === number) ?? null, number: seen }
}

function Facts({ event }: { event: LiveEvent }) {
  const { origin } = event
  return (
    <dl class="facts">
      <dt>Number</dt>
      <dd>{event.number}</dd>
      <dt>Fired</dt>
      <dd>
        <Time at={event.stamp} />
      </dd>
      <dt>Sender</dt>
      <dd>{originWord(origin)}</dd>
      <dt>Proven by</dt>
      <dd>{PROOFS[origin?.proof ?? ''] ?? origin?.proof ?? 'not known'}</dd>
    </dl>
  )
}

function Shown({ event }: { event: LiveEvent }) {
  const { _stamp, ...data } = event.data
  return (
    <>
      <Facts event={event} />
      <div class="row">
        <a class="button small" href={href('why', { what: event.number })}>
          Why
        </a>
        {linksOf(event).map((link) => (
          <a class="button small" key={link.text} href={link.href}>
            {link.text}
          </a>
        ))}
        <a class="button small" href={href('reactor', { tab: 'test', event: event.number })}>
          Try the reactor on it
        </a>
        <CopyMenu
          items={[
            ['JSON', () => JSON.stringify(event, null, 2)],
            ['Command', () => fireCommand(event.tag, data)],
            ['Link', pageLink],
          ]}
        />
      </div>
      <Tree value={event.data} open={3} />
    </>
  )
}

/** The pane of the selected event, from the page's data or from the journal. */
export function EventPane({ number, known }: { number: number; known: LiveEvent | undefined }) {
  const { data, problem, isLoading, reload } = useResource(
    async (signal) => (known ? { data: known, number: 0 } : readEvent(number, signal)),
    [number],
  )
  const event = known ?? data
  return (
    <aside class="event-pane" aria-label="Event" aria-busy={isLoading && !event}>
      <header>
        <h2 class="wrap">{event?.tag ?? `Event ${number}`}</h2>
        <Button icon="close" kind="plain" title="Close the event" onClick={() => setParams({ event: null })} />
      </header>
      {problem && !event && <ProblemNotice problem={problem} retry={reload} />}
      {data === null && !event && (
        <Empty title="The journal does not have this event">
          <p>It was dropped because it is old, or you may see only the events of your own jobs.</p>
        </Empty>
      )}
      {event && <Shown event={event} />}
    </aside>
  )
}

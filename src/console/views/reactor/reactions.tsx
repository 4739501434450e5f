// The reactions of the reactor, with their calls and results.
import { useEffect } from 'preact/hooks'
import { type Data, read } from '../../api/client.ts'
import { counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Badge, Button, Card, Empty, ProblemNotice, Search, Select, Time, type Tone } from '../../ui/basic.tsx'
import { Shown, Tree } from '../../ui/values.tsx'
import { readTagFilter } from '../events/filter.ts'

type Reaction = Data<'/v1/reactions'>['items'][number]
type Call = Reaction['calls'][number]

const PAGE = 100
const MOST = 1000
/** Reactions that work are read again so often. */
const LOOK_MS = 2000

const STATES: Readonly<Record<Reaction['state'], { text: string; tone: Tone }>> = {
  done: { text: 'Done', tone: 'ok' },
  failed: { text: 'Failed', tone: 'failed' },
  running: { text: 'Running', tone: 'info' },
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** The page of the job or run that a call began. */
const callHref = ({ kind, function: fun, jid }: Call): string | undefined =>
  jid === null
    ? undefined
    : kind === 'local'
      ? href(['jobs', jid])
      : /^state\.orch/.test(fun)
        ? href(['runs', jid])
        : href('why', { what: jid })

function CallLine({ call }: { call: Call }) {
  const link = callHref(call)
  const name = `${call.kind}.${call.function}`
  return (
    <li class="wrap">
      {link ? <a href={link}>{name}</a> : name}
      {call.target !== null && <span class="muted"> on {String(call.target)}</span>}
      {call.error !== null && <div class="tone-failed small">{call.error.slice(0, 1000)}</div>}
    </li>
  )
}

function Details({ reaction }: { reaction: Reaction }) {
  const results = reaction.calls.filter(({ result }) => result !== null)
  return (
    <div class="stack reaction-details">
      <div class="row">
        {reaction.event !== null && (
          <>
            <a class="button small" href={href('events', { event: reaction.event })}>
              Event {reaction.event}
            </a>
            <a class="button small" href={href('why', { what: reaction.event })}>
              Why
            </a>
            <a class="button small" href={href('reactor', { tab: 'test', event: reaction.event })}>
              Try again without effect
            </a>
          </>
        )}
      </div>
      {texts(reaction.record['errors']).map((text) => (
        <pre key={text} class="code">
          {text}
        </pre>
      ))}
      {results.map((call, at) => (
        <div key={at}>
          <h2>Result of {call.function}</h2>
          <Shown value={call.result} open={2} />
        </div>
      ))}
      <h2>Record</h2>
      <Tree value={reaction.record} open={1} />
    </div>
  )
}

function Item({ reaction }: { reaction: Reaction }) {
  const { text, tone } = STATES[reaction.state]
  const isOpen = param('reaction') === String(reaction.reaction)
  const [error] = texts(reaction.record['errors'])
  return (
    <li class="reaction" data-active={isOpen}>
      <div class="row spread">
        <button
          type="button"
          class="reaction-title"
          aria-expanded={isOpen}
          onClick={() => setParams({ reaction: isOpen ? null : reaction.reaction })}
        >
          <Badge tone={tone}>{text}</Badge> <span class="mono wrap">{reaction.tag}</span>
        </button>
        <span class="small muted">
          <Time at={reaction.when} />
        </span>
      </div>
      <div class="small muted mono wrap">{reaction.file ?? 'no file was read'}</div>
      {error !== undefined && !isOpen && <div class="small tone-failed wrap">{error.slice(0, 300)}</div>}
      <ul class="small">
        {reaction.calls.map((call, at) => (
          <CallLine key={at} call={call} />
        ))}
      </ul>
      {isOpen && <Details reaction={reaction} />}
    </li>
  )
}

/** Whether a reaction matches the filter in the address. */
function wanted(reaction: Reaction): boolean {
  const [rule, state] = [param('rule'), param('state')]
  return (
    (rule === '' || texts(reaction.record['rules']).includes(rule)) &&
    (state === '' || reaction.state === state) &&
    readTagFilter(param('tag')).fits(reaction.tag)
  )
}

const Filters = () => (
  <div class="toolbar">
    <Search value={param('tag')} label="Part of a tag, glob, or /expression/" onInput={(tag) => setParams({ tag })} />
    <Select
      label="State"
      value={param('state')}
      options={[
        ['', 'All states'],
        ['done', 'Done'],
        ['failed', 'Failed'],
        ['running', 'Running'],
      ]}
      onChange={(state) => setParams({ state })}
    />
    {param('rule') !== '' && (
      <Button icon="close" title="Show the reactions of all rules" onClick={() => setParams({ rule: null })}>
        Rule {param('rule')}
      </Button>
    )}
  </div>
)

export function ReactionList() {
  const limit = Math.min(MOST, Math.max(PAGE, Number(param('limit')) || PAGE))
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/reactions', { query: { limit }, signal }),
    [limit],
    // any event may be answered, and calls end with an event
    { apply: () => 'reload', reloadMs: LOOK_MS },
  )
  const isRunning = data?.items.some(({ state }) => state === 'running') ?? false
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => void reload(), LOOK_MS)
    return () => clearInterval(timer)
  }, [isRunning, limit])
  if (problem && !data) return <ProblemNotice problem={problem} retry={reload} />
  const items = data?.items.filter(wanted) ?? []
  return (
    <div class="stack" aria-busy={isLoading && !data}>
      <Filters />
      <Card flush>
        <ul class="reactions" aria-label="Reactions">
          {items.map((reaction) => (
            <Item key={reaction.reaction} reaction={reaction} />
          ))}
        </ul>
        {data && items.length === 0 && (
          <Empty title={data.items.length === 0 ? 'The reactor has not answered an event yet' : 'No reaction matches'}>
            <p>
              <a href={href('reactor', { tab: 'test' })}>Try the rules on an event</a> without running anything.
            </p>
          </Empty>
        )}
      </Card>
      {data?.next && limit < MOST && (
        <div class="row spread small muted">
          <span>The last {counted(data.items.length, 'reaction')} were looked at</span>
          <Button onClick={() => setParams({ limit: Math.min(MOST, limit + PAGE) })}>Look at more</Button>
        </div>
      )}
    </div>
  )
}

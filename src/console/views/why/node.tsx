// One link of a chain of causes, and below it its consequences.
import { useState } from 'preact/hooks'
import type { Data } from '../../api/client.ts'
import { counted } from '../../format.ts'
import { href } from '../../route.ts'
import { Badge, Button, Time, type Tone } from '../../ui/basic.tsx'
import { Shown } from '../../ui/values.tsx'

export type TraceNode = Data<'/v1/traces'>['root']

const KINDS: Readonly<Record<string, string>> = {
  event: 'Event',
  reaction: 'Reaction',
  call: 'Call',
  job: 'Job',
  orchestration: 'Orchestration',
  step: 'Step',
  minion: 'Minion',
  minions: 'Minions',
  state: 'State',
  states: 'States',
  beacon: 'Beacon',
  schedule: 'Schedule',
  user: 'User',
  syndic: 'Syndic',
}

const STATES: Readonly<Record<NonNullable<TraceNode['state']>, { text: string; tone: Tone }>> = {
  ok: { text: 'OK', tone: 'ok' },
  failed: { text: 'Failed', tone: 'failed' },
  running: { text: 'Running', tone: 'info' },
}

const MOST_CHILDREN = 50
const LONGEST_LINE = 160

/** The page about a node. */
function nodeHref(node: TraceNode): string | undefined {
  if (node.event !== null) return href('events', { event: node.event })
  if (node.jid !== null)
    return node.children.some(({ kind }) => kind === 'orchestration')
      ? href(['runs', node.jid])
      : href(['jobs', node.jid])
  if (node.kind === 'minion' && node.minion !== null) return href(['minions', node.minion])
  return undefined
}

function Detail({ node: { detail, state } }: { node: TraceNode }) {
  if (detail === null || detail === undefined || detail === '') return null
  if (typeof detail === 'string' && detail.length <= LONGEST_LINE && !detail.includes('\n'))
    return <div class={state === 'failed' ? 'small tone-failed wrap' : 'small muted wrap'}>{detail}</div>
  return (
    <details class="small">
      <summary>{state === 'failed' ? 'What went wrong' : 'Details'}</summary>
      <Shown value={detail} />
    </details>
  )
}

function Head({ node }: { node: TraceNode }) {
  const link = nodeHref(node)
  const title = node.title === '' ? (KINDS[node.kind] ?? node.kind) : node.title
  return (
    <div
      class="trace-node"
      data-asked={node.asked}
      data-state={node.state}
      aria-current={node.asked ? 'true' : undefined}
    >
      <div class="row">
        <span class="trace-kind small muted">{KINDS[node.kind] ?? node.kind}</span>
        {link ? (
          <a class="trace-title wrap" href={link}>
            {title}
          </a>
        ) : (
          <span class="trace-title wrap">{title}</span>
        )}
        {node.state !== null && <Badge tone={STATES[node.state].tone}>{STATES[node.state].text}</Badge>}
        {node.asked && <Badge tone="info">Asked for</Badge>}
        {node.when !== null && (
          <span class="small muted">
            <Time at={node.when} />
          </span>
        )}
      </div>
      {node.place !== null && <div class="small mono muted wrap">{node.place}</div>}
      <Detail node={node} />
    </div>
  )
}

/** A node with its effects; failed ones come first if there are too many to show. */
export function Node({ node }: { node: TraceNode }) {
  const [most, show] = useState(MOST_CHILDREN)
  const { children } = node
  return (
    <li>
      <Head node={node} />
      {children.length > 0 && (
        <ul>
          {children.slice(0, most).map((child, at) => (
            <Node key={`${at} ${child.kind} ${child.title}`} node={child} />
          ))}
          {children.length > most && (
            <li>
              <Button small kind="plain" onClick={() => show(most + 10 * MOST_CHILDREN)}>
                {counted(children.length - most, 'more consequence')}
              </Button>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

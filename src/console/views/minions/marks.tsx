// Presence and results of minions as words with a colour.
import { counted } from '../../format.ts'
import { href } from '../../route.ts'
import { Badge, Time, type Tone } from '../../ui/basic.tsx'
import type { Minion } from './facts.ts'
import { hasDrift, resultOf } from './filters.ts'

export function Presence({ minion }: { minion: Pick<Minion, 'key' | 'presence'> }) {
  if (minion.key !== 'accepted') return <Badge tone={minion.key === 'pending' ? 'info' : 'failed'}>{minion.key}</Badge>
  return minion.presence.connected ? <Badge tone="ok">up</Badge> : <Badge tone="failed">down</Badge>
}

/** A result of states as a tone and a few words. */
export function resultText(counts: { succeeded: number; changed: number; failed: number }): [tone: Tone, text: string] {
  if (counts.failed > 0) return ['failed', `${counts.failed} failed`]
  return counts.changed > 0 ? ['changed', `${counts.changed} changed`] : ['ok', 'no changes']
}

/** The result of the last highstate, with a link to its job. */
export function HighstateMark({ minion }: { minion: Pick<Minion, 'id' | 'lastHighstate'> }) {
  const last = minion.lastHighstate
  if (!last) return <span class="muted">{resultOf(minion)}</span>
  const [tone, text] = resultText(last)
  return (
    <a class="mark" href={href(['jobs', last.jid], { minion: minion.id })}>
      <Badge tone={tone}>{text}</Badge> <Time at={last.when} relative />
    </a>
  )
}

/** The changes predicted by a dry run, with a link to its job. */
export function DriftMark({ minion }: { minion: Pick<Minion, 'id' | 'drift'> }) {
  const { drift } = minion
  if (!drift) return <span class="muted">–</span>
  return (
    <a class="mark" href={href(['jobs', drift.jid], { minion: minion.id })}>
      {hasDrift(minion) ? <Badge tone="changed">{counted(drift.changes, 'change')}</Badge> : <Badge>none</Badge>}
    </a>
  )
}

/** The facts that begin each description of a minion, for a list of class `facts`. */
export const MainFacts = ({ minion }: { minion: Minion }) => (
  <>
    <dt>State</dt>
    <dd>
      <Presence minion={minion} />{' '}
      {minion.presence.since && (
        <span class="muted">
          since <Time at={minion.presence.since} relative />
        </span>
      )}
    </dd>
    <dt>System</dt>
    <dd>{minion.os ?? '–'}</dd>
    <dt>Salt</dt>
    <dd>{minion.version ?? '–'}</dd>
  </>
)

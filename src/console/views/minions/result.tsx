// The states of the last highstate of a minion.
import { read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { href } from '../../route.ts'
import { Badge, Card, ProblemNotice, type Tone } from '../../ui/basic.tsx'
import { Shown } from '../../ui/values.tsx'
import { runHref } from './actions.tsx'
import { type StateResult, statesOf } from './states.ts'

const TONES: Readonly<Record<StateResult['outcome'], Tone>> = {
  failed: 'failed',
  changed: 'changed',
  'would change': 'changed',
  ok: 'ok',
}

/** Further states are only counted; the page of the job has all. */
const MOST = 50

function State({ minion, state }: { minion: string; state: StateResult }) {
  const { id, function: fun, sls, outcome, comment, changes } = state
  const hasChanges = typeof changes === 'object' && changes !== null && Object.keys(changes).length > 0
  return (
    <tr>
      <td>
        {id}
        <div class="muted small mono">
          {fun} {sls && `in ${sls}`}
        </div>
      </td>
      <td>
        <Badge tone={TONES[outcome]}>{outcome}</Badge>
      </td>
      <td>
        <div class="wrap">{comment}</div>
        {hasChanges && <Shown value={changes} open={0} />}
      </td>
      <td class="act">
        {sls !== '' && <a href={runHref([minion], { function: 'state.sls_id', args: [id, sls] })}>Apply only this …</a>}
      </td>
    </tr>
  )
}

export function LastResult({ minion, jid }: { minion: string; jid: string }) {
  const { data, problem, isLoading } = useResource(
    (signal) => read('/v1/jobs/{jid}/returns/{minion}', { params: { jid, minion }, signal }),
    [minion, jid],
  )
  const states = statesOf(data?.value)
  return (
    <Card
      title="States of the last highstate"
      flush
      actions={<a href={href(['jobs', jid], { minion })}>Open the job</a>}
    >
      <div aria-busy={isLoading && !data}>
        {problem && <ProblemNotice problem={problem} />}
        {data && states.length === 0 && (
          <div class="error-value">
            <Shown value={data.value} />
          </div>
        )}
        {states.length > 0 && (
          <table class="plain-table value-table">
            <thead>
              <tr>
                <th>State</th>
                <th>Result</th>
                <th>Comment and changes</th>
                <th>
                  <span class="hidden-text">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {states.slice(0, MOST).map((state) => (
                <State key={state.key} minion={minion} state={state} />
              ))}
            </tbody>
          </table>
        )}
        {states.length > MOST && (
          <p class="error-value muted">
            {states.length - MOST} further states are on{' '}
            <a href={href(['jobs', jid], { minion })}>the page of the job</a>.
          </p>
        )}
      </div>
    </Card>
  )
}

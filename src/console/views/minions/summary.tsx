// The first tab of a minion's page.
import { read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { href } from '../../route.ts'
import { seemsAllowed } from '../../session.ts'
import { Badge, Card } from '../../ui/basic.tsx'
import { DriftMark, HighstateMark, MainFacts } from './marks.tsx'
import { type Details, JobList } from './parts.tsx'
import { mainFacts } from './quick.tsx'

/** The fingerprint of the key, for users who may see keys. */
function Fingerprint({ id }: { id: string }) {
  const { data, problem } = useResource((signal) => read('/v1/keys/{id}', { params: { id }, signal }), [id])
  if (problem) return <span class="muted">{problem.message}</span>
  return (
    <ul>
      {data?.map(({ state, fingerprint }) => (
        <li key={`${state} ${fingerprint}`}>
          {data.length > 1 && <Badge>{state}</Badge>} <code>{fingerprint}</code>
        </li>
      ))}
    </ul>
  )
}

export const SummaryTab = ({ data }: { data: Details }) => (
  <div class="grid">
    <Card title="Minion">
      <dl class="facts">
        <MainFacts minion={data} />
        {mainFacts(data.grains).map(([title, text]) => [
          <dt key={`${title} title`}>{title}</dt>,
          <dd key={title}>{text}</dd>,
        ])}
        <dt>Key</dt>
        <dd>
          {seemsAllowed('wheel', 'key.finger') ? (
            <Fingerprint id={data.id} />
          ) : (
            <span class="muted">Your access list has no wheel function key.finger</span>
          )}
        </dd>
      </dl>
    </Card>
    <div class="stack">
      <Card title="Highstate" actions={<a href={href(['minions', data.id], { tab: 'highstate' })}>History</a>}>
        <dl class="facts">
          <dt>Last highstate</dt>
          <dd>
            <HighstateMark minion={data} />
          </dd>
          <dt>Drift by a dry run</dt>
          <dd>
            <DriftMark minion={data} />
          </dd>
        </dl>
      </Card>
      <Card title="Last jobs" actions={<a href={href(['minions', data.id], { tab: 'jobs' })}>All jobs</a>}>
        <JobList jobs={data.lastJobs} minion={data.id} />
      </Card>
    </div>
  </div>
)

// Parts that several views of minions share.
import type { Data } from '../../api/client.ts'
import { counted } from '../../format.ts'
import type { LiveEvent } from '../../live/stream.ts'
import { href } from '../../route.ts'
import { Badge, Time, type Tone } from '../../ui/basic.tsx'

export type Details = Data<'/v1/minions/{id}'>
export type JobSummary = Data<'/v1/jobs'>['items'][number]

/** Whether an event may change the displayed data of a minion. */
export function concerns({ tag, data }: Pick<LiveEvent, 'tag' | 'data'>, id: string): boolean {
  if (tag.startsWith('salt/job/')) return tag.endsWith(`/ret/${id}`)
  if (tag === 'salt/presence/change') return true
  return tag === `salt/minion/${id}/start` || ((tag === 'salt/key' || tag === 'salt/auth') && data['id'] === id)
}

/** The state of a job as a tone and a word. */
export function jobText({ state, counts }: Pick<JobSummary, 'state' | 'counts'>): [tone: Tone, text: string] {
  if (state === 'running') return ['info', `${counts.returned} of ${counts.minions}`]
  if (counts.failed > 0) return ['failed', `${counts.failed} failed`]
  if (counts.missing > 0) return ['failed', `${counts.missing} missing`]
  return state === 'failed' ? ['failed', 'failed'] : ['ok', 'done']
}

/** Jobs, newest first, one line each. */
export const JobList = ({ jobs, minion }: { jobs: readonly JobSummary[]; minion?: string }) =>
  jobs.length === 0 ? (
    <p class="muted">No jobs yet.</p>
  ) : (
    <ul class="lines">
      {jobs.map((job) => {
        const [tone, text] = jobText(job)
        return (
          <li key={job.jid} class="row">
            <a class="grow clip" href={href(['jobs', job.jid], { minion })} title={`${job.function} on ${job.target}`}>
              {job.function} <span class="muted">on {job.target}</span>
            </a>
            <Badge tone={tone} title={counted(job.counts.minions, 'minion')}>
              {text}
            </Badge>
            <span class="muted small">
              <Time at={job.started} relative />
            </span>
          </li>
        )
      })}
    </ul>
  )

// The fleet at a glance.
import { useEffect } from 'preact/hooks'
import { read } from '../api/client.ts'
import { useResource } from '../live/resource.ts'
import { readStatus } from '../live/status.ts'
import { href } from '../route.ts'
import { seemsAllowed } from '../session.ts'
import { Card, ProblemNotice, View } from '../ui/basic.tsx'
import { JobList } from './minions/parts.tsx'
import { issuesOf } from './overview/attention.ts'
import { Attention, Busiest, Charts, Health, Highstates, Stats } from './overview/cards.tsx'
import './minions/minions.css'
import './overview/overview.css'

const LAST_JOBS = 8

/** Events that change the numbers; all others only count. */
const NEWS =
  /^salt\/(key|auth|presence\/change|minion\/[^/]+\/start|job\/\d+\/(new|ret\/.+)|master\/[^/]+\/storage\/\w+)$/

/** Polling interval of numbers without events, such as the load, in milliseconds. */
const POLL_MS = 10_000
const RELOAD_MS = 2000

const isNews = (tag: string): 'reload' | undefined => (NEWS.test(tag) ? 'reload' : undefined)

const useStatus = () => {
  const state = useResource(readStatus, [], { apply: (_, { tag }) => isNews(tag), reloadMs: RELOAD_MS })
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && void state.reload(), POLL_MS)
    return () => clearInterval(timer)
  }, [])
  return state
}

const useJobs = (query: { state?: 'failed'; since?: string }) =>
  useResource((signal) => read('/v1/jobs', { query: { ...query, limit: LAST_JOBS }, signal }), [], {
    apply: (_, { tag }) => (/^salt\/job\/\d+\/(new|ret\/.+)$/.test(tag) ? 'reload' : undefined),
    reloadMs: RELOAD_MS,
  })

/** Options set in files; empty for users who may not read them. */
const useOptions = () =>
  useResource(async (signal) => {
    if (!seemsAllowed('wheel', 'config.values')) return { data: undefined, number: 0 }
    return await read('/v1/options', { query: { changed: 'true' }, signal })
  }, [])

const DAY_MS = 86_400_000

export default function Overview() {
  const { data: status, problem, isLoading, reload } = useStatus()
  const jobs = useJobs({})
  const failed = useJobs({ state: 'failed', since: new Date(Date.now() - DAY_MS).toISOString() })
  const options = useOptions()
  const issues = issuesOf(status, { failedJobs: failed.data?.items, options: options.data?.items })
  return (
    <View title="Overview" isLoading={isLoading && !status && !problem}>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {status && (
        <div class="overview-stats">
          <Stats status={status} />
        </div>
      )}
      <div class="overview-columns">
        <div class="stack">
          {(status || issues.length > 0) && <Attention issues={issues} />}
          <Card title="Last jobs" actions={<a href={href('jobs')}>All jobs</a>}>
            {jobs.problem ? <ProblemNotice problem={jobs.problem} /> : <JobList jobs={jobs.data?.items ?? []} />}
          </Card>
        </div>
        <div class="stack">
          {status && (
            <>
              <Highstates highstates={status.highstates} />
              <Busiest kinds={status.busiest} />
            </>
          )}
        </div>
      </div>
      {status && (
        <>
          <Charts history={status.history} />
          <Health status={status} />
        </>
      )}
    </View>
  )
}

// The list of jobs, newest first.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { get, read } from '../../api/client.ts'
import { count } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import type { LiveEvent } from '../../live/stream.ts'
import { href, navigate, pageLink, param, setParams } from '../../route.ts'
import {
  Badge,
  Button,
  CopyMenu,
  Empty,
  LinkButton,
  ProblemNotice,
  Search,
  Select,
  Time,
  View,
} from '../../ui/basic.tsx'
import { isNarrow } from '../../ui/narrow.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { attempt } from '../../ui/toasts.tsx'
import type { JobSummary } from './job-data.ts'
import { STATE_TONES } from './state-tones.ts'

const PAGE = 200

const SINCE = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last day'],
  ['7d', 'Last week'],
] as const

const HOURS: Readonly<Record<string, number>> = { '1h': 1, '24h': 24, '7d': 168 }

const STATES = [
  ['', 'Any state'],
  ['running', 'Running'],
  ['done', 'Done'],
  ['failed', 'Failed'],
] as const

type State = JobSummary['state']

/** Return the filters in the address for the list. */
function queryOf() {
  const [fun, user, target, minion] = ['function', 'user', 'target', 'minion'].map((name) => param(name).trim())
  const hours = HOURS[param('since')]
  // a function without a dot or a star is a part of the name
  const glob = fun && !/[.*]/.test(fun) ? `*${fun}*` : fun
  return {
    ...(glob && { function: glob }),
    ...(user && { user }),
    ...(target && { target }),
    ...(minion && { minion }),
    ...(param('state') !== '' && { state: param('state') as State }),
    ...(hours !== undefined && { since: new Date(Date.now() - hours * 3_600_000).toISOString() }),
  }
}

interface Listed {
  items: JobSummary[]
  next: string | null
}

/** Count a return in the list; reload for a job that is new or has ended. */
function applied(data: Listed, { tag, data: event }: LiveEvent): Listed | 'reload' | undefined {
  if (/^salt\/job\/\d+\/new$/.test(tag) || /^salt\/run\/\d+\/ret$/.test(tag)) return 'reload'
  const [, jid] = /^salt\/job\/(\d+)\/ret\//.exec(tag) ?? []
  const job = jid === undefined ? undefined : data.items.find((each) => each.jid === jid)
  if (!job) return undefined
  const { minions, returned, failed } = job.counts
  if (returned + 1 >= minions) return 'reload'
  const isFailed = event['success'] === false || (typeof event['retcode'] === 'number' && event['retcode'] !== 0)
  const counts = {
    minions,
    returned: returned + 1,
    failed: failed + (isFailed ? 1 : 0),
    missing: Math.max(0, minions - returned - 1),
  }
  return { ...data, items: data.items.map((each) => (each === job ? { ...job, counts } : each)) }
}

function Counts({ counts: { minions: meant, returned, failed } }: JobSummary) {
  // calls of the master mean no minions
  const minions = Math.max(meant, returned)
  const share = (value: number) => ({ width: `${(100 * value) / Math.max(1, minions)}%` })
  return (
    <span class="job-counts" title={`${returned} of ${minions} returned, ${failed} failed`}>
      <span class="meter" aria-hidden="true">
        <i class="failed" style={share(failed)} />
        <i class="ok" style={share(returned - failed)} />
      </span>
      <span>
        {count(returned)}/{count(minions)}
      </span>
      {failed > 0 && <span class="tone-failed">{count(failed)} failed</span>}
    </span>
  )
}

const COLUMNS: ReadonlyArray<Column<JobSummary>> = [
  {
    key: 'state',
    title: 'State',
    width: '84px',
    cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{state}</Badge>,
  },
  {
    key: 'function',
    title: 'Function',
    width: 'minmax(120px, 1.5fr)',
    cell: ({ jid, function: name }) => <a href={href(['jobs', jid])}>{name}</a>,
  },
  {
    key: 'target',
    title: 'Target',
    width: 'minmax(80px, 1.5fr)',
    cell: ({ target }) => <span class="mono">{target.slice(0, 200)}</span>,
  },
  { key: 'counts', title: 'Minions', width: 'minmax(180px, 1fr)', cell: (job) => <Counts {...job} /> },
  { key: 'user', title: 'User', width: 'minmax(70px, 0.6fr)', cell: ({ user }) => user },
  { key: 'started', title: 'Started', width: '110px', cell: ({ started }) => <Time at={started} relative /> },
  { key: 'jid', title: 'Job id', width: '184px', cell: ({ jid }) => <span class="mono muted">{jid}</span> },
]

const NARROW = ['state', 'function', 'target', 'started']

function Filters() {
  const [isMore, more] = useState(['user', 'target', 'minion'].some((name) => param(name) !== ''))
  const field = (name: string, label: string) => (
    <Search wide={false} value={param(name)} label={label} onInput={(text) => setParams({ [name]: text })} />
  )
  return (
    <div class="toolbar">
      <Search
        value={param('function')}
        label="Function, such as state.*"
        onInput={(text) => setParams({ function: text })}
      />
      <Select label="State" value={param('state')} options={STATES} onChange={(state) => setParams({ state })} />
      <Select label="Since" value={param('since')} options={SINCE} onChange={(since) => setParams({ since })} />
      {isMore ? (
        <>
          {field('target', 'Target')}
          {field('minion', 'Minion id')}
          {field('user', 'User')}
        </>
      ) : (
        <Button kind="plain" onClick={() => more(true)}>
          More filters
        </Button>
      )}
    </div>
  )
}

const FILTERS = ['function', 'user', 'target', 'minion', 'state', 'since']

const isFiltered = (): boolean => FILTERS.some((name) => param(name) !== '')

/** Events update the first page; older pages are loaded by scrolling. */
function useJobs() {
  const key = FILTERS.map((name) => param(name)).join('\n')
  const first = useResource((signal) => read('/v1/jobs', { query: { ...queryOf(), limit: PAGE }, signal }), [key], {
    apply: applied,
  })
  const [older, setOlder] = useState<Listed & { key: string }>({ key, items: [], next: null })
  useEffect(() => setOlder({ key, items: [], next: null }), [key])
  const next = older.key === key && older.items.length > 0 ? older.next : (first.data?.next ?? null)
  const loadMore = async (): Promise<void> => {
    if (next === null) return
    const page = await get('/v1/jobs', { query: { ...queryOf(), limit: PAGE, cursor: next } })
    setOlder((before) =>
      before.key === key ? { key, items: [...before.items, ...page.items], next: page.next } : before,
    )
  }
  const jobs = useMemo(() => {
    const known = new Set(first.data?.items.map(({ jid }) => jid))
    return [...(first.data?.items ?? []), ...older.items.filter(({ jid }) => !known.has(jid))]
  }, [first.data, older])
  return { ...first, jobs, next, loadMore }
}

export function JobList() {
  const { jobs, next, data, problem, isLoading, reload, loadMore } = useJobs()
  const [isMoreLoading, setMoreLoading] = useState(false)
  const end = async (): Promise<void> => {
    if (next === null || isMoreLoading) return
    setMoreLoading(true)
    await attempt(loadMore)
    setMoreLoading(false)
  }
  return (
    <View
      title="Jobs"
      full
      isLoading={isLoading && !data}
      actions={
        <>
          <CopyMenu
            items={[
              ['Command line', () => 'salt-run jobs.list_jobs'],
              ['JSON', () => JSON.stringify(jobs, null, 2)],
              ['Link', pageLink],
            ]}
          />
          <LinkButton href={href('run')} icon="run" kind="primary">
            Run
          </LinkButton>
        </>
      }
    >
      <Filters />
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && (
        <Table
          label="Jobs"
          rows={jobs}
          columns={isNarrow.value ? COLUMNS.filter(({ key }) => NARROW.includes(key)) : COLUMNS}
          rowKey={({ jid }) => jid}
          onOpen={({ jid }) => navigate(href(['jobs', jid]))}
          onEnd={() => void end()}
          fill
          empty={
            isFiltered() ? (
              <Empty title="No job fits the filters">
                <a href={href('jobs')}>Show all jobs</a>
              </Empty>
            ) : (
              <Empty title="There are no jobs yet">
                <a href={href('run')}>Run a function</a>
              </Empty>
            )
          }
        />
      )}
    </View>
  )
}

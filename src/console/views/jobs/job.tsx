// The page of a job.
import { useMemo } from 'preact/hooks'
import type { Problem } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { href, param, setParams } from '../../route.ts'
import { Badge, Check, Empty, ProblemNotice, Search, Select, Tabs, Time, View } from '../../ui/basic.tsx'
import { commandLine } from '../run/command.ts'
import { Actions } from './actions.tsx'
import { caughtUp } from './caught-up.ts'
import { Compare } from './compare.tsx'
import { type Matrix, useMatrix } from './feed.ts'
import { ReturnGroups, StateGroups } from './groups.tsx'
import { commandOf, isTestRun, type Job, useJob } from './job-data.ts'
import { MatrixCanvas } from './matrix.tsx'
import { columnOrder, groupRows, type Row, type Show, shownRows } from './matrix-rows.ts'
import { JobMinions } from './minions.tsx'
import { Pane } from './pane.tsx'
import { STATE_TONES } from './state-tones.ts'

/** Return how many minions have each kind of result. */
function tally(job: Job, matrix: Matrix | undefined) {
  const { returned, failed, missing } = job.counts
  // calls of the master mean no minions
  const minions = Math.max(job.counts.minions, returned)
  const changed = (matrix?.groups ?? []).reduce(
    (sum, group) => sum + (group.succeeded && group.changed > 0 ? group.minions : 0),
    0,
  )
  return { minions, returned, failed, missing, changed, same: Math.max(0, returned - failed - changed) }
}

function Header({ job, matrix }: { job: Job; matrix: Matrix | undefined }) {
  const { minions, failed, missing, changed, same } = tally(job, matrix)
  const share = (value: number) => ({ width: `${(100 * value) / Math.max(1, minions)}%` })
  const changes = isTestRun(job) ? 'would change' : 'changed'
  return (
    <div class="job-head stack">
      <div class="row">
        <Badge tone={STATE_TONES[job.state]}>{job.state}</Badge>
        {isTestRun(job) && <Badge tone="info">test run</Badge>}
        <span>{counted(minions, 'minion')}</span>
        {failed > 0 && <span class="tone-failed">{count(failed)} failed</span>}
        {changed > 0 && (
          <span class="tone-changed">
            {count(changed)} {changes}
          </span>
        )}
        {same > 0 && (
          <span class="tone-ok">
            {count(same)} {matrix && matrix.columns.length > 0 ? 'without changes' : 'succeeded'}
          </span>
        )}
        {missing > 0 && <span class="muted">{count(missing)} without a return</span>}
        <span class="muted small">
          {job.user}, <Time at={job.started} relative />
          {job.returner && `, returner ${job.returner}`}
        </span>
      </div>
      <div class="meter" aria-hidden="true">
        <i class="failed" style={share(failed)} />
        <i class="changed" style={share(changed)} />
        <i class="ok" style={share(same)} />
      </div>
      <code class="small wrap">{commandLine(commandOf(job)).slice(0, 1000)}</code>
    </div>
  )
}

const SHOWS = [
  ['all', 'All'],
  ['failed', 'Failed'],
  ['changed', 'Changed'],
] as const

const SIGNS = [
  ['c', '±', 'changed'],
  ['t', '?', 'would change'],
  ['f', '×', 'failed'],
  ['k', '–', 'not run'],
  ['s', '·', 'no change'],
] as const

const Legend = () => (
  <ul class="signs small" aria-label="Signs">
    {SIGNS.map(([sign, mark, name]) => (
      <li key={sign}>
        <i data-sign={sign}>{mark}</i> {name}
      </li>
    ))}
  </ul>
)

const GROUPED = 200

/** Whether rows with the same results are merged; the default for many rows. */
const isGrouped = (matrix: Matrix): boolean =>
  param('rows') === ''
    ? matrix.rows.length > GROUPED && matrix.groups.length < matrix.rows.length
    : param('rows') === 'groups'

function Filters({ matrix, tab }: { matrix: Matrix; tab: string }) {
  return (
    <div class="toolbar">
      <Search value={param('q')} label="Minion id" onInput={(q) => setParams({ q })} />
      {tab !== 'compare' && (
        <Select
          label="Which results"
          value={param('show', 'all')}
          options={SHOWS}
          onChange={(show) => setParams({ show: show === 'all' ? null : show })}
        />
      )}
      {tab === 'matrix' && (
        <Check
          checked={isGrouped(matrix)}
          label="Same results in one row"
          onChange={(checked) => setParams({ rows: checked ? 'groups' : 'minions' })}
        />
      )}
    </div>
  )
}

function MatrixPart({ matrix }: { matrix: Matrix }) {
  const [show, q] = [param('show', 'all') as Show, param('q')]
  const grouped = isGrouped(matrix)
  const order = useMemo(() => columnOrder(matrix.columns), [matrix])
  const rows = useMemo(
    () => shownRows(grouped ? groupRows(matrix.rows, matrix.groups) : matrix.rows, { show, q }),
    [matrix, show, q, grouped],
  )
  const countOf = useMemo(() => {
    const sizes = new Map(matrix.groups.map(({ group, minions }) => [group, minions]))
    return ({ group }: Row): number => sizes.get(group) ?? 1
  }, [matrix])
  if (rows.length === 0) return <Empty title="No minion fits the filter" />
  return (
    <>
      <MatrixCanvas
        rows={rows}
        columns={matrix.columns}
        order={order}
        {...(grouped && { countOf })}
        chosen={param('minion')}
        onOpen={(row, column) =>
          grouped && countOf(row) > 1 && !column
            ? setParams({ group: row.group, minion: null, state: null })
            : setParams({ minion: row.minion, state: column?.key ?? null, group: null })
        }
      />
      <Legend />
    </>
  )
}

const TABS = {
  matrix: 'Matrix',
  groups: 'Groups',
  returns: 'Returns',
  minions: 'Minions',
  compare: 'Compare',
} as const

function Body({ job, matrix, tab }: { job: Job; matrix: Matrix; tab: string }) {
  if (tab === 'matrix') return <MatrixPart matrix={matrix} />
  if (tab === 'groups') return <StateGroups matrix={matrix} />
  if (tab === 'minions') return <JobMinions job={job} matrix={matrix} />
  if (tab === 'compare') return <Compare job={job} matrix={matrix} />
  return <ReturnGroups job={job} />
}

/** The parts of the page that a job has. */
function tabsOf(matrix: Matrix): (keyof typeof TABS)[] {
  return matrix.columns.length > 0 ? ['matrix', 'groups', 'minions', 'compare'] : ['returns', 'minions', 'compare']
}

export function JobPage({ jid }: { jid: string }) {
  const { data: known, problem, isLoading, reload } = useJob(jid)
  const feed = useMatrix(jid)
  const { matrix } = feed
  const job = useMemo(() => known && caughtUp(known, matrix), [known, matrix])
  const tabs = matrix ? tabsOf(matrix) : []
  const tab = tabs.find((each) => each === param('tab')) ?? tabs[0] ?? ''
  const pane = job && (tab !== 'compare' || param('state') !== '') ? <Pane job={job} matrix={matrix} /> : null
  return (
    <View
      title={job ? job.function : jid}
      crumb={{ text: 'Jobs', href: href('jobs') }}
      actions={job && <Actions job={job} />}
      isLoading={isLoading && !job}
      full
    >
      {problem && <JobProblem problem={problem} jid={jid} retry={reload} />}
      {job && <Header job={job} matrix={matrix} />}
      {job && feed.problem && <ProblemNotice problem={feed.problem} retry={feed.retry} />}
      {job && matrix && (
        <>
          <Tabs
            active={tab}
            tabs={tabs.map((id) => [id, TABS[id]])}
            href={(id) => href(['jobs', jid], { tab: id, minion: param('minion'), q: param('q'), show: param('show') })}
          />
          {tab !== 'returns' && tab !== 'groups' && <Filters matrix={matrix} tab={tab} />}
          <div class={pane ? 'job-body open' : 'job-body'}>
            <div class="job-main">
              <Body job={job} matrix={matrix} tab={tab} />
            </div>
            {pane}
          </div>
        </>
      )}
    </View>
  )
}

const JobProblem = ({ problem, jid, retry }: { problem: Problem; jid: string; retry(): unknown }) =>
  problem.status === 404 ? (
    <Empty title={`There is no job ${jid}`}>
      <p>The master keeps jobs for some time only (the option keep_jobs_seconds).</p>
      <a href={href('jobs')}>Go to the list of jobs</a>
    </Empty>
  ) : (
    <ProblemNotice problem={problem} retry={retry} />
  )

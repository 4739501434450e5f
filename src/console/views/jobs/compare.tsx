// The differences from the previous run: the last job with the same function, target and arguments.
import { useMemo } from 'preact/hooks'
import { get, Problem, read } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Badge, Empty, Notice, ProblemNotice, Time } from '../../ui/basic.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Matrix, useMatrix } from './feed.ts'
import type { Job, JobSummary } from './job-data.ts'
import { type Difference, differences } from './matrix-rows.ts'
import { ReturnValue } from './pane.tsx'
import { SIGN_NAMES, SIGN_TONES } from './results.ts'

/** How many jobs are searched for the same arguments. */
const MOST_LOOKED = 10

const sameAs = (a: Job, b: Job): boolean => JSON.stringify([a.args, a.kwargs]) === JSON.stringify([b.args, b.kwargs])

/** Find the last job before this one with the same function, target and arguments. */
async function runBefore(job: Job, signal: AbortSignal): Promise<JobSummary | null> {
  // a target with many stars is no filter of the list
  const isFilter = job.target.length < 1000 && job.target.split('*').length <= 3 && !/[?[\]]/.test(job.target)
  const { items } = await get('/v1/jobs', {
    query: { function: job.function, until: job.started, limit: 100, ...(isFilter && { target: job.target }) },
    signal,
  })
  const likely = items.filter(
    ({ jid, target, targetType }) => jid < job.jid && target === job.target && targetType === job.targetType,
  )
  for (const each of likely.slice(0, MOST_LOOKED)) {
    const details = await get('/v1/jobs/{jid}', { params: { jid: each.jid }, signal })
    if (sameAs(details, job)) return each
  }
  return null
}

const Sign = ({ sign }: { sign: string }) =>
  sign === '' ? (
    <span class="muted">no return</span>
  ) : sign === '!' ? (
    <span>another return</span>
  ) : (
    <Badge tone={SIGN_TONES[sign as 's'] ?? 'quiet'}>{SIGN_NAMES[sign] ?? sign}</Badge>
  )

const COLUMNS: ReadonlyArray<Column<Difference>> = [
  { key: 'minion', title: 'Minion', width: 'minmax(100px, 1fr)', cell: ({ minion }) => minion },
  {
    key: 'state',
    title: 'State',
    width: 'minmax(110px, 2fr)',
    cell: ({ column }) => (column ? `${column.id} (${column.function})` : 'the whole return'),
  },
  { key: 'before', title: 'Before', width: '120px', cell: ({ before }) => <Sign sign={before} /> },
  { key: 'after', title: 'Now', width: '120px', cell: ({ after }) => <Sign sign={after} /> },
]

const isTrouble = (sign: string): boolean => sign === 'f' || sign === 'k'

function summary(found: readonly Difference[]): string {
  const minions = new Set(found.map(({ minion }) => minion)).size
  const worse = found.filter(({ before, after }) => isTrouble(after) && !isTrouble(before)).length
  const better = found.filter(({ before, after }) => isTrouble(before) && !isTrouble(after)).length
  const parts = [`${counted(found.length, 'difference')} on ${counted(minions, 'minion')}`]
  if (worse > 0) parts.push(`${count(worse)} fail now`)
  if (better > 0) parts.push(`${count(better)} fail no more`)
  return parts.join(', ')
}

/** Both returns of a minion that differ as a whole. */
function Both({ before, after, minion }: { before: string; after: string; minion: string }) {
  const { data, problem } = useResource(async () => {
    const one = async (jid: string): Promise<unknown> => {
      try {
        return (await get('/v1/jobs/{jid}/returns/{minion}', { params: { jid, minion } })).value
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return 'no return'
        throw error
      }
    }
    return { data: [await one(before), await one(after)], number: 0 }
  }, [before, after, minion])
  if (problem) return <ProblemNotice problem={problem} />
  return (
    <div class="grid compare-both">
      {['Before', 'Now'].map((name, index) => (
        <section key={name} class="stack">
          <h3>
            {name}: {minion}
          </h3>
          {data && <ReturnValue value={data[index]} />}
        </section>
      ))}
    </div>
  )
}

function Differences({ job, matrix, before }: { job: Job; matrix: Matrix; before: string }) {
  const old = useMatrix(before)
  const q = param('q')
  const found = useMemo(
    () => (old.matrix?.isWhole && matrix.isWhole ? differences(old.matrix, matrix) : undefined),
    [old.matrix, matrix],
  )
  const shown = useMemo(() => found?.filter(({ minion }) => minion.includes(q)), [found, q])
  if (old.problem) return <ProblemNotice problem={old.problem} retry={old.retry} />
  if (!shown || !found) return <p class="muted">Comparing …</p>
  if (found.length === 0) {
    return <Empty title="Nothing differs">Every minion has the same results as in the run before.</Empty>
  }
  const minion = param('minion')
  const chosen = found.find((each) => each.minion === minion && !each.column)
  return (
    <>
      <p role="status">{summary(found)}</p>
      <Table
        label="Differences from the run before"
        rows={shown}
        columns={COLUMNS}
        rowKey={(each) => `${each.minion} ${each.column?.key ?? ''}`}
        active={`${minion} ${param('state')}`}
        onOpen={(each) => setParams({ minion: each.minion, state: each.column?.key ?? null, group: null })}
        minWidth={480}
        fill
      />
      {chosen && <Both before={before} after={job.jid} minion={minion} />}
    </>
  )
}

export function Compare({ job, matrix }: { job: Job; matrix: Matrix }) {
  const asked = param('with')
  const { data, problem, isLoading, reload } = useResource(
    async (signal) =>
      asked === ''
        ? { data: await runBefore(job, signal), number: 0 }
        : read('/v1/jobs/{jid}', { params: { jid: asked }, signal }),
    [job.jid, asked],
  )
  if (problem) return <ProblemNotice problem={problem} retry={reload} />
  if (isLoading) return <p class="muted">Looking for the run before …</p>
  if (!data) {
    return (
      <Empty title="There is no run before">
        <p>No earlier job has the same function, target and arguments.</p>
      </Empty>
    )
  }
  return (
    <>
      <Notice>
        <span>
          Compared with <a href={href(['jobs', data.jid])}>{data.jid}</a>, begun by {data.user}{' '}
          <Time at={data.started} relative />
        </span>
      </Notice>
      <Differences key={data.jid} job={job} matrix={matrix} before={data.jid} />
    </>
  )
}

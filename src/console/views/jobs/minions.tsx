// The minions of a job as a table, including those that have not returned.
import { useMemo } from 'preact/hooks'
import { duration } from '../../format.ts'
import { param, setParams } from '../../route.ts'
import { Badge, Empty, Time, type Tone } from '../../ui/basic.tsx'
import { isNarrow } from '../../ui/narrow.ts'
import { type Column, Table } from '../../ui/table.tsx'
import type { Matrix } from './feed.ts'
import type { Job } from './job-data.ts'

interface Line {
  id: string
  word: string
  tone: Tone
  returned: string | null
  text: string
  took: number | undefined
  /** Sort order by importance. */
  order: number
}

const COLUMNS: ReadonlyArray<Column<Line>> = [
  { key: 'id', title: 'Minion', width: 'minmax(110px, 1.5fr)', canSort: true, cell: ({ id }) => id },
  {
    key: 'state',
    title: 'Result',
    width: '100px',
    canSort: true,
    cell: ({ word, tone }) => <Badge tone={tone}>{word}</Badge>,
  },
  { key: 'text', title: 'What happened', width: 'minmax(120px, 2fr)', cell: ({ text }) => text },
  {
    key: 'took',
    title: 'States took',
    width: '110px',
    canSort: true,
    isRight: true,
    cell: ({ took }) => (took === undefined ? '' : duration(took)),
  },
  { key: 'returned', title: 'Returned', width: '180px', canSort: true, cell: ({ returned }) => <Time at={returned} /> },
]

const KEYS: Readonly<Record<string, (line: Line) => string | number>> = {
  id: ({ id }) => id,
  state: ({ order }) => order,
  took: ({ took }) => took ?? -1,
  returned: ({ returned }) => returned ?? '',
}

function linesOf(job: Job, matrix: Matrix | undefined): Line[] {
  const rows = new Map(matrix?.rows.map((row) => [row.minion, row]))
  const groups = new Map(matrix?.groups.map((group) => [group.group, group]))
  return job.minions.map(({ id, state, returned, reason }) => {
    const row = rows.get(id)
    const group = row && groups.get(row.group)
    const isChanged = state === 'succeeded' && (group?.changed ?? 0) > 0
    return {
      id,
      word: state === 'waiting' ? 'waiting' : isChanged ? 'changed' : state,
      tone: state === 'waiting' ? 'quiet' : state === 'failed' ? 'failed' : isChanged ? 'changed' : 'ok',
      returned,
      text: group?.text ?? reason ?? '',
      took: row && matrix && matrix.columns.length > 0 ? row.duration : undefined,
      order: state === 'failed' ? 0 : state === 'waiting' ? 1 : isChanged ? 2 : 3,
    }
  })
}

function sorted(lines: Line[], sort: string): Line[] {
  const key = KEYS[sort.replace('-', '')] ?? KEYS['state']!
  const sign = sort.startsWith('-') ? -1 : 1
  const compare = (a: Line, b: Line): number => {
    const [x, y] = [key(a), key(b)]
    return x === y ? (a.id < b.id ? -1 : 1) : x < y ? -sign : sign
  }
  return lines.sort(compare)
}

export function JobMinions({ job, matrix }: { job: Job; matrix: Matrix | undefined }) {
  const [sort, q, show] = [param('sort', 'state'), param('q'), param('show', 'all')]
  const all = useMemo(() => linesOf(job, matrix), [job, matrix])
  const lines = useMemo(() => {
    const isShown = ({ id, order }: Line): boolean =>
      id.includes(q) && (show === 'all' || (show === 'failed' ? order === 0 : order === 2))
    return sorted(all.filter(isShown), sort)
  }, [all, sort, q, show])
  const columns = isNarrow.value ? COLUMNS.slice(0, 3) : COLUMNS
  return (
    <Table
      label="Minions of the job"
      rows={lines}
      columns={columns}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={(next) => setParams({ sort: next })}
      active={param('minion')}
      onOpen={({ id }) => setParams({ minion: id, state: null, group: null })}
      fill
      empty={<Empty title="No minion fits the filter" />}
    />
  )
}

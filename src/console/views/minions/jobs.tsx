// The jobs of a minion.
import { read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { href, navigate } from '../../route.ts'
import { Badge, ProblemNotice, Time } from '../../ui/basic.tsx'
import { isNarrow } from '../../ui/narrow.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { type JobSummary, jobText } from './parts.tsx'

const LIMIT = 200

const STARTED: Column<JobSummary> = {
  key: 'started',
  title: 'Started',
  width: 'minmax(120px, 1fr)',
  cell: ({ started }) => <Time at={started} />,
}

const COLUMNS: Column<JobSummary>[] = [
  {
    key: 'function',
    title: 'Function',
    width: 'minmax(120px, 2fr)',
    cell: ({ function: fun, jid }) => <a href={href(['jobs', jid])}>{fun}</a>,
  },
  { key: 'target', title: 'Target', width: 'minmax(80px, 1fr)', cell: ({ target }) => target },
  { key: 'user', title: 'User', width: '100px', cell: ({ user }) => user },
  STARTED,
  {
    key: 'state',
    title: 'State',
    width: '110px',
    cell: (job) => {
      const [tone, text] = jobText(job)
      return <Badge tone={tone}>{text}</Badge>
    },
  },
]

const FOR_PHONES = new Set(['function', 'started', 'state'])

export function JobsTab({ id }: { id: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/jobs', { query: { minion: id, limit: LIMIT }, signal }),
    [id],
    { apply: (_, { tag }) => (tag.startsWith('salt/job/') && tag.endsWith(`/ret/${id}`) ? 'reload' : undefined) },
  )
  return (
    <>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      <div class="tall" aria-busy={isLoading && !data}>
        <Table
          label={`Jobs of ${id}`}
          fill
          rows={data?.items ?? []}
          columns={isNarrow.value ? COLUMNS.filter(({ key }) => FOR_PHONES.has(key)) : COLUMNS}
          rowKey={({ jid }) => jid}
          onOpen={({ jid }) => navigate(href(['jobs', jid]))}
          empty={data && <p class="empty">This minion has done no job yet.</p>}
        />
      </div>
      {data?.next && <a href={href('jobs', { minion: id })}>Older jobs</a>}
    </>
  )
}

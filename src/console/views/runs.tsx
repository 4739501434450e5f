// Orchestration runs: the list, and one run as a graph.
import { read } from '../api/client.ts'
import { duration } from '../format.ts'
import { useResource } from '../live/resource.ts'
import type { LiveEvent } from '../live/stream.ts'
import { href, navigate, param, setParams } from '../route.ts'
import { Badge, Button, Empty, LinkButton, ProblemNotice, Time, View } from '../ui/basic.tsx'
import { isNarrow } from '../ui/narrow.ts'
import { type Column, Table } from '../ui/table.tsx'
import type { ViewProps } from '../views.ts'
import { RunPage } from './runs/details.tsx'
import { modsText, RUN_STATES, type Run, runTime } from './runs/steps.ts'
import './runs/runs.css'

const PAGE = 100
const MOST = 1000

const START = href('run', { family: 'runner', function: 'state.orchestrate' })

function Progress({ run: { steps } }: { run: Run }) {
  const share = (part: number): string => `${steps.total === 0 ? 0 : (100 * part) / steps.total}%`
  return (
    <div class="run-progress">
      <div class="meter" aria-hidden="true">
        <i class="ok" style={{ width: share(steps.done) }} />
        <i class="failed" style={{ width: share(steps.failed) }} />
      </div>
      <span class="small">
        {steps.done} of {steps.total}
        {steps.failed > 0 && <span class="tone-failed">, {steps.failed} failed</span>}
      </span>
    </div>
  )
}

const COLUMNS: ReadonlyArray<Column<Run>> = [
  {
    key: 'state',
    title: 'State',
    width: '104px',
    cell: ({ state }) => <Badge tone={RUN_STATES[state].tone}>{RUN_STATES[state].text}</Badge>,
  },
  {
    key: 'mods',
    title: 'SLS files',
    width: 'minmax(120px, 2fr)',
    cell: ({ jid, mods }) => <a href={href(['runs', jid])}>{modsText(mods) || jid}</a>,
  },
  { key: 'steps', title: 'Steps done', width: 'minmax(150px, 1fr)', cell: (run) => <Progress run={run} /> },
  { key: 'started', title: 'Started', width: '110px', cell: ({ started }) => <Time at={started} relative /> },
  { key: 'took', title: 'Took', width: '90px', isRight: true, cell: (run) => duration(runTime(run)) },
  { key: 'user', title: 'User', width: 'minmax(60px, 110px)', cell: ({ user }) => user },
  { key: 'jid', title: 'Job id', width: '180px', cell: ({ jid }) => <span class="mono muted">{jid}</span> },
]

const NARROW = new Set(['state', 'mods', 'started'])

/** Whether an event may change the list. */
const isNews = ({ tag, data }: LiveEvent, isRunning: boolean): boolean =>
  (tag.startsWith('salt/run/') && String(data['fun'] ?? '').startsWith('runner.state.orch')) ||
  (isRunning && /^salt\/(job|run)\//.test(tag))

function RunList() {
  const limit = Math.min(MOST, Math.max(PAGE, Number(param('limit')) || PAGE))
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/runs', { query: { limit }, signal }),
    [limit],
    {
      apply: ({ items }, event) =>
        isNews(
          event,
          items.some(({ state }) => state === 'running'),
        )
          ? 'reload'
          : undefined,
    },
  )
  return (
    <View
      title="Orchestrations"
      full
      isLoading={isLoading && !data}
      actions={
        <LinkButton href={START} icon="run" kind="primary">
          Start an orchestration
        </LinkButton>
      }
    >
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && (
        <Table
          label="Orchestration runs"
          rows={data.items}
          columns={isNarrow.value ? COLUMNS.filter(({ key }) => NARROW.has(key)) : COLUMNS}
          rowKey={({ jid }) => jid}
          onOpen={({ jid }) => navigate(href(['runs', jid]))}
          empty={
            <Empty title="No orchestration was run yet">
              <p>An orchestration runs states and functions on minions, one after the other, from the master.</p>
              <LinkButton href={START}>Start one</LinkButton>
            </Empty>
          }
        />
      )}
      {data?.next && limit < MOST && (
        <div class="row">
          <Button onClick={() => setParams({ limit: Math.min(MOST, limit + PAGE) })}>Show more runs</Button>
        </div>
      )}
    </View>
  )
}

export default function Runs({ rest: [jid] }: ViewProps) {
  return jid === undefined ? <RunList /> : <RunPage key={jid} jid={jid} />
}

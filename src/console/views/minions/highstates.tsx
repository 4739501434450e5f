// The runs of states of a minion over time.
import { type Data, read } from '../../api/client.ts'
import { counted, duration, shortTime } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, navigate, param, setParams } from '../../route.ts'
import { Badge, Button, Card, Check, Empty, ProblemNotice, Time } from '../../ui/basic.tsx'
import { isNarrow } from '../../ui/narrow.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { askHighstate } from './actions.tsx'
import { DriftMark, HighstateMark, resultText } from './marks.tsx'
import type { Details } from './parts.tsx'
import { LastResult } from './result.tsx'

type StateRun = Data<'/v1/minions/{id}/highstates'>['items'][number]

const LIMIT = 100

const nameOf = ({ mods, test }: StateRun): string =>
  `${mods.length === 0 ? 'highstate' : mods.join(', ')}${test ? ' (dry run)' : ''}`

/** One bar for each run, oldest first, as high as it has states. */
function Bars({ id, runs }: { id: string; runs: readonly StateRun[] }) {
  // changed states succeeded as well, except in dry runs
  const parts = (run: StateRun) => {
    const ok = Math.max(0, run.succeeded - (run.test ? 0 : run.changed))
    return [
      ['failed', run.failed],
      ['changed', run.changed],
      ['ok', ok],
    ] as const
  }
  const most = Math.max(1, ...runs.map((run) => parts(run).reduce((sum, [, states]) => sum + states, 0)))
  return (
    <div class="bars" role="group" aria-label="Runs of states, oldest first">
      {runs.toReversed().map((run) => {
        const [, text] = resultText(run)
        const title = `${nameOf(run)}, ${shortTime(run.when)}: ${text}, ${duration(run.duration)}`
        return (
          <a
            key={run.jid}
            href={href(['jobs', run.jid], { minion: id })}
            title={title}
            aria-label={title}
            data-test={run.test}
          >
            {parts(run).map(
              ([kind, states]) =>
                states > 0 && <i key={kind} class={kind} style={{ height: `${(states / most) * 100}%` }} />,
            )}
          </a>
        )
      })}
    </div>
  )
}

const Legend = () => (
  <span class="legend small">
    <span>
      <i class="failed" />
      failed
    </span>
    <span>
      <i class="changed" />
      changed
    </span>
    <span>
      <i class="ok" />
      without changes
    </span>
    <span class="muted">pale: dry run</span>
  </span>
)

const COLUMNS: Column<StateRun>[] = [
  { key: 'when', title: 'Returned', width: 'minmax(110px, 1fr)', cell: ({ when }) => <Time at={when} /> },
  {
    key: 'what',
    title: 'States',
    width: 'minmax(120px, 2fr)',
    cell: (run) => <a href={href(['jobs', run.jid])}>{nameOf(run)}</a>,
  },
  {
    key: 'result',
    title: 'Result',
    width: '120px',
    cell: (run) => {
      const [tone, text] = resultText(run)
      return <Badge tone={tone}>{run.test ? text.replace('changed', 'would change') : text}</Badge>
    },
  },
  { key: 'count', title: 'Succeeded', width: '90px', isRight: true, cell: ({ succeeded }) => succeeded },
  { key: 'duration', title: 'Took', width: '90px', isRight: true, cell: (run) => duration(run.duration) },
]

const FOR_PHONES = new Set(['when', 'what', 'result'])

export function HighstateTab({ data: minion }: { data: Details }) {
  const { id } = minion
  const isWhole = param('only') === 'highstate'
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/minions/{id}/highstates', { params: { id }, query: { limit: LIMIT }, signal }),
    [id],
    {
      apply: (_, { tag, data: event }) =>
        tag.endsWith(`/ret/${id}`) && String(event['fun']).startsWith('state.') ? 'reload' : undefined,
    },
  )
  const runs = (data?.items ?? []).filter(({ mods }) => !isWhole || mods.length === 0)
  return (
    <>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      <div class="toolbar" aria-busy={isLoading && !data}>
        <span>
          Last highstate: <HighstateMark minion={minion} />
        </span>
        <span>
          Drift: <DriftMark minion={minion} />
        </span>
        <Check
          label="Only the highstate"
          checked={isWhole}
          onChange={(only) => setParams({ only: only ? 'highstate' : null })}
        />
      </div>
      {data && runs.length === 0 && (
        <Empty title="No states have been applied to this minion">
          <Button kind="primary" onClick={() => askHighstate([minion])}>
            Apply the highstate …
          </Button>
        </Empty>
      )}
      {minion.lastHighstate && <LastResult minion={id} jid={minion.lastHighstate.jid} />}
      {runs.length > 0 && (
        <>
          <Card title={`Last ${counted(runs.length, 'run')}`} actions={<Legend />}>
            <Bars id={id} runs={runs} />
          </Card>
          <div class="tall">
            <Table
              label={`Runs of states on ${id}`}
              fill
              rows={runs}
              columns={isNarrow.value ? COLUMNS.filter(({ key }) => FOR_PHONES.has(key)) : COLUMNS}
              rowKey={({ jid }) => jid}
              onOpen={({ jid }) => navigate(href(['jobs', jid], { minion: id }))}
            />
          </div>
        </>
      )}
    </>
  )
}

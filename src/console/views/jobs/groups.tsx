// Minions with the same results, as a list: "412 minions: 3 changed".
import { useEffect, useState } from 'preact/hooks'
import { read } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { connection } from '../../live/stream.ts'
import { param, setParams } from '../../route.ts'
import { Badge, Button, Card, CopyMenu, Empty, Notice, ProblemNotice, type Tone } from '../../ui/basic.tsx'
import { Table, type Column as TableColumn } from '../../ui/table.tsx'
import type { Matrix } from './feed.ts'
import type { Job } from './job-data.ts'
import { type Group, groupOrder } from './matrix-rows.ts'
import { ReturnValue } from './pane.tsx'

const CHIPS = 24
const PAGE = 50

const toneOf = ({ succeeded, changed }: Group): Tone => (!succeeded ? 'failed' : changed > 0 ? 'changed' : 'ok')
const wordOf = ({ succeeded, changed }: Group): string =>
  !succeeded ? 'failed' : changed > 0 ? 'changed' : 'succeeded'

const COLUMNS: ReadonlyArray<TableColumn<Group>> = [
  {
    key: 'result',
    title: 'Result',
    width: '100px',
    cell: (group) => <Badge tone={toneOf(group)}>{wordOf(group)}</Badge>,
  },
  { key: 'minions', title: 'Minions', width: '80px', isRight: true, cell: ({ minions }) => count(minions) },
  { key: 'text', title: 'What happened', width: 'minmax(160px, 3fr)', cell: ({ text }) => text },
  { key: 'sample', title: 'Such as', width: 'minmax(90px, 1fr)', cell: ({ sample }) => sample },
]

/** The groups of a job of states. */
export const StateGroups = ({ matrix }: { matrix: Matrix }) => (
  <Table
    label="Groups of minions with the same results"
    rows={groupOrder(matrix.groups)}
    columns={COLUMNS}
    rowKey={({ group }) => String(group)}
    active={param('group')}
    fill
    onOpen={({ group }) => setParams({ group, minion: null, state: null })}
    empty={<Empty title="No minion has returned yet" />}
  />
)

/** Whether an event is a return of a job, of a minion or of the master. */
const isReturn = (jid: string, tag: string): boolean =>
  tag.startsWith(`salt/job/${jid}/ret/`) || tag === `salt/run/${jid}/ret`

/** Read the groups until the master has read all returns. */
async function allGroups(jid: string, signal: AbortSignal) {
  let answer = await read('/v1/jobs/{jid}/groups', { params: { jid }, signal })
  while (answer.data.more) answer = await read('/v1/jobs/{jid}/groups', { params: { jid }, signal })
  return answer
}

/** The groups of a job of any function, with their results. */
export function ReturnGroups({ job }: { job: Job }) {
  const [most, show] = useState(PAGE)
  const { jid } = job
  const { data, problem, reload } = useResource((signal) => allGroups(jid, signal), [jid], {
    apply: (_, { tag }) => (isReturn(jid, tag) ? 'reload' : undefined),
  })
  const { returned } = job.counts
  const grouped = data?.groups.reduce((sum, { minions }) => sum + minions, 0)
  // without events, the counts of the job show further returns
  useEffect(() => {
    if (connection.peek() !== 'live' && grouped !== undefined && grouped < returned) void reload()
  }, [grouped, returned])
  if (problem) return <ProblemNotice problem={problem} retry={reload} />
  if (!data) return null
  if (data.groups.length === 0) {
    return (
      <Empty title="No minion has returned yet">
        <p>Returns appear here as they come.</p>
      </Empty>
    )
  }
  const groups = groupOrder(data.groups) as typeof data.groups
  return (
    <div class="stack return-groups">
      {groups.slice(0, most).map((group) => (
        <Card
          key={group.digest + group.sample}
          title={group.minions === 1 ? group.sample : `${counted(group.minions, 'minion')}: the same`}
          actions={
            <>
              {!group.succeeded && <Badge tone="failed">failed</Badge>}
              <CopyMenu
                items={[
                  ['JSON', () => JSON.stringify(group.value, null, 2)],
                  ['Target', () => group.minionIds.join(',')],
                ]}
              />
            </>
          }
        >
          <div class="stack">
            {group.minions > 1 && (
              <div class="chips">
                {group.minionIds.slice(0, CHIPS).map((id) => (
                  <button type="button" key={id} class="chip" onClick={() => setParams({ minion: id, group: null })}>
                    {id}
                  </button>
                ))}
                {group.minions > CHIPS && <span class="muted">and {count(group.minions - CHIPS)} more</span>}
              </div>
            )}
            {group.truncated ? (
              <Notice>
                The return is large.
                <Button small onClick={() => setParams({ minion: group.sample, group: null })}>
                  Open it
                </Button>
              </Notice>
            ) : (
              <ReturnValue value={group.value} />
            )}
          </div>
        </Card>
      ))}
      {groups.length > most && (
        <Button onClick={() => show(most + 5 * PAGE)}>{counted(groups.length - most, 'further group')}</Button>
      )}
    </div>
  )
}

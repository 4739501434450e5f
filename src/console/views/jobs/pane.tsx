// The pane beside the results of a job: one minion, or a group of minions with the same results.
import type { ComponentChildren } from 'preact'
import { read } from '../../api/client.ts'
import { count, counted, duration } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Badge, Button, CopyMenu, Notice, ProblemNotice, Time } from '../../ui/basic.tsx'
import { Shown } from '../../ui/values.tsx'
import type { Matrix } from './feed.ts'
import type { Job } from './job-data.ts'
import type { Group } from './matrix-rows.ts'
import { statesOf } from './results.ts'
import { States } from './states.tsx'

const CHIPS = 200

const close = (): void => setParams({ minion: null, state: null, group: null })

const Frame = ({
  title,
  actions,
  children,
}: {
  title: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}) => (
  <aside
    class="job-pane"
    aria-label="Details"
    onKeyDown={(event) => {
      if (event.key === 'Escape') close()
    }}
  >
    <header class="row">
      <h2 class="grow wrap">{title}</h2>
      {actions}
      <Button icon="close" kind="plain" title="Close the details" onClick={close} />
    </header>
    <div class="stack">{children}</div>
  </aside>
)

/** The return of a minion, and its hints. */
function Return({ jid, minion, matrix }: { jid: string; minion: string; matrix: Matrix | undefined }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/jobs/{jid}/returns/{minion}', { params: { jid, minion }, signal }),
    [jid, minion],
  )
  if (problem) return <ProblemNotice problem={problem} retry={reload} />
  if (!data || (isLoading && data.minion !== minion)) return <p class="muted">Loading …</p>
  const states = statesOf(data.value)
  const row = matrix?.rows.find((each) => each.minion === minion)
  return (
    <>
      <div class="row small">
        <Badge tone={data.succeeded ? 'ok' : 'failed'}>{data.succeeded ? 'succeeded' : 'failed'}</Badge>
        <Time at={data.returned} />
        {states && row && <span class="muted">states took {duration(row.duration)}</span>}
        {data.retcode !== undefined && data.retcode !== 0 && <span class="muted">exit code {data.retcode}</span>}
      </div>
      {data.hints?.map(({ level, text, at }) => (
        <Notice key={text + at} tone={level === 'error' ? 'failed' : 'changed'}>
          <span class="wrap">
            {text}
            {at && <span class="mono small"> {at}</span>}
          </span>
        </Notice>
      ))}
      {states ? (
        <States
          states={states}
          columns={matrix?.columns ?? []}
          chosen={matrix?.columns.find(({ key }) => key === param('state'))}
        />
      ) : (
        <ReturnValue value={data.value} />
      )}
      <div class="row">
        <CopyMenu items={[['JSON', () => JSON.stringify(data.value, null, 2)]]} />
      </div>
    </>
  )
}

/** A return without state results; a list of texts, such as errors of rendering, is shown as lines. */
export function ReturnValue({ value }: { value: unknown }) {
  const isTexts = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
  return <Shown value={isTexts ? value.join('\n') : value} />
}

function MinionPane({ job, matrix, minion }: { job: Job; matrix: Matrix | undefined; minion: string }) {
  const known = job.minions.find(({ id }) => id === minion)
  const isBack = known === undefined ? matrix?.rows.some((row) => row.minion === minion) : known.state !== 'waiting'
  return (
    <Frame title={<a href={href(['minions', minion])}>{minion}</a>}>
      {isBack ? (
        <Return jid={job.jid} minion={minion} matrix={matrix} />
      ) : (
        <Notice>{known ? 'This minion has not returned yet.' : 'This minion is not one of the job.'}</Notice>
      )}
    </Frame>
  )
}

function GroupPane({ job, matrix, group }: { job: Job; matrix: Matrix; group: Group }) {
  const ids = matrix.rows.filter((row) => row.group === group.group).map(({ minion }) => minion)
  return (
    <Frame
      title={`${counted(group.minions, 'minion')}: ${group.text}`}
      actions={<CopyMenu items={[['Target', () => ids.join(',')]]} />}
    >
      <div class="chips">
        {ids.slice(0, CHIPS).map((id) => (
          <button type="button" key={id} class="chip" onClick={() => setParams({ minion: id, group: null })}>
            {id}
          </button>
        ))}
        {ids.length > CHIPS && <span class="muted">and {count(ids.length - CHIPS)} more</span>}
      </div>
      {group.minions > 1 && <p class="muted small">All of them have these results; those of {group.sample}:</p>}
      <Return jid={job.jid} minion={group.sample} matrix={matrix} />
    </Frame>
  )
}

/** The pane that the address names, if any. */
export function Pane({ job, matrix }: { job: Job; matrix: Matrix | undefined }) {
  const minion = param('minion')
  if (minion !== '') return <MinionPane key={minion} job={job} matrix={matrix} minion={minion} />
  const group = matrix?.groups.find((each) => String(each.group) === param('group'))
  return group && matrix ? <GroupPane key={group.group} job={job} matrix={matrix} group={group} /> : null
}

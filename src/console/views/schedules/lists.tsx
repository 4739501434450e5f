// Lists from the options of the master: scheduled jobs, nodegroups and returners.
import type { ComponentChildren } from 'preact'
import { type Answer, type Data, read } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { type Live, useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Badge, Button, Card, Empty, Notice, ProblemNotice, Time } from '../../ui/basic.tsx'
import { Tree } from '../../ui/values.tsx'

type Page<T> = { items: T[] }

/** A short table of all items of a resource. */
function List<T>({
  label,
  load,
  live = {},
  titles,
  row,
  empty,
}: {
  label: string
  load(signal: AbortSignal): Promise<Answer<Page<T>>>
  live?: Live<Page<T>>
  titles: readonly string[]
  row(item: T): ComponentChildren
  empty: ComponentChildren
}) {
  const { data, problem, isLoading, reload } = useResource(load, [label], live)
  if (problem && !data) return <ProblemNotice problem={problem} retry={reload} />
  return (
    <Card flush>
      <div class="scroll" tabIndex={0} role="region" aria-label={label} aria-busy={isLoading && !data}>
        {data && data.items.length > 0 && (
          <table class="plain-table">
            <thead>
              <tr>
                {titles.map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>{data.items.map(row)}</tbody>
          </table>
        )}
        {data?.items.length === 0 && empty}
      </div>
    </Card>
  )
}

type Schedule = Data<'/v1/schedules'>['items'][number]

export const Schedules = () => (
  <>
    <List<Schedule>
      label="Scheduled jobs of the master"
      load={(signal) => read('/v1/schedules', { signal })}
      live={{
        // jobs of the schedule are calls of runners; their functions are known
        apply: ({ items }, { tag, data }) =>
          tag.startsWith('salt/run/') && items.some((item) => `runner.${item.function}` === data['fun'])
            ? 'reload'
            : undefined,
      }}
      titles={['Name', 'Function', 'When', 'Last run', 'Next run', 'State']}
      row={(item) => (
        <tr key={item.name}>
          <td>
            <strong>{item.name}</strong>
          </td>
          <td class="mono">{item.function}</td>
          <td>{item.when}</td>
          <td>
            <Time at={item.lastRun} />
          </td>
          <td>
            <Time at={item.nextRun} />
          </td>
          <td>{item.enabled ? <Badge tone="ok">Enabled</Badge> : <Badge>Disabled</Badge>}</td>
        </tr>
      )}
      empty={
        <Empty title="The master has no schedule">
          <p>
            Set the option <code>schedule</code> of the master to run runners at certain times.
          </p>
        </Empty>
      }
    />
    <Notice>
      <span>
        Minions have schedules and beacons of their own: see the page of a <a href={href('minions')}>minion</a>. What
        beacons notice comes as <a href={href('events', { tag: 'salt/beacon/*' })}>events</a>.
      </span>
    </Notice>
  </>
)

const MEMBERS = 100

function Members({ name }: { name: string }) {
  const { data, problem, isLoading } = useResource(
    (signal) => read('/v1/targets', { query: { target: name, targetType: 'nodegroup', limit: MEMBERS }, signal }),
    [name],
  )
  return (
    <div class="row" aria-busy={isLoading && !data}>
      {problem && <ProblemNotice problem={problem} />}
      {data?.problem && <span class="tone-failed small">{data.problem}</span>}
      {data?.minions.map((id) => (
        <a key={id} class="badge" href={href(['minions', id])}>
          {id}
        </a>
      ))}
      {data && data.total > data.minions.length && (
        <span class="small muted">and {count(data.total - data.minions.length)} more</span>
      )}
      {data && data.total > 0 && (
        <a class="small" href={href('minions', { target: `N@${name}` })}>
          Show as a table
        </a>
      )}
    </div>
  )
}

type Nodegroup = Data<'/v1/nodegroups'>['items'][number]

function NodegroupRow({ item: { name, expression, minions } }: { item: Nodegroup }) {
  const isOpen = param('group') === name
  return (
    <tr>
      <td>
        <strong>{name}</strong>
        {isOpen && <Members name={name} />}
      </td>
      <td class="mono wrap">{expression}</td>
      <td>
        <Button small kind="plain" aria-expanded={isOpen} onClick={() => setParams({ group: isOpen ? null : name })}>
          {minions === null ? 'Members' : counted(minions, 'minion')}
        </Button>
      </td>
      <td>
        <a href={href('run', { target: name, targetType: 'nodegroup' })}>Run on them</a>
      </td>
    </tr>
  )
}

export const Nodegroups = () => (
  <List<Nodegroup>
    label="Nodegroups"
    load={(signal) => read('/v1/nodegroups', { signal })}
    titles={['Name', 'Expression', 'Members', 'Actions']}
    row={(item) => <NodegroupRow key={item.name} item={item} />}
    empty={
      <Empty title="The master has no nodegroups">
        <p>
          Set the option <code>nodegroups</code> of the master to give names to compound targets.
        </p>
      </Empty>
    }
  />
)

type Returner = Data<'/v1/returners'>['items'][number]

const KINDS: Readonly<Record<Returner['kinds'][number], string>> = {
  job_cache: 'job cache of the master',
  ext_job_cache: 'written by minions (ext_job_cache)',
  event_return: 'events (event_return)',
  schedule: 'scheduled jobs',
}

export const Returners = () => (
  <List<Returner>
    label="Returners"
    load={(signal) => read('/v1/returners', { signal })}
    titles={['Name', 'Used for', 'Options']}
    row={({ name, kinds, options }) => (
      <tr key={name}>
        <td>
          <strong>{name}</strong>
        </td>
        <td>{kinds.map((kind) => KINDS[kind]).join(', ')}</td>
        <td>{options !== null && <Tree value={options} open={1} />}</td>
      </tr>
    )}
    empty={
      <Empty title="No returners are set up">
        <p>
          Returners send results elsewhere: see the options <code>master_job_cache</code>, <code>ext_job_cache</code>{' '}
          and <code>event_return</code>.
        </p>
      </Empty>
    }
  />
)

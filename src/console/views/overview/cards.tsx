// The cards of the overview.
import { useMemo } from 'preact/hooks'
import { bytes, count, decimal, duration } from '../../format.ts'
import { href } from '../../route.ts'
import { Card, Empty, type Tone } from '../../ui/basic.tsx'
import { Chart } from '../../ui/chart.tsx'
import { Icon } from '../../ui/icons.tsx'
import { type Issue, type Status, storeTexts } from './attention.ts'

interface Figure {
  name: string
  value: number
  tone?: Tone | undefined
  link: string
}

/** A number with a link to the counted items. */
const Stat = ({ name, value, tone, link }: Figure) => (
  <a class="stat" href={link}>
    <span class={value > 0 && tone ? `value tone-${tone}` : 'value'}>
      {Number.isInteger(value) ? count(value) : decimal(value)}
    </span>
    <span class="name">{name}</span>
  </a>
)

export function Stats({ status: { minions, highstates, jobs, events } }: { status: Status }) {
  const figures: Figure[] = [
    { name: 'Minions up', value: minions.up, link: href('minions', { state: 'up' }) },
    { name: 'Minions down', value: minions.down, tone: 'failed', link: href('minions', { state: 'down' }) },
    { name: 'Keys waiting', value: minions.pending, tone: 'info', link: href('keys', { state: 'pending' }) },
    {
      name: 'States failing',
      value: highstates.failed,
      tone: 'failed',
      link: href('minions', { result: 'failed' }),
    },
    { name: 'Drifted', value: highstates.drift, tone: 'changed', link: href('minions', { result: 'drift' }) },
    { name: 'Jobs running', value: jobs.running, tone: 'info', link: href('jobs', { state: 'running' }) },
    { name: 'Events / s', value: events.perSecond, link: href('events') },
  ]
  return (
    <div class="stats">
      {figures.map((figure) => (
        <Stat key={figure.name} {...figure} />
      ))}
    </div>
  )
}

export const Attention = ({ issues }: { issues: readonly Issue[] }) => (
  <Card title="Needs attention" flush>
    {issues.length === 0 ? (
      <Empty title="Nothing needs attention">
        <p>Keys, minions, highstates, jobs and options are as they should be.</p>
      </Empty>
    ) : (
      <ul class="issues">
        {issues.map(({ key, tone, title, detail, path, params }) => (
          <li key={key}>
            <span class={`tone-${tone}`}>
              <Icon name="warning" />
            </span>
            <div class="grow wrap">
              <a href={href(path, params)}>{title}</a>
              {detail && <div class="muted small">{detail}</div>}
            </div>
          </li>
        ))}
      </ul>
    )}
  </Card>
)

export function Highstates({ highstates }: { highstates: Status['highstates'] }) {
  const { clean, changed, failed, never } = highstates
  const all = Math.max(1, clean + changed + failed + never)
  const parts = [
    ['ok', 'clean', 'without changes', clean],
    ['changed', 'changed', 'changed something', changed],
    ['failed', 'failed', 'failed', failed],
    ['', 'never', 'none yet', never],
  ] as const
  return (
    <Card title="Last highstates">
      <div class="stack">
        <div class="meter" role="img" aria-label={parts.map(([, , text, minions]) => `${minions} ${text}`).join(', ')}>
          {parts.map(([kind, name, , minions]) => (
            <i key={name} class={kind} style={{ width: `${(minions / all) * 100}%` }} />
          ))}
        </div>
        <div class="legend">
          {parts.map(([kind, name, text, minions]) => (
            <a key={name} href={href('minions', { result: name })}>
              <i class={kind} />
              {count(minions)} {text}
            </a>
          ))}
        </div>
      </div>
    </Card>
  )
}

const CHARTS = [
  ['Minions up', 'up', '--ok'],
  ['Jobs begun in a minute', 'jobs', '--accent'],
  ['Events a second', 'events', '--info'],
] as const

export function Charts({ history }: { history: Status['history'] }) {
  const last = history.at(-1)?.at
  const times = useMemo(() => history.map(({ at }) => Date.parse(at) / 1000), [last])
  const series = useMemo(
    () => CHARTS.map(([name, key, colour]) => [{ name, colour, values: history.map((minute) => minute[key]) }]),
    [last],
  )
  return (
    <div class="overview-charts">
      {CHARTS.map(([name], at) => (
        <Card key={name} title={name}>
          {times.length < 2 ? (
            <p class="muted">The master counts each minute. A line is drawn after two of them.</p>
          ) : (
            <Chart label={`${name}, the last hour`} times={times} series={series[at]!} />
          )}
        </Card>
      ))}
    </div>
  )
}

export const Busiest = ({ kinds }: { kinds: Status['busiest'] }) => (
  <Card title="Busiest events" flush>
    {kinds.length === 0 ? (
      <Empty title="No events in the last minutes" />
    ) : (
      <table class="plain-table">
        <thead>
          <tr>
            <th>Tag</th>
            <th class="right">In a minute</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ tag, perMinute }) => (
            <tr key={tag}>
              <td class="wrap">
                <a class="mono" href={href('events', { tag })}>
                  {tag}
                </a>
              </td>
              <td class="right">{decimal(perMinute)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Card>
)

export const Health = ({ status }: { status: Status }) => (
  <Card title="Master" actions={<a href={href('settings')}>Settings</a>}>
    <dl class="facts">
      <dt>Id</dt>
      <dd>{status.id}</dd>
      <dt>Version</dt>
      <dd>
        {status.version} <span class="muted">for Salt {status.saltVersion}</span>
      </dd>
      <dt>Up for</dt>
      <dd>{duration(status.health.uptimeSeconds * 1000)}</dd>
      <dt>Longest delay</dt>
      <dd>{decimal(status.health.loopLagMs)} ms in the last minutes</dd>
      <dt>Processor</dt>
      <dd>{decimal(status.health.cpuPercent)} % of one</dd>
      <dt>Memory</dt>
      <dd>{bytes(status.health.rssBytes)}</dd>
      <dt>Open files</dt>
      <dd>{count(status.health.openFiles)}</dd>
      <dt>Storage</dt>
      <dd class={status.health.storage === 'ok' ? '' : 'tone-failed'}>{status.health.storage}</dd>
      <dt>Jobs kept</dt>
      <dd>{count(status.jobs.stored)}</dd>
      <dt>On disk</dt>
      <dd>
        {storeTexts(status.stores)
          .map(([name, size]) => `${name} ${size}`)
          .join(', ')}
      </dd>
    </dl>
  </Card>
)

// The health of the master's API: its process, its stores, its limits; and where its descriptions are.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Data, ROOT, read } from '../../api/client.ts'
import { bytes, count, decimal, duration } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { readStatus } from '../../live/status.ts'
import { href } from '../../route.ts'
import { seemsAllowed } from '../../session.ts'
import { Card, Notice, ProblemNotice, Time } from '../../ui/basic.tsx'
import { valueLine } from './options.tsx'

type Status = Data<'/v1/status'>

/** Numbers of the process change without an event. */
const AGAIN_MS = 10_000

/** A loop that is late by more makes requests wait noticeably. */
const LATE_MS = 200

const Figure = ({ name, value, title }: { name: string; value: ComponentChildren; title?: string }) => (
  <div class="stat" title={title}>
    <span class="value">{value}</span>
    <span class="name">{name}</span>
  </div>
)

const Process = ({ health, events, jobs }: Status) => (
  <div class="stats settings-figures">
    <Figure name="memory" value={bytes(health.rssBytes)} />
    <Figure name="processor" value={`${decimal(health.cpuPercent)} %`} title="Of one processor, in the last minute" />
    <Figure
      name="delay of the event loop"
      value={<span class={health.loopLagMs > LATE_MS ? 'tone-failed' : ''}>{duration(health.loopLagMs)}</span>}
      title="The longest in the last minutes"
    />
    <Figure name="open files" value={count(health.openFiles)} />
    <Figure name="events a second" value={decimal(events.perSecond)} />
    <Figure name="jobs in the store" value={count(jobs.stored)} />
  </div>
)

function Stores({ stores }: { stores: Status['stores'] }) {
  const rows = Object.entries(stores).sort(([, a], [, b]) => b - a)
  const most = Math.max(1, ...rows.map(([, size]) => size))
  return (
    <Card title="Stores on disk">
      <table class="plain-table">
        <thead>
          <tr>
            <th>Store</th>
            <th class="right">Size</th>
            <th>
              <span class="hidden-text">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, size]) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="right">{bytes(size)}</td>
              <td class="settings-share">
                <span class="meter">
                  <i class="info" style={{ width: `${(100 * size) / most}%` }} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

const doc = (path: string): string => new URL(path, ROOT).href

const Versions = ({ id, version, saltVersion, apiStarted, health }: Status) => (
  <Card title="Versions">
    <dl class="facts">
      <dt>Master</dt>
      <dd>{id}</dd>
      <dt>Brine</dt>
      <dd>{version}</dd>
      <dt>Stands for Salt</dt>
      <dd>{saltVersion}</dd>
      <dt>API began</dt>
      <dd>
        <Time at={apiStarted} />, running for {duration(health.uptimeSeconds * 1000)}
      </dd>
      <dt>Minions</dt>
      <dd>
        <a href={href('settings', { tab: 'versions' })}>Versions of the minions</a>
      </dd>
      <dt>Manual of the API</dt>
      <dd>
        <a href={doc('docs')} target="_blank" rel="noreferrer">
          {doc('docs')}
        </a>
      </dd>
      <dt>OpenAPI document</dt>
      <dd>
        <a href={doc('openapi.json')} target="_blank" rel="noreferrer">
          {doc('openapi.json')}
        </a>
      </dd>
    </dl>
  </Card>
)

/** Options of the API that bound nothing. */
const NO_LIMITS = /_(motd|logfile|pidfile)$/

function Limits() {
  const { data, problem } = useResource((signal) => read('/v1/options', { query: { q: 'api_' }, signal }), [])
  const rows = (data?.items ?? []).filter(({ name }) => name.startsWith('api_') && !NO_LIMITS.test(name))
  return (
    <Card title="Limits and options of the API">
      {problem && <ProblemNotice problem={problem} />}
      <div class="scroll">
        <table class="plain-table">
          <tbody>
            {rows.map(({ name, value, documented }) => (
              <tr key={name}>
                <td>
                  <a class="mono" href={href('settings', { tab: 'options', option: name })} title={documented}>
                    {name}
                  </a>
                </td>
                <td class="mono wrap">{valueLine(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

export function Health() {
  const { data, problem, reload } = useResource(readStatus, [])
  useEffect(() => {
    const timer = setInterval(() => document.hidden || void reload(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && (
        <>
          {data.health.storage !== 'ok' && (
            <Notice tone="failed">The master cannot store everything: {data.health.storage}</Notice>
          )}
          <Process {...data} />
          <div class="grid">
            <Versions {...data} />
            <Stores stores={data.stores} />
            {seemsAllowed('wheel', 'config.values') && <Limits />}
          </div>
        </>
      )}
    </>
  )
}

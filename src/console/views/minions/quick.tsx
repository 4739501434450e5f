// A minion at a glance, beside the list.
import { read } from '../../api/client.ts'
import { bytes } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { refusalOf } from '../../live/rights.ts'
import { href, setParams } from '../../route.ts'
import { Button, Card, LinkButton, ProblemNotice } from '../../ui/basic.tsx'
import { askHighstate, runHref } from './actions.tsx'
import { columnText } from './filters.ts'
import { DriftMark, HighstateMark, MainFacts } from './marks.tsx'
import { concerns, JobList } from './parts.tsx'

const MEGABYTE = 1024 * 1024

/** Return the most important grains of a machine, with titles. */
export function mainFacts(grains: Readonly<Record<string, unknown>>): Array<[title: string, text: string]> {
  const memory = Number(grains['mem_total'])
  const addresses = [grains['fqdn_ip4'], grains['ipv4']].find((list) => Array.isArray(list) && list.length > 0)
  const facts: Array<[string, unknown]> = [
    ['Host', grains['fqdn'] ?? grains['host']],
    ['Addresses', addresses],
    ['Kernel', [grains['kernel'], grains['kernelrelease']].filter(Boolean).join(' ')],
    ['Machine', [grains['virtual'], grains['cpuarch']].filter(Boolean).join(', ')],
    ['Processors', grains['num_cpus']],
    ['Memory', memory > 0 ? bytes(memory * MEGABYTE) : undefined],
    ['Roles', grains['roles']],
  ]
  return facts.map(([title, value]): [string, string] => [title, columnText(value)]).filter(([, text]) => text !== '')
}

export function QuickView({ id }: { id: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/minions/{id}', { params: { id }, signal }),
    [id],
    { apply: (_, event) => (concerns(event, id) ? 'reload' : undefined) },
  )
  return (
    <aside class="quick" aria-label={`Minion ${id}`} aria-busy={isLoading && !data}>
      <Card
        title={<a href={href(['minions', id])}>{id}</a>}
        actions={
          <Button icon="close" kind="plain" title="Close the quick view" onClick={() => setParams({ show: null })} />
        }
      >
        <div class="stack">
          {problem && <ProblemNotice problem={problem} retry={reload} />}
          {data && (
            <>
              <div class="row">
                <LinkButton href={href(['minions', id])}>Open</LinkButton>
                <LinkButton href={runHref([id])} icon="run">
                  Run
                </LinkButton>
                <Button refusal={refusalOf(id, 'state.apply')} onClick={() => askHighstate([data])}>
                  Highstate …
                </Button>
              </div>
              <dl class="facts">
                <MainFacts minion={data} />
                <dt>Last highstate</dt>
                <dd>
                  <HighstateMark minion={data} />
                </dd>
                <dt>Drift</dt>
                <dd>
                  <DriftMark minion={data} />
                </dd>
                {mainFacts(data.grains).map(([title, text]) => [
                  <dt key={`${title} title`}>{title}</dt>,
                  <dd key={title}>{text}</dd>,
                ])}
              </dl>
              <h3>Last jobs</h3>
              <JobList jobs={data.lastJobs.slice(0, 5)} />
            </>
          )}
        </div>
      </Card>
    </aside>
  )
}

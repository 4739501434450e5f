// The rules of the reactor: tags, files, number of reactions, and errors.
import { read } from '../../api/client.ts'
import { count } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href } from '../../route.ts'
import { Badge, Card, Empty, ProblemNotice, Time } from '../../ui/basic.tsx'
import { matches } from './matching.ts'

export type Rules = Awaited<ReturnType<typeof readRules>>['data']
type Rule = Rules['items'][number]

export const readRules = (signal: AbortSignal) => read('/v1/reactor', { signal })

function Row({ rule }: { rule: Rule }) {
  return (
    <tr>
      <td class="wrap">
        <strong class="mono">{rule.tag}</strong>
        {rule.origin && <div class="small muted">only from {rule.origin}</div>}
        {rule.place && <div class="small muted mono">{rule.place}</div>}
      </td>
      <td class="wrap">
        {rule.files.map((file) => (
          <div key={file} class="mono small">
            {file}
          </div>
        ))}
      </td>
      <td class="right">
        <a href={href('reactor', { tab: 'reactions', rule: rule.tag })}>{count(rule.hits)}</a>
      </td>
      <td class="right">
        {rule.errors > 0 ? (
          <a href={href('reactor', { tab: 'reactions', rule: rule.tag, state: 'failed' })}>
            <Badge tone="failed">{count(rule.errors)}</Badge>
          </a>
        ) : (
          '0'
        )}
      </td>
      <td>
        <Time at={rule.lastHit} relative />
      </td>
      <td class="wrap small">{rule.lastError?.slice(0, 500)}</td>
    </tr>
  )
}

export function RuleList() {
  const { data, problem, isLoading, reload } = useResource(readRules, [], {
    apply: ({ items }, event) => (matches(items, event.tag) ? 'reload' : undefined),
  })
  if (problem && !data) return <ProblemNotice problem={problem} retry={reload} />
  return (
    <Card flush>
      <div class="scroll" tabIndex={0} role="region" aria-label="Rules of the reactor" aria-busy={isLoading && !data}>
        {data && data.items.length > 0 && (
          <table class="plain-table reactor-rules">
            <thead>
              <tr>
                <th>Tag</th>
                <th>Files that answer</th>
                <th class="right">Hits</th>
                <th class="right">Errors</th>
                <th>Last hit</th>
                <th>Last error</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((rule, at) => (
                <Row key={`${at} ${rule.tag}`} rule={rule} />
              ))}
            </tbody>
          </table>
        )}
        {data?.items.length === 0 && (
          <Empty title="The reactor has no rules">
            <p>
              Set the option <code>reactor</code> of the master: a list of tags, each with the SLS files that answer its
              events.
            </p>
          </Empty>
        )}
      </div>
    </Card>
  )
}

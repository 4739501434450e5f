// The versions of the minions.
import { type Answer, read, readAll } from '../../api/client.ts'
import { count, counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href } from '../../route.ts'
import { Card, Empty, ProblemNotice } from '../../ui/basic.tsx'

interface Minion {
  version: string | null
  os: string | null
}

const PAGE = 5000

async function load(signal: AbortSignal): Promise<Answer<Minion[]>> {
  const found: Minion[] = []
  let number = 0
  await readAll<Minion>(
    (cursor) =>
      read('/v1/minions', {
        query: { state: 'accepted', limit: PAGE, ...(cursor !== undefined && { cursor }) },
        signal,
      }),
    (items, seen) => {
      found.push(...items)
      number = seen
    },
  )
  return { data: found, number }
}

/** Count values, the most frequent first. */
function tally(values: ReadonlyArray<string | null>): Array<readonly [value: string | null, number: number]> {
  const counts = new Map<string | null, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

const Shares = ({
  title,
  values,
  link,
}: {
  title: string
  values: Array<string | null>
  link?(value: string): string
}) => (
  <Card title={title}>
    <table class="plain-table">
      <tbody>
        {tally(values).map(([value, number]) => (
          <tr key={value}>
            <td class="wrap">
              {value === null ? <span class="muted">not known</span> : link ? <a href={link(value)}>{value}</a> : value}
            </td>
            <td class="right">{count(number)}</td>
            <td class="settings-share">
              <span class="meter">
                <i class="info" style={{ width: `${(100 * number) / values.length}%` }} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Card>
)

export function Versions() {
  const { data, problem, reload } = useResource(load, [])
  if (problem) return <ProblemNotice problem={problem} retry={reload} />
  if (!data) return null
  if (data.length === 0)
    return (
      <Empty title="No minion is accepted">
        <a href={href('keys')}>See which keys wait</a>
      </Empty>
    )
  return (
    <>
      <p class="muted">{counted(data.length, 'accepted minion')}, as the master last heard of them.</p>
      <div class="grid">
        <Shares
          title="Versions of Salt"
          values={data.map(({ version }) => version)}
          link={(version) => href('minions', { version })}
        />
        <Shares title="Operating systems" values={data.map(({ os }) => os)} />
      </div>
    </>
  )
}

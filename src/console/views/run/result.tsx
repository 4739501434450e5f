// The result of a function of the master, below the form.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Problem, post, read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { href } from '../../route.ts'
import { Badge, Card, CopyMenu, LinkButton, Notice, ProblemNotice } from '../../ui/basic.tsx'
import { Shown } from '../../ui/values.tsx'
import type { Command } from './command.ts'

interface Ended {
  succeeded: boolean
  value: unknown
}

/** Results that the master does not store: those of wheel functions. */
const results = signal<ReadonlyMap<string, Ended>>(new Map())

const POLL_MS = 2000

/** Call a function of the master. Return the id of the call: a runner goes on, a wheel function has ended. */
export async function beginCall({ family, function: name, args, kwargs }: Command): Promise<string> {
  const isRunner = family === 'runner'
  const answer = await post('/v1/calls', {
    body: {
      client: isRunner ? 'runner' : 'wheel',
      function: name,
      args: [...args],
      kwargs: { ...kwargs },
      wait: !isRunner,
    },
  })
  if ('value' in answer) results.value = new Map([...results.value, [answer.jid, answer as Ended]].slice(-20) as never)
  return answer.jid
}

/** Read the return of a runner; nothing while it runs. */
async function returned(jid: string, abort: AbortSignal) {
  try {
    const { data, number } = await read('/v1/jobs/{jid}/returns', { params: { jid }, signal: abort })
    const [first] = data.items
    return { data: { ended: first && { succeeded: first.succeeded, value: first.value } }, number }
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { data: { ended: undefined }, number: 0 }
    throw error
  }
}

export function CallResult({ jid }: { jid: string }) {
  const known = results.value.get(jid)
  const state = useResource<{ ended: Ended | undefined }>(
    async (abort) => (known ? { data: { ended: known }, number: 0 } : returned(jid, abort)),
    [jid, known],
    { apply: (_, { tag }) => (tag === `salt/run/${jid}/ret` ? 'reload' : undefined), reloadMs: 100 },
  )
  const ended = known ?? state.data?.ended
  useEffect(() => {
    if (ended) return undefined
    const timer = setInterval(() => void state.reload(), POLL_MS)
    return () => clearInterval(timer)
  }, [jid, ended !== undefined])
  return (
    <Card
      title="Result"
      actions={
        <>
          {ended ? (
            <Badge tone={ended.succeeded ? 'ok' : 'failed'}>{ended.succeeded ? 'succeeded' : 'failed'}</Badge>
          ) : (
            <Badge tone="info">running</Badge>
          )}
          {ended && <CopyMenu items={[['JSON', () => JSON.stringify(ended.value, null, 2)]]} />}
          {!known && ended && <LinkButton href={href(['jobs', jid])}>Open the job</LinkButton>}
          {!known && <LinkButton href={href('why', { what: jid })}>Why</LinkButton>}
        </>
      }
    >
      {state.problem && <ProblemNotice problem={state.problem} retry={state.reload} />}
      {ended ? (
        <Shown value={ended.value} />
      ) : (
        !state.problem && (
          <Notice>
            The call {jid} is running on the master. The result appears here when it ends; the page may be left in the
            meantime.
          </Notice>
        )
      )}
    </Card>
  )
}

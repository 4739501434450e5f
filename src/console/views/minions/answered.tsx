// Tabs with data that the minion itself returns, by a job.
import type { ComponentChildren } from 'preact'
import { callMinion, type MinionCall } from '../../live/answers.ts'
import { useResource } from '../../live/resource.ts'
import { refusalOf } from '../../live/rights.ts'
import { Button, Notice, ProblemNotice } from '../../ui/basic.tsx'
import { attempt } from '../../ui/toasts.tsx'
import type { Details } from './parts.tsx'

/** Return the failure in a result, which functions of schedule and beacons report there. */
function refusedBy(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('result' in answer) || answer.result !== false)
    return undefined
  return 'comment' in answer ? String(answer.comment).slice(0, 500) : 'The minion refused it'
}

/** Call a function of a minion, and say in a message whether it worked. */
export const act = (id: string, call: MinionCall, done: string): Promise<boolean> =>
  attempt(async () => {
    const refusal = refusedBy(await callMinion(id, call))
    if (refusal !== undefined) throw new Error(`${id}: ${refusal}`)
  }, done)

/** An item of a menu that calls a function of a minion; disabled with the reason where the user may not. */
export function CallItem({
  id,
  function: fun,
  onClick,
  children,
}: {
  id: string
  function: string
  onClick(): void
  children: ComponentChildren
}) {
  const refusal = refusalOf(id, fun)
  return (
    <button type="button" disabled={refusal !== undefined} title={refusal} onClick={onClick}>
      {children}
    </button>
  )
}

/** Ask a minion for something and show it. */
export function Answered({
  data,
  call,
  what,
  children,
}: {
  data: Details
  call: MinionCall
  what: string
  children(answer: unknown, reload: () => Promise<void>): ComponentChildren
}) {
  const { id, presence } = data
  const {
    data: answer,
    problem,
    isLoading,
    reload,
  } = useResource(
    async (signal) => ({ data: presence.connected ? await callMinion(id, call, signal) : undefined, number: 0 }),
    [id, call.function, presence.connected],
  )
  if (!presence.connected) {
    return (
      <Notice tone="changed">
        {id} is not connected, so it cannot be asked for its {what}. It is shown here when the minion is back.
      </Notice>
    )
  }
  return (
    <div class="stack" aria-busy={isLoading}>
      {isLoading && <span class="loading" role="progressbar" aria-label={`Asking ${id}`} />}
      {problem && (
        <>
          <ProblemNotice problem={problem} />
          <div>
            <Button icon="retry" onClick={() => void reload()}>
              Ask again
            </Button>
          </div>
        </>
      )}
      {answer !== undefined && children(answer, reload)}
    </div>
  )
}

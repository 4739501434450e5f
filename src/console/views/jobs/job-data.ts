// A job as the page of it shows it, and the command that it was.
import { useEffect, useRef } from 'preact/hooks'
import { type Data, read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { connection } from '../../live/stream.ts'
import type { Command } from '../run/command.ts'

export type Job = Data<'/v1/jobs/{jid}'>
export type JobSummary = Data<'/v1/jobs'>['items'][number]

const POLL_MS = 3000
const MANY = 1000

/**
 * Follow a job while a component is shown. Jobs with many minions are polled less often: the matrix brings the returns.
 */
export function useJob(jid: string) {
  const size = useRef(0)
  const state = useResource((signal) => read('/v1/jobs/{jid}', { params: { jid }, signal }), [jid], {
    apply: (_, { tag }) => (tag.startsWith(`salt/job/${jid}/`) || tag === `salt/run/${jid}/ret` ? 'reload' : undefined),
    get reloadMs() {
      return size.current > MANY ? 4000 : 500
    },
  })
  size.current = state.data?.minions.length ?? 0
  const isRunning = state.data?.state === 'running'
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => {
      if (connection.peek() !== 'live') void state.reload()
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [jid, isRunning])
  return state
}

/** The command that a job was. Functions of the master are kept as `runner.jobs.active`. */
export function commandOf(job: Pick<Job, 'function' | 'target' | 'targetType' | 'args' | 'kwargs'>): Command {
  const { args, kwargs, target, targetType } = job
  const [family = '', ...rest] = job.function.split('.')
  if (rest.length === 2 && (family === 'runner' || family === 'wheel'))
    return { family, function: rest.join('.'), args, kwargs }
  return { family: 'execution', function: job.function, target, targetType, args, kwargs }
}

/** The ids of the minions of a job in a state. */
export const idsOf = ({ minions }: Job, state: Job['minions'][number]['state']): string[] =>
  minions.filter((minion) => minion.state === state).map(({ id }) => id)

export const isTestRun = ({ kwargs }: Pick<Job, 'kwargs'>): boolean =>
  kwargs['test'] !== undefined && kwargs['test'] !== false && kwargs['test'] !== null

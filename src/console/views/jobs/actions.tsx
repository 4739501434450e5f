// Actions on a job: run it again, without test mode, on failed minions, or stop it.
import type { ComponentChildren } from 'preact'
import { post } from '../../api/client.ts'
import { counted } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { href, navigate, pageLink } from '../../route.ts'
import { Button, CopyMenu, LinkButton, Menu } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import { type Command, commandLine } from '../run/command.ts'
import { runHref } from '../run/link.ts'
import { commandOf, idsOf, isTestRun, type Job } from './job-data.ts'

const NAMED = 12
/** The most ids of a question about rights. */
const MOST_ASKED = 1000

const someOf = (ids: readonly string[]): string =>
  ids.length > NAMED ? `${ids.slice(0, NAMED).join(', ')} and ${ids.length - NAMED} more` : ids.join(', ')

/** Begin a job and go to its page. */
async function begin({ function: name, target, targetType, args, kwargs }: Command): Promise<void> {
  const { jid } = await post('/v1/jobs', {
    body: {
      target: typeof target === 'string' ? target : [...(target ?? [])],
      targetType: (typeof target === 'string' ? targetType : 'list') as 'glob',
      function: name,
      args: [...args],
      kwargs: { ...kwargs },
    },
  })
  navigate(href(['jobs', jid]))
}

async function stop(jid: string, signal: 'term' | 'kill'): Promise<void> {
  await post('/v1/jobs/{jid}/stop', { params: { jid }, body: { signal } })
}

/** Ask before a command runs, with its reach. */
function askToRun(title: string, command: Command, reach: ComponentChildren): void {
  ask({
    title,
    reach: (
      <>
        <p>{reach}</p>
        <p>
          <code class="wrap">{commandLine(command).slice(0, 2000)}</code>
        </p>
      </>
    ),
    action: 'Run',
    run: () => begin(command),
  })
}

function askToStop(job: Job, signal: 'term' | 'kill'): void {
  const waiting = idsOf(job, 'waiting')
  ask({
    title: signal === 'kill' ? 'Kill the job' : 'Stop the job',
    reach: (
      <p>
        {signal === 'kill' ? 'Kills the work without letting it end in order' : 'Asks the work to end'} on{' '}
        {counted(waiting.length, 'minion')} without a return: {someOf(waiting)}. What was done stays done.
      </p>
    ),
    word: signal === 'kill' ? 'kill' : 'stop',
    action: signal === 'kill' ? 'Kill' : 'Stop',
    isDanger: true,
    done: 'The minions were told',
    run: () => stop(job.jid, signal),
  })
}

/** Query which actions on a job the user may take. */
function useRights(job: Job, command: Command) {
  const waiting = idsOf(job, 'waiting').slice(0, MOST_ASKED)
  const isLocal = command.family === 'execution'
  const { data } = useResource(
    async (signal) => {
      if (!isLocal) return { data: [], number: 0 }
      const again = {
        family: 'execution' as const,
        function: command.function,
        target: String(command.target),
        targetType: command.targetType ?? 'glob',
        args: [...command.args],
        kwargs: { ...command.kwargs },
      }
      const stops = (waiting.length > 0 ? ['term', 'kill'] : []).map((word) => ({
        family: 'execution' as const,
        function: `saltutil.${word}_job`,
        target: waiting,
        args: [job.jid],
      }))
      const { items } = await post('/v1/rights', { body: { calls: [again, ...stops] }, signal })
      return { data: items, number: 0 }
    },
    [job.jid, waiting.length > 0],
  )
  const refusal = (index: number): string | undefined => {
    const right = data?.[index]
    return right && !right.allowed ? right.reason : undefined
  }
  return { again: refusal(0), term: refusal(1), kill: refusal(2) }
}

const WITHOUT_TEST = ({ test: _, ...kwargs }: Readonly<Record<string, unknown>>): Record<string, unknown> => kwargs

function Again({ job, command, refusal }: { job: Job; command: Command; refusal: string | undefined }) {
  const failed = idsOf(job, 'failed')
  const reach = `Runs on the ${counted(job.counts.minions, 'minion')} of the target ${job.target.slice(0, 200)}, as it is now.`
  const real = { ...command, kwargs: WITHOUT_TEST(command.kwargs) }
  return (
    <>
      {isTestRun(job) && (
        <Button
          kind="primary"
          icon="run"
          refusal={refusal}
          onClick={() => askToRun('Apply for real', real, `${reach} Without test=True: the changes are made.`)}
        >
          Apply for real
        </Button>
      )}
      {failed.length > 0 && (
        <Button
          icon="retry"
          refusal={refusal}
          onClick={() =>
            askToRun(
              `Retry on ${counted(failed.length, 'failed minion')}`,
              { ...command, target: failed },
              `Runs the same function with the same arguments on: ${someOf(failed)}.`,
            )
          }
        >
          Retry failed
        </Button>
      )}
      <Button icon="run" refusal={refusal} onClick={() => askToRun('Run again', command, reach)}>
        Run again
      </Button>
    </>
  )
}

export function Actions({ job }: { job: Job }) {
  const command = commandOf(job)
  const rights = useRights(job, command)
  const waiting = idsOf(job, 'waiting')
  return (
    <>
      {job.cancelable && waiting.length > 0 && (
        <Menu label="Stop" icon="stop">
          <button
            type="button"
            disabled={rights.term !== undefined}
            title={rights.term}
            onClick={() => askToStop(job, 'term')}
          >
            Ask it to end …
          </button>
          <button
            type="button"
            disabled={rights.kill !== undefined}
            title={rights.kill}
            onClick={() => askToStop(job, 'kill')}
          >
            Kill it …
          </button>
        </Menu>
      )}
      {command.family === 'execution' && <Again job={job} command={command} refusal={rights.again} />}
      <LinkButton href={runHref(command)}>Edit and run</LinkButton>
      <LinkButton href={href('why', { what: job.jid })} icon="why">
        Why
      </LinkButton>
      <CopyMenu
        items={[
          ['Command line', () => commandLine(command)],
          ['Job id', () => job.jid],
          ['JSON', () => JSON.stringify(job, null, 2)],
          ['Link', pageLink],
        ]}
      />
    </>
  )
}

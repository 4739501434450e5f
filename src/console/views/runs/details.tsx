// One orchestration run: its graph, its steps with their jobs, and how it can go on.
import { useEffect } from 'preact/hooks'
import { post, read } from '../../api/client.ts'
import { duration } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import type { LiveEvent } from '../../live/stream.ts'
import { href, pageLink, param, setParams } from '../../route.ts'
import { seemsAllowed } from '../../session.ts'
import { Badge, Button, Card, CopyMenu, LinkButton, ProblemNotice, Select, Time, View } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import { Tree } from '../../ui/values.tsx'
import { Graph } from './graph.tsx'
import {
  commentText,
  keysIn,
  modsText,
  RUN_STATES,
  type RunDetails,
  resumeReach,
  runTime,
  STEP_STATES,
  type Step,
} from './steps.ts'

/** Polling interval of a working run, in milliseconds; steps begin and end without an event. */
const LOOK_MS = 3000

const isNews = ({ tag }: LiveEvent): boolean => /^salt\/(job|run)\//.test(tag)

function JobLinks({ jobs }: { jobs: readonly string[] }) {
  return (
    <>
      {jobs.slice(0, 10).map((jid) => (
        <div key={jid}>
          <a class="mono" href={href(['jobs', jid])}>
            {jid}
          </a>
        </div>
      ))}
      {jobs.length > 10 && <span class="muted">and {jobs.length - 10} more</span>}
      {jobs.length === 0 && <span class="muted">–</span>}
    </>
  )
}

/** The choice for a step in a resumed run. */
function Choice({ step, run }: { step: Step; run: RunDetails }) {
  const [skip, retry] = [keysIn(param('skip'), run.steps), keysIn(param('retry'), run.steps)]
  const isDone = step.state === 'succeeded'
  if (!isDone && !step.skippable) return null
  const chosen = skip.includes(step.key) ? 'skip' : retry.includes(step.key) ? 'retry' : ''
  const choose = (next: string): void => {
    const write = (keys: string[], name: string): string | null => {
      const left = [...keys.filter((key) => key !== step.key), ...(next === name ? [step.key] : [])]
      return left.length === 0 ? null : JSON.stringify(left)
    }
    setParams({ skip: write(skip, 'skip'), retry: write(retry, 'retry') })
  }
  return (
    <Select
      label={`When resumed, ${step.name}`}
      value={chosen}
      options={
        isDone
          ? [
              ['', 'Stays done'],
              ['retry', 'Run again'],
            ]
          : [
              ['', 'Run'],
              ['skip', 'Skip'],
            ]
      }
      onChange={choose}
    />
  )
}

function StepRow({ step, run }: { step: Step; run: RunDetails }) {
  const { text, tone } = STEP_STATES[step.state]
  const names = new Map(run.steps.map(({ key, name }) => [key, name]))
  const isChosen = param('step') === step.key
  return (
    <tr data-active={isChosen} ref={(row) => void (isChosen && row?.scrollIntoView({ block: 'nearest' }))}>
      <td class="right muted">{step.order + 1}</td>
      <td class="wrap">
        <strong>{step.name}</strong>
        <div class="small muted">
          {step.function}
          {step.place && <div class="mono">{step.place}</div>}
        </div>
        {step.requires.length > 0 && (
          <div class="small muted">after {step.requires.map((key) => names.get(key) ?? key).join(', ')}</div>
        )}
      </td>
      <td>
        <Badge tone={tone}>{text}</Badge>
      </td>
      <td>
        <Time at={step.started} />
        {step.duration !== null && <div class="small muted">{duration(step.duration)}</div>}
      </td>
      <td>
        <JobLinks jobs={step.jobs} />
      </td>
      <td class="wrap step-comment">{commentText(step.comment)}</td>
      <td>
        <Choice step={step} run={run} />
      </td>
    </tr>
  )
}

const Steps = ({ run }: { run: RunDetails }) => (
  <Card title="Steps" flush>
    <div class="scroll" tabIndex={0} role="region" aria-label="Steps">
      <table class="plain-table steps">
        <thead>
          <tr>
            <th class="right">No.</th>
            <th>Step</th>
            <th>State</th>
            <th>Started</th>
            <th>Jobs</th>
            <th>Comment</th>
            <th>When resumed</th>
          </tr>
        </thead>
        <tbody>
          {run.steps.map((step) => (
            <StepRow key={step.key} step={step} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  </Card>
)

const Facts = ({ run }: { run: RunDetails }) => (
  <dl class="facts">
    <dt>State</dt>
    <dd>
      <Badge tone={RUN_STATES[run.state].tone}>{RUN_STATES[run.state].text}</Badge>
    </dd>
    <dt>Started</dt>
    <dd>
      <Time at={run.started} />
      {run.user !== '' && ` by ${run.user}`}
    </dd>
    <dt>{run.ended === null ? 'Running for' : 'Took'}</dt>
    <dd>{duration(runTime(run))}</dd>
    <dt>Job id</dt>
    <dd>
      <span class="mono">{run.jid}</span>
    </dd>
  </dl>
)

function resume(run: RunDetails): void {
  const chosen = { skip: keysIn(param('skip'), run.steps), retry: keysIn(param('retry'), run.steps) }
  ask({
    title: `Resume ${modsText(run.mods)}`,
    reach: resumeReach(run.steps, chosen),
    action: 'Resume',
    done: 'The run goes on',
    run: async () => {
      await post('/v1/runs/{jid}/resume', { params: { jid: run.jid }, body: chosen })
      setParams({ skip: null, retry: null })
    },
  })
}

function refusalOf(run: RunDetails): string | undefined {
  if (!seemsAllowed('runner', 'state.orchestrate_resume'))
    return 'This needs the right to call the runner state.orchestrate_resume'
  if (run.state === 'running') return 'The run has not ended'
  if (!run.resumable && keysIn(param('retry'), run.steps).length === 0)
    return 'The run succeeded. Choose "Run again" for a step to run it once more'
  return undefined
}

const Actions = ({ run }: { run: RunDetails }) => (
  <>
    <Button
      icon="retry"
      kind={run.resumable ? 'primary' : undefined}
      refusal={refusalOf(run)}
      onClick={() => resume(run)}
    >
      Resume
    </Button>
    <LinkButton href={href('why', { what: run.jid })} icon="why">
      Why
    </LinkButton>
    <CopyMenu
      items={[
        ['Command', () => `salt-run state.orchestrate_show ${run.jid}`],
        ['JSON', () => JSON.stringify(run, null, 2)],
        ['Link', pageLink],
      ]}
    />
  </>
)

export function RunPage({ jid }: { jid: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/runs/{jid}', { params: { jid }, signal }),
    [jid],
    {
      apply: ({ state }, event) =>
        isNews(event) && (state === 'running' || event.tag.includes(jid)) ? 'reload' : undefined,
    },
  )
  const isRunning = data?.state === 'running'
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => void reload(), LOOK_MS)
    return () => clearInterval(timer)
  }, [jid, isRunning])
  return (
    <View
      title={data ? modsText(data.mods) || jid : jid}
      crumb={{ text: 'Orchestrations', href: href('runs') }}
      isLoading={isLoading && !data}
      actions={data && <Actions run={data} />}
    >
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && (
        <>
          <Card>
            <Facts run={data} />
          </Card>
          {data.steps.length > 0 && <Graph steps={data.steps} />}
          <Steps run={data} />
          <Card title="What was asked for">
            <Tree value={data.asked} open={1} />
          </Card>
        </>
      )}
    </View>
  )
}

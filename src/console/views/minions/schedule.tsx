// The schedule of a minion, as the minion itself lists it.
import { refusalOf } from '../../live/rights.ts'
import { Badge, Button, Card, Empty, LinkButton, Menu } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import { runHref } from './actions.tsx'
import { Answered, act, CallItem } from './answered.tsx'
import { Value } from './grains.tsx'
import { type Entry, listed, whenText } from './listed.ts'
import type { Details } from './parts.tsx'

const LIST = { function: 'schedule.list', kwargs: { return_yaml: false } }

function JobMenu({ id, entry, reload }: { id: string; entry: Entry; reload(): Promise<void> }) {
  const { name, isEnabled, options } = entry
  const change = async (fun: string, done: string, kwargs = {}): Promise<void> => {
    if (await act(id, { function: `schedule.${fun}`, args: [name], kwargs }, done)) await reload()
  }
  return (
    <Menu label={<span class="hidden-text">Actions of {name}</span>} icon="more">
      <CallItem
        id={id}
        function="schedule.run_job"
        onClick={() => void change('run_job', `${id} runs ${name}`, isEnabled ? {} : { force: true })}
      >
        Run now
      </CallItem>
      {isEnabled ? (
        <CallItem
          id={id}
          function="schedule.disable_job"
          onClick={() => void change('disable_job', `Disabled ${name} on ${id}`)}
        >
          Disable
        </CallItem>
      ) : (
        <CallItem
          id={id}
          function="schedule.enable_job"
          onClick={() => void change('enable_job', `Enabled ${name} on ${id}`)}
        >
          Enable
        </CallItem>
      )}
      <a href={runHref([id], { function: 'schedule.modify', args: [name], kwargs: options })}>Modify …</a>
      <CallItem
        id={id}
        function="schedule.delete"
        onClick={() =>
          ask({
            title: `Delete ${name}`,
            reach: `Deletes the job ${name} from the schedule of ${id}.`,
            word: name,
            action: 'Delete',
            isDanger: true,
            run: () => change('delete', `Deleted ${name} from the schedule of ${id}`),
          })
        }
      >
        Delete …
      </CallItem>
    </Menu>
  )
}

/** Ways to add a job, each with the options that its kind has. */
const NEW_JOBS: ReadonlyArray<readonly [title: string, kwargs: Record<string, unknown>]> = [
  ['Job at intervals …', { function: '', hours: 1 }],
  ['Job by cron …', { function: '', cron: '*/15 * * * *' }],
  ['Job for once …', { function: '', once: '', once_format: '%Y-%m-%dT%H:%M:%S' }],
]

function Schedule({ id, answer, reload }: { id: string; answer: unknown; reload(): Promise<void> }) {
  const { isEnabled, entries } = listed(answer)
  const all = isEnabled ? 'disable' : 'enable'
  const change = async (): Promise<void> => {
    if (await act(id, { function: `schedule.${all}` }, `The schedule of ${id} is ${all}d`)) await reload()
  }
  return (
    <>
      <div class="toolbar">
        <Badge tone={isEnabled ? 'ok' : 'changed'}>{isEnabled ? 'Scheduler enabled' : 'Scheduler disabled'}</Badge>
        <Button refusal={refusalOf(id, `schedule.${all}`)} onClick={() => void change()}>
          {isEnabled ? 'Disable' : 'Enable'} the scheduler
        </Button>
        <Menu label="Add" icon="plus">
          {NEW_JOBS.map(([title, kwargs]) => (
            <a key={title} href={runHref([id], { function: 'schedule.add', args: [''], kwargs })}>
              {title}
            </a>
          ))}
        </Menu>
        <Button icon="retry" kind="plain" title="Ask again" onClick={() => void reload()} />
      </div>
      {entries.length === 0 ? (
        <Empty title="The schedule is empty">
          <LinkButton
            icon="plus"
            href={runHref([id], { function: 'schedule.add', args: [''], kwargs: { function: '', hours: 1 } })}
          >
            Add a job
          </LinkButton>
        </Empty>
      ) : (
        <Card flush>
          <table class="plain-table value-table">
            <thead>
              <tr>
                <th>Name</th>
                <th>Function</th>
                <th>When</th>
                <th class="lesser">Options</th>
                <th>
                  <span class="hidden-text">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.name}>
                  <td>
                    {entry.name} {!entry.isEnabled && <Badge tone="changed">disabled</Badge>}
                  </td>
                  <td class="mono">{String(entry.options['function'] ?? '–')}</td>
                  <td>{whenText(entry.options)}</td>
                  <td class="lesser">
                    <Value value={entry.options} />
                  </td>
                  <td class="act">
                    <JobMenu id={id} entry={entry} reload={reload} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </>
  )
}

export const ScheduleTab = ({ data }: { data: Details }) => (
  <Answered data={data} call={LIST} what="schedule">
    {(answer, reload) => <Schedule id={data.id} answer={answer} reload={reload} />}
  </Answered>
)

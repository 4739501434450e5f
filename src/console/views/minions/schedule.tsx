// The schedule of a minion, as the minion itself lists it.
import { refusalOf } from '../../live/rights.ts'
import { Badge, Button, Card, Empty, LinkButton, Menu } from '../../ui/basic.tsx'
import { runHref } from './actions.tsx'
import { Answered, act, CallItem } from './answered.tsx'
import { EntryMenu } from './entry-menu.tsx'
import { Value } from './grains.tsx'
import { type Entry, listed, whenText } from './listed.ts'
import type { Details } from './parts.tsx'

const LIST = { function: 'schedule.list', kwargs: { return_yaml: false } }

const FUNCTIONS = { disable: 'schedule.disable_job', enable: 'schedule.enable_job', delete: 'schedule.delete' }

function JobMenu({ id, entry, reload }: { id: string; entry: Entry; reload(): Promise<void> }) {
  const { name, isEnabled, options } = entry
  const run = async (): Promise<void> => {
    const kwargs = isEnabled ? {} : { force: true }
    if (await act(id, { function: 'schedule.run_job', args: [name], kwargs }, `${id} runs ${name}`)) await reload()
  }
  return (
    <EntryMenu
      id={id}
      name={name}
      isEnabled={isEnabled}
      functions={FUNCTIONS}
      entry={`the job ${name} from the schedule of ${id}`}
      modify={runHref([id], { function: 'schedule.modify', args: [name], kwargs: options })}
      reload={reload}
    >
      <CallItem id={id} function="schedule.run_job" onClick={() => void run()}>
        Run now
      </CallItem>
    </EntryMenu>
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

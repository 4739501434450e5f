// The beacons of a minion, as the minion lists them, with the last value of each.
import { useEffect, useState } from 'preact/hooks'
import { refusalOf } from '../../live/rights.ts'
import { type LiveEvent, stream } from '../../live/stream.ts'
import { Badge, Button, Card, Empty, LinkButton, Menu, Time } from '../../ui/basic.tsx'
import { ask } from '../../ui/dialog.tsx'
import { runHref } from './actions.tsx'
import { Answered, act, CallItem } from './answered.tsx'
import { EntryMenu } from './entry-menu.tsx'
import { Value } from './grains.tsx'
import { type Entry, listed } from './listed.ts'
import type { Details } from './parts.tsx'

const LIST = { function: 'beacons.list', kwargs: { return_yaml: false } }

/** The last event of each beacon of a minion, while the page is open. */
function useValues(id: string): ReadonlyMap<string, LiveEvent> {
  const [values, setValues] = useState<ReadonlyMap<string, LiveEvent>>(new Map())
  useEffect(
    () =>
      stream.listen((events) => {
        const prefix = `salt/beacon/${id}/`
        const news = events.filter(({ tag }) => tag.startsWith(prefix))
        if (news.length === 0) return
        const named = news.map((event) => [event.tag.slice(prefix.length).split('/')[0]!, event] as const)
        setValues((before) => new Map([...before, ...named]))
      }),
    [id],
  )
  return values
}

const FUNCTIONS = { disable: 'beacons.disable_beacon', enable: 'beacons.enable_beacon', delete: 'beacons.delete' }

function BeaconMenu({ id, entry, reload }: { id: string; entry: Entry; reload(): Promise<void> }) {
  const { name, isEnabled, options } = entry
  const data = Object.entries(options).map(([key, value]) => ({ [key]: value }))
  return (
    <EntryMenu
      id={id}
      name={name}
      isEnabled={isEnabled}
      functions={FUNCTIONS}
      entry={`the beacon ${name} from ${id}`}
      modify={runHref([id], { function: 'beacons.modify', args: [name, data] })}
      reload={reload}
    />
  )
}

function Beacons({ id, answer, reload }: { id: string; answer: unknown; reload(): Promise<void> }) {
  const { isEnabled, entries } = listed(answer)
  const values = useValues(id)
  const change = async (fun: string, done: string): Promise<void> => {
    if (await act(id, { function: `beacons.${fun}` }, done)) await reload()
  }
  return (
    <>
      <div class="toolbar">
        <Badge tone={isEnabled ? 'ok' : 'changed'}>{isEnabled ? 'Beacons enabled' : 'Beacons disabled'}</Badge>
        <Button
          refusal={refusalOf(id, isEnabled ? 'beacons.disable' : 'beacons.enable')}
          onClick={() =>
            void (isEnabled
              ? change('disable', `The beacons of ${id} are disabled`)
              : change('enable', `The beacons of ${id} are enabled`))
          }
        >
          {isEnabled ? 'Disable' : 'Enable'} all beacons
        </Button>
        <Menu label="More" icon="more">
          <a href={runHref([id], { function: 'beacons.add', args: ['', []] })}>Add a beacon …</a>
          <CallItem id={id} function="beacons.save" onClick={() => void change('save', `${id} saved its beacons`)}>
            Save to the configuration
          </CallItem>
          <CallItem
            id={id}
            function="beacons.reset"
            onClick={() =>
              ask({
                title: 'Reset the beacons',
                reach: `Deletes all beacons that ${id} has besides those of its pillar.`,
                word: 'reset',
                action: 'Reset',
                isDanger: true,
                run: () => change('reset', `${id} reset its beacons`),
              })
            }
          >
            Reset …
          </CallItem>
        </Menu>
        <Button icon="retry" kind="plain" title="Ask again" onClick={() => void reload()} />
      </div>
      {entries.length === 0 ? (
        <Empty title="The minion has no beacons">
          <LinkButton icon="plus" href={runHref([id], { function: 'beacons.add', args: ['', []] })}>
            Add a beacon
          </LinkButton>
        </Empty>
      ) : (
        <Card flush>
          <table class="plain-table value-table">
            <thead>
              <tr>
                <th>Name</th>
                <th>Configuration</th>
                <th>Last value</th>
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
                  <td>
                    <Value value={entry.options} />
                  </td>
                  <td>
                    <LastValue event={values.get(entry.name)} />
                  </td>
                  <td class="act">
                    <BeaconMenu id={id} entry={entry} reload={reload} />
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

function LastValue({ event }: { event: LiveEvent | undefined }) {
  if (!event) return <span class="muted">none since this page is open</span>
  const { id: _id, _stamp, ...data } = event.data
  return (
    <>
      <Time at={event.stamp} relative />
      <Value value={data} />
    </>
  )
}

export const BeaconsTab = ({ data }: { data: Details }) => (
  <Answered data={data} call={LIST} what="beacons">
    {(answer, reload) => <Beacons id={data.id} answer={answer} reload={reload} />}
  </Answered>
)

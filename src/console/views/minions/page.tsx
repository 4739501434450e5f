// The page of one minion: the master's data about it, data that it returns itself, and actions.
import { read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { refusalOf } from '../../live/rights.ts'
import { href, navigate, pageLink, param } from '../../route.ts'
import { seemsAllowed } from '../../session.ts'
import { Button, CopyMenu, Empty, LinkButton, Menu, ProblemNotice, Tabs, View } from '../../ui/basic.tsx'
import { askDelete, askHighstate, HighstateDialog, runHref } from './actions.tsx'
import { act, CallItem } from './answered.tsx'
import { BeaconsTab } from './beacons.tsx'
import { GrainsTab } from './grains.tsx'
import { HighstateTab } from './highstates.tsx'
import { JobsTab } from './jobs.tsx'
import { MineTab } from './mine.tsx'
import { concerns, type Details } from './parts.tsx'
import { PillarTab } from './pillar.tsx'
import { ScheduleTab } from './schedule.tsx'
import { SummaryTab } from './summary.tsx'

const TABS = [
  ['summary', 'Summary'],
  ['grains', 'Grains'],
  ['pillar', 'Pillar'],
  ['highstate', 'Highstate'],
  ['jobs', 'Jobs'],
  ['schedule', 'Schedule'],
  ['beacons', 'Beacons'],
  ['mine', 'Mine'],
] as const

/** Functions that make a minion refresh its data. */
const REFRESHES: ReadonlyArray<readonly [fun: string, title: string]> = [
  ['saltutil.refresh_pillar', 'Refresh pillar'],
  ['saltutil.refresh_grains', 'Refresh grains'],
  ['saltutil.refresh_modules', 'Refresh modules'],
  ['saltutil.refresh_beacons', 'Refresh beacons'],
  ['saltutil.sync_all', 'Synchronise all modules'],
]

function Actions({ data }: { data: Details }) {
  const { id } = data
  return (
    <>
      <LinkButton href={runHref([id])} icon="run" kind="primary">
        Run
      </LinkButton>
      <Button refusal={refusalOf(id, 'state.apply')} onClick={() => askHighstate([data])}>
        Apply highstate …
      </Button>
      <Menu label="Refresh" icon="retry">
        {REFRESHES.map(([fun, title]) => (
          <CallItem
            key={fun}
            id={id}
            function={fun}
            onClick={() => void act(id, { function: fun }, `${id}: ${fun} done`)}
          >
            {title}
          </CallItem>
        ))}
      </Menu>
      <CopyMenu
        items={[
          ['Link', pageLink],
          ['Id', () => id],
          ['Command line', () => `salt '${id}' test.ping`],
          ['JSON', () => JSON.stringify(data, null, 2)],
        ]}
      />
      <Button
        kind="danger"
        refusal={seemsAllowed('wheel', 'key.delete') ? undefined : 'Your access list has no wheel function key.delete'}
        onClick={() => askDelete([id], () => navigate(href('minions')))}
      >
        Delete key …
      </Button>
    </>
  )
}

function Tab({ name, data }: { name: string; data: Details }) {
  switch (name) {
    case 'grains':
      return <GrainsTab data={data} />
    case 'pillar':
      return <PillarTab id={data.id} />
    case 'highstate':
      return <HighstateTab data={data} />
    case 'jobs':
      return <JobsTab id={data.id} />
    case 'schedule':
      return <ScheduleTab data={data} />
    case 'beacons':
      return <BeaconsTab data={data} />
    case 'mine':
      return <MineTab id={data.id} />
    default:
      return <SummaryTab data={data} />
  }
}

export function MinionPage({ id }: { id: string }) {
  const { data, problem, isLoading, reload } = useResource(
    (signal) => read('/v1/minions/{id}', { params: { id }, signal }),
    [id],
    { apply: (_, event) => (concerns(event, id) ? 'reload' : undefined) },
  )
  const tab = param('tab', 'summary')
  return (
    <View
      title={id}
      crumb={{ text: 'Minions', href: href('minions') }}
      isLoading={isLoading && !data}
      actions={data && <Actions data={data} />}
    >
      {problem?.status === 404 && !data ? (
        <Empty title={`There is no minion ${id}`}>
          <p>Its key may have been deleted.</p>
          <a href={href('minions')}>Show all minions</a>
        </Empty>
      ) : (
        problem && <ProblemNotice problem={problem} retry={reload} />
      )}
      {data && (
        <>
          <Tabs
            tabs={TABS}
            active={tab}
            href={(name) => href(['minions', id], { tab: name === 'summary' ? undefined : name })}
          />
          <Tab name={tab} data={data} />
        </>
      )}
      <HighstateDialog />
    </View>
  )
}

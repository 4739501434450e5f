// Settings of the master besides minions: schedules, nodegroups and returners.
import { href, param } from '../route.ts'
import { Tabs, View } from '../ui/basic.tsx'
import { Nodegroups, Returners, Schedules } from './schedules/lists.tsx'

const TABS = [
  ['schedules', 'Schedules'],
  ['nodegroups', 'Nodegroups'],
  ['returners', 'Returners'],
] as const

export default function SchedulesAndGroups() {
  const tab = TABS.find(([id]) => id === param('tab'))?.[0] ?? 'schedules'
  return (
    <View title="Schedules and groups">
      <Tabs tabs={TABS} active={tab} href={(id) => href('schedules', { tab: id })} />
      {tab === 'schedules' && <Schedules />}
      {tab === 'nodegroups' && <Nodegroups />}
      {tab === 'returners' && <Returners />}
    </View>
  )
}

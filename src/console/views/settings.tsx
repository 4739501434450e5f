// Settings and health of the master.
import './settings/settings.css'
import { href, param } from '../route.ts'
import { seemsAllowed } from '../session.ts'
import { Notice, Tabs, View } from '../ui/basic.tsx'
import { Health } from './settings/health.tsx'
import { Options } from './settings/options.tsx'
import { Versions } from './settings/versions.tsx'

const TABS = [
  { id: 'options', title: 'Options', part: Options, right: ['wheel', 'config.values'] },
  { id: 'health', title: 'Health', part: Health, right: ['runner', 'manage.status'] },
  { id: 'versions', title: 'Versions of minions', part: Versions, right: ['runner', 'manage.status'] },
] as const

export default function Settings() {
  const tab = TABS.find(({ id }) => id === param('tab')) ?? TABS[0]
  const [family, fun] = tab.right
  const Part = tab.part
  return (
    <View title="Settings" full={tab.id === 'options'}>
      <Tabs
        tabs={TABS.map(({ id, title }) => [id, title] as const)}
        active={tab.id}
        href={(id) => href('settings', { tab: id })}
      />
      {seemsAllowed(family, fun) ? (
        <Part />
      ) : (
        <Notice>
          This needs the right to call the {family} function <code>{fun}</code>. Ask whoever keeps external_auth of the
          master for it.
        </Notice>
      )}
    </View>
  )
}

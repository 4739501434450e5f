// The reactor: its rules, its reactions, and dry runs.
import { href, param } from '../route.ts'
import { Tabs, View } from '../ui/basic.tsx'
import { ReactionList } from './reactor/reactions.tsx'
import { RuleList } from './reactor/rules.tsx'
import { Trial } from './reactor/trial.tsx'
import './reactor/reactor.css'

const TABS = [
  ['rules', 'Rules'],
  ['reactions', 'Reactions'],
  ['test', 'Dry run'],
] as const

export default function Reactor() {
  const tab = TABS.find(([id]) => id === param('tab'))?.[0] ?? 'rules'
  return (
    <View title="Reactor">
      <Tabs tabs={TABS} active={tab} href={(id) => href('reactor', { tab: id })} />
      {tab === 'rules' && <RuleList />}
      {tab === 'reactions' && <ReactionList />}
      {tab === 'test' && <Trial />}
    </View>
  )
}

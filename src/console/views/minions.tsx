// Minions: the list, and the page of one minion.
import type { ViewProps } from '../views.ts'
import { MinionList } from './minions/list.tsx'
import './minions/minions.css'
import { MinionPage } from './minions/page.tsx'

export default function Minions({ rest }: ViewProps) {
  const [id] = rest
  return id === undefined ? <MinionList /> : <MinionPage key={id} id={id} />
}

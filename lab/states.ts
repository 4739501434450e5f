// States applied in a host by our salt-call, for tests: answers by state id, and the promises of a dry run.
import { join } from 'node:path'
import { countChanges } from './compare/difference.ts'
import { snapshot } from './compare/snapshot.ts'
import type { Host } from './host.ts'

export interface StateResult {
  result: boolean | null
  comment: string
  changes: Record<string, unknown>
  name: string
}

const CONFIGURATION = {
  file_client: 'local',
  file_roots: { base: ['/srv/salt'] },
  pillar_roots: { base: ['/srv/pillar'] },
}

/** Gives a host one of the trees of lab/trees, or another's salt/ and pillar/. */
export function install(host: Host, tree: string): void {
  const folder = join(import.meta.dirname, 'trees', tree)
  host.copyIn(join(folder, 'salt'), '/srv/salt')
  host.copyIn(join(folder, 'pillar'), '/srv/pillar')
  host.write('/etc/salt/minion', JSON.stringify({ id: host.name, ...CONFIGURATION }))
}

/** `id function` → what became of that state. */
export type Results = Record<string, StateResult>

export async function apply(host: Host, sls: string, ...args: string[]): Promise<Results> {
  const { stdout, stderr } = await host.attempt(['salt-call', '--local', '--out=json', 'state.apply', sls, ...args])
  let answer: unknown
  try {
    answer = JSON.parse(stdout).local
  } catch {
    throw new Error(`${host.name}: state.apply ${sls} gave no JSON: ${stdout}${stderr}`)
  }
  if (Array.isArray(answer)) throw new Error(`${host.name}: state.apply ${sls}: ${answer.join('\n')}`)
  return Object.fromEntries(
    Object.entries(answer as Results).map(([tag, state]) => {
      const [module, id, , fun] = tag.split('_|-')
      return [`${id} ${module}.${fun}`, state]
    }),
  )
}

/** `id function` → whether the state succeeded and changed something. */
export type Outcomes = Record<string, 'clean' | 'changes' | 'fails'>

export const outcomes = (results: Results): Outcomes =>
  Object.fromEntries(Object.entries(results).map(([id, state]) => [id, outcome(state)]))

const outcome = ({ result, changes }: StateResult): Outcomes[string] => {
  if (result === false) return 'fails'
  return result === null || Object.keys(changes).length > 0 ? 'changes' : 'clean'
}

/** A dry run, and what it changed in the host all the same. */
export async function dryRun(host: Host, sls: string): Promise<{ foretold: Outcomes; touched: number }> {
  const before = await snapshot(host)
  const foretold = outcomes(await apply(host, sls, 'test=True'))
  const { files, packages, services } = countChanges(before, await snapshot(host))
  return { foretold, touched: files + packages + services }
}

// The swarm of simulated minions that SWARM_DIR names, copied to where it finds the packages of this project. In the copy, minions have
// grains and addresses of their own (bench/fleet/).
import { copyFileSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { NoPeerError } from './peer.ts'

/** Return the folder of the copied swarm. */
export function swarmFolder(root: string): string {
  const from = resolve(root, process.env['SWARM_DIR'] ?? '../shared/bench/swarm')
  if (!existsSync(join(from, 'swarm.mjs')))
    throw new NoPeerError(`There is no swarm in ${from}: name it with SWARM_DIR`)
  const folder = join(root, '.brine', 'bench', 'swarm')
  rmSync(folder, { recursive: true, force: true })
  cpSync(from, folder, { recursive: true })
  const [lib, fleet] = [join(folder, 'lib'), join(root, 'bench', 'fleet')]
  for (const name of ['minion', 'returns']) {
    renameSync(join(lib, `${name}.mjs`), join(lib, `plain-${name}.mjs`))
    copyFileSync(join(fleet, `${name}.mjs`), join(lib, `${name}.mjs`))
  }
  copyFileSync(join(fleet, 'facts.mjs'), join(lib, 'facts.mjs'))
  return folder
}

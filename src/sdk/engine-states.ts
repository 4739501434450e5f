// The states of a daemon's engines: the daemon keeps a file up to date, and other programs read it. If the daemon has
// ended, all its engines count as stopped.
import { option } from '../config/mod.ts'
import { type Dict, isDict, loadJson, str, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'

/** The file with the states. */
export const engineFile = (opts: Dict): string => `${option(opts, 'cachedir')}/engines.json`

/** By engine name: `engine`, `state`, `since`, `starts` and the last `error`. */
export async function engineStates(host: Host, opts: Dict): Promise<Dict> {
  const file = engineFile(opts)
  if (!(await host.stat(file))) return new Map()
  const told = loadJson(await host.read(file))
  const engines = isDict(told) ? (told.get('engines') ?? null) : null
  if (!isDict(told) || !isDict(engines)) return new Map()
  if (await host.stat(`/proc/${str(told.get('pid') ?? 0)}`)) return engines
  return new Map([...engines].map(([name, state]) => [name, isDict(state) ? stopped(state) : state]))
}

const stopped = (state: Dict): Value =>
  state.get('state') === 'unavailable' ? state : new Map(state).set('state', 'stopped')

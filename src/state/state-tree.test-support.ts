// A state tree and a minion in memory, for tests of the engine.
import { type Dict, fromPlain, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { LocalTree } from './local-tree.ts'
import { stateEngine } from './open-states.ts'

export interface TestMinion {
  functions: Registry
  /** Errors. */
  log: string[]
  warnings: string[]
}

/** `files` lie below the root of `base`. */
export async function testMinion(files: Record<string, string>, opts: Record<string, Value> = {}): Promise<TestMinion> {
  const inRoot = Object.fromEntries(Object.entries(files).map(([path, text]) => [`/srv/salt/${path}`, text]))
  const host = await MemoryHost.with({ files: inRoot })
  const options = fromPlain({ id: 'web1', file_roots: { base: ['/srv/salt'] }, cachedir: '/var/cache/salt' }) as Dict
  for (const [name, value] of Object.entries(opts)) options.set(name, value)
  const [log, warnings]: [string[], string[]] = [[], []]
  const functions = new Registry(moduleTable, {
    opts: options,
    grains: new Map([['id', 'web1']]),
    pillar: new Map(),
    host,
    log: (level, text) => void (level === 'error' ? log : level === 'warning' ? warnings : []).push(text),
    openStates: stateEngine({ tree: (own) => new LocalTree(own, host) }),
  })
  return { functions, log, warnings }
}

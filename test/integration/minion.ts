// A minion on this machine without files of its own: functions by name, and single states with or without a dry run.
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { type Host, LocalHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { RootsTree, stateEngine } from '../../src/state/mod.ts'

export interface Minion {
  call(name: string, args?: readonly Value[], kwargs?: Record<string, Plain>): Promise<Plain>
  /** `result`, `comment` and `changes` of a state. */
  state(name: string, kwargs: Record<string, Plain>, test?: boolean): Promise<Outcome>
}

export interface Outcome {
  result: Plain
  comment: Plain
  changes: Plain
}

const isOutcome = (answer: unknown): answer is Outcome =>
  typeof answer === 'object' && answer !== null && 'comment' in answer

export function minion(opts: Record<string, Plain> = {}, host: Host = new LocalHost()): Minion {
  const options = fromPlain({ id: 'web1', file_roots: { base: [] }, cachedir: '/tmp/brine-cache', ...opts }) as Dict
  const functions = new Registry(moduleTable, {
    opts: options,
    grains: new Map<Value, Value>([
      ['id', 'web1'],
      ['os_family', 'Debian'],
    ]),
    pillar: new Map(),
    masked: false,
    host,
    openStates: stateEngine({ tree: (own) => new RootsTree(own, host) }),
  })
  const call: Minion['call'] = async (name, args = [], kwargs = {}) =>
    toPlain(await functions.call(name, args, fromPlain(kwargs) as Map<string, Value>))
  return {
    call,
    state: async (name, kwargs, test = false) => {
      const answer = (await call('state.single', [name], { ...kwargs, test })) as Readonly<Record<string, Plain>>
      const outcome = Object.values(answer)[0]
      if (!isOutcome(outcome)) throw new Error(`No outcome: ${JSON.stringify(answer)}`)
      const { result, comment, changes } = outcome
      return { result, comment, changes }
    },
  }
}

// A minion on this machine without files: functions by name, and single states with or without a dry run.
import { expect } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { type Host, LocalHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { renderText } from '../../src/render/mod.ts'
import { LocalTree, stateEngine } from '../../src/state/mod.ts'

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

/** Expect a state to foresee a change in a dry run, to make it, and to settle in a second run; return the three comments. */
export async function thrice(salt: Minion, name: string, kwargs: Record<string, Plain>): Promise<Plain[]> {
  const dry = await salt.state(name, kwargs, true)
  const real = await salt.state(name, kwargs)
  const again = await salt.state(name, kwargs)
  const outcome = [dry.result, real.result, again.result, again.changes]
  expect(outcome, `${name}: ${String(real.comment)}`).toEqual([null, true, true, {}])
  return [dry.comment, real.comment, again.comment]
}

export function minion(opts: Record<string, Plain> = {}, host: Host = new LocalHost()): Minion {
  const options = fromPlain({ id: 'web1', file_roots: { base: [] }, cachedir: '/tmp/brine-cache', ...opts }) as Dict
  const grains = new Map<Value, Value>([
    ['id', 'web1'],
    ['kernel', 'Linux'],
    ['os_family', 'Debian'],
  ])
  const functions: Registry = new Registry(moduleTable, {
    opts: options,
    grains,
    pillar: new Map(),
    masked: false,
    host,
    render: async ({ text, ...request }) =>
      (await renderText(text, { ...request, opts: options, grains, pillar: new Map(), functions })).value,
    openStates: stateEngine({ tree: (own) => new LocalTree(own, host) }),
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

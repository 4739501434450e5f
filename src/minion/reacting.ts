// A reactor on a minion: it hears the minion's own events, and of what rules want it does what a minion can: calls of its own
// functions (`caller`). Jobs for others and functions of a master fail with a word about it.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { BrineError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { applyReactorSettings } from '../daemon/mod.ts'
import type { Value } from '../data/mod.ts'
import { hasRules, Reactor } from '../reactor/mod.ts'
import type { MasterContext } from '../sdk/mod.ts'
import { ReactionStore } from '../store/mod.ts'
import type { BeaconParts } from './beacons.ts'

const refuse = async (): Promise<never> => {
  throw new BrineError('NoMaster', 'A minion can only call its own functions (caller)')
}

/** Goes on until it shall stop. */
export async function reactOnMinion(
  { opts, log, bus, functions }: Omit<BeaconParts, 'jobs'>,
  signal: AbortSignal,
  settings: ReadonlyMap<string, Value>,
): Promise<void> {
  if (!hasRules(opts)) log('warning', 'The reactor has no rules: the option reactor is empty')
  applyReactorSettings(opts, settings)
  const { files } = (await functions()).ctx
  // all that the reactor asks of a master and a minion can answer
  const context = {
    opts,
    log,
    files,
    function: async (name, args, kwargs) => (await functions()).call(name, args, kwargs),
    render: async (request) => (await functions()).ctx.render(request),
    publish: refuse,
  } satisfies Partial<MasterContext> as unknown as MasterContext
  const store = new ReactionStore(join(option(opts, 'cachedir'), 'reactions.db'))
  const secret = randomUUID()
  const reactor = new Reactor({
    context,
    bus,
    declared: async () => undefined,
    store,
    run: refuse,
    masterKey: () => secret,
  })
  reactor.start()
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
  await reactor.close()
  store.close()
}

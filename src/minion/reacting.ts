// A reactor on a minion. It hears the minion's own events and calls the minion's own functions (`caller`); reactions that need a
// master fail.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { option } from '../config/mod.ts'
import { applyReactorSettings } from '../daemon/mod.ts'
import type { Value } from '../data/mod.ts'
import { hasRules, Reactor, type ReactorContext } from '../reactor/mod.ts'
import { ReactionStore } from '../store/mod.ts'
import type { BeaconParts } from './beacons.ts'

/** Run the reactor until the signal. */
export async function reactOnMinion(
  { opts, log, bus, functions }: Omit<BeaconParts, 'jobs'>,
  signal: AbortSignal,
  settings: ReadonlyMap<string, Value>,
): Promise<void> {
  if (!hasRules(opts)) log('warning', 'The reactor has no rules: the option reactor is empty')
  applyReactorSettings(opts, settings)
  const { files } = (await functions()).ctx
  const context: ReactorContext = {
    opts,
    log,
    files,
    function: async (name, args, kwargs) => (await functions()).call(name, args, kwargs),
    render: async (request) => (await functions()).ctx.render(request),
  }
  const store = new ReactionStore(join(option(opts, 'cachedir'), 'reactions.db'))
  const secret = randomUUID()
  const reactor = new Reactor({
    context,
    bus,
    declared: async () => undefined,
    store,
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

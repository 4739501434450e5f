// Settings of the reactor. A master with rules always has a reactor; a minion has one only with this engine.
import type { Value } from '../../../data/mod.ts'
import { arg, defineEngine } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'reactor',
  doc: 'React to events by the rules of the option `reactor`. On a master, set its limits only; on a minion, react to the events of the minion by calls of its functions (`caller`).',
  args: {
    refresh_interval: arg.number('Seconds between two checks for changed files', { optional: true }),
    worker_threads: arg.number('Number of functions that run at once', { optional: true }),
    worker_hwm: arg.number('Number of functions that may wait', { optional: true }),
  },
  when: ({ parts }) => (parts['reactor'] ? true : 'there is no reactor here'),
  start: (ctx, settings) =>
    ctx.parts['reactor']!(ctx.signal, new Map<string, Value>(Object.entries(settings) as Array<[string, Value]>)),
})

// The reactor with settings of its own. A master with rules has its reactor in any case; a minion has one only with this engine.
import type { Value } from '../../../data/mod.ts'
import { arg, defineEngine } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'reactor',
  doc: 'Answers events as the option `reactor` says. On a master it only sets how; on a minion it hears the events of the minion and calls its functions (`caller`).',
  args: {
    refresh_interval: arg.any('Seconds between looks at changed files', { optional: true }),
    worker_threads: arg.any('How many functions run at once', { optional: true }),
    worker_hwm: arg.any('How many may wait for that', { optional: true }),
  },
  when: ({ parts }) => (parts['reactor'] ? true : 'there is no reactor here'),
  start: (ctx, settings) =>
    ctx.parts['reactor']!(ctx.signal, new Map<string, Value>(Object.entries(settings) as Array<[string, Value]>)),
})

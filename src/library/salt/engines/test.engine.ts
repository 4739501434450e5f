// Events of the bus in the log, to see that engines work at all.
import { dumpJson } from '../../../data/mod.ts'
import { defineEngine } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'test',
  doc: 'Writes every event of the bus to the log, at the level `debug`, as JSON.',
  args: {},
  start: async (ctx) => {
    for await (const { data } of ctx.events()) ctx.log('debug', dumpJson(data))
  },
})

// Logs the events of the bus, to test engines.
import { dumpJson } from '../../../data/mod.ts'
import { defineEngine } from '../../../sdk/mod.ts'

export default defineEngine({
  name: 'test',
  doc: 'Log each event of the bus as JSON at the level `debug`.',
  args: {},
  start: async (ctx) => {
    for await (const { data } of ctx.events()) ctx.log('debug', dumpJson(data))
  },
})

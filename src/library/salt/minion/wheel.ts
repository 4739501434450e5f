// Lists the connected minions.
import { defineWheel, masterFn } from '../../../sdk/mod.ts'

export default defineWheel({
  name: 'minions',
  doc: 'List the connected minions.',
  functions: {
    connected: masterFn({
      doc: 'Return the ids of the connected minions.',
      run: (ctx) => [...ctx.connected().keys()],
    }),
  },
})

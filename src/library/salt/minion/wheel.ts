// Which minions are connected.
import { defineWheel, masterFn } from '../../../sdk/mod.ts'

export default defineWheel({
  name: 'minions',
  doc: 'Which minions are connected.',
  functions: {
    connected: masterFn({
      doc: 'The ids of connected minions.',
      args: {},
      run: (ctx) => [...ctx.connected().keys()],
    }),
  },
})

// The master's own options.
import { arg, defineWheel, masterFn } from '../sdk/mod.ts'

export default defineWheel({
  name: 'config',
  doc: "Reads and changes the master's options.",
  functions: {
    values: masterFn({
      doc: "All of the master's options.",
      args: {},
      run: (ctx) => ctx.opts,
    }),
    apply: masterFn({
      doc: 'Sets an option of the running master.',
      args: { key: arg.any('Its name'), value: arg.any('Its value') },
      run: (ctx, { key, value }) => {
        ctx.opts.set(key, value)
        return true
      },
    }),
  },
})

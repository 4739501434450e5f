// Returns the documentation of functions.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const own = async (ctx: MasterContext, family: 'runner' | 'wheel'): Promise<Dict> =>
  new Map<Value, Value>(await ctx.docs(family))

export default defineRunner({
  name: 'doc',
  doc: 'Return the documentation of functions.',
  functions: {
    runner: masterFn({
      doc: 'Return the documentation of all runner functions.',
      examples: ['salt-run doc.runner'],
      run: (ctx) => own(ctx, 'runner'),
    }),
    wheel: masterFn({
      doc: 'Return the documentation of all wheel functions.',
      examples: ['salt-run doc.wheel'],
      run: (ctx) => own(ctx, 'wheel'),
    }),
    execution: masterFn({
      doc: 'Return the documentation of the execution functions of all minions.',
      examples: ['salt-run doc.execution'],
      run: async (ctx) => {
        const docs: Dict = new Map()
        for await (const { data } of ctx.run({ tgt: '*', fun: 'sys.doc' })) {
          const found = data?.get('return') ?? null
          if (isDict(found)) for (const [name, doc] of found) docs.set(name, doc)
        }
        return docs
      },
    }),
  },
})

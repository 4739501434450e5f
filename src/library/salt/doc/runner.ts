// What functions say about themselves.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

const own = async (ctx: MasterContext, family: 'runner' | 'wheel'): Promise<Dict> =>
  new Map<Value, Value>(await ctx.docs(family))

export default defineRunner({
  name: 'doc',
  doc: 'Documentation of functions.',
  functions: {
    runner: masterFn({
      doc: 'What all runner functions say about themselves.',
      args: {},
      examples: ['salt-run doc.runner'],
      run: (ctx) => own(ctx, 'runner'),
    }),
    wheel: masterFn({
      doc: 'What all wheel functions say about themselves.',
      args: {},
      examples: ['salt-run doc.wheel'],
      run: (ctx) => own(ctx, 'wheel'),
    }),
    execution: masterFn({
      doc: 'What the functions of all minions say about themselves.',
      args: {},
      examples: ['salt-run doc.execution'],
      run: async (ctx) => {
        const docs: Dict = new Map()
        for await (const { data } of ctx.run({ tgt: '*', fun: 'sys.doc' })) {
          const told = data?.get('return') ?? null
          if (isDict(told)) for (const [name, doc] of told) docs.set(name, doc)
        }
        return docs
      },
    }),
  },
})

// Events from the command line.
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import { arg, defineRunner, masterFn } from '../sdk/mod.ts'

const dataOf = (data: Value): Dict => (isDict(data) ? data : truthy(data) ? new Map([['data', data]]) : new Map())

export default defineRunner({
  name: 'event',
  doc: "Events on the master's bus.",
  functions: {
    send: masterFn({
      doc: "Fires an event on the master's bus.",
      args: { tag: arg.any('Its tag'), data: arg.any('What it says', { optional: true }) },
      examples: [`salt-run event.send my/custom/event '{"foo": "bar"}'`],
      run: async (ctx, { tag, data }) => {
        await ctx.fire(str(tag), dataOf(data))
        return true
      },
    }),
  },
})

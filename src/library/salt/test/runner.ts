// Runner functions to try things with.
import { setTimeout as sleep } from 'node:timers/promises'
import { numberOf, tuple, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

const PLACEHOLDERS: ReadonlyMap<Value, string> = new Map([
  ['us', 'foo bar baz qux quux quuz corge grault garply waldo fred plugh xyzzy thud'],
  ['uk', 'wibble wobble wubble flob'],
])

export default defineRunner({
  name: 'test',
  doc: 'Tries out calls of runners.',
  functions: {
    arg: masterFn({
      doc: 'The arguments that arrived.',
      args: { args: arg.rest('Any'), kwargs: arg.open('Any') },
      examples: ['salt-run test.arg 1 "two" 3.1'],
      run: (_ctx, { args, kwargs }) => ({
        args: tuple(args),
        kwargs: new Map([...kwargs].filter(([name]) => !name.startsWith('__'))),
      }),
    }),
    raw_arg: masterFn({
      doc: 'The arguments that arrived, those of the caller included.',
      args: { args: arg.rest('Any'), kwargs: arg.open('Any') },
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: new Map(kwargs) }),
    }),
    metasyntactic: masterFn({
      doc: 'Well-known placeholder words.',
      args: { locality: arg.any('Where they are from', { default: 'us' }) },
      run: (_ctx, { locality }) => PLACEHOLDERS.get(locality)?.split(' ') ?? null,
    }),
    stdout_print: masterFn({
      doc: 'Prints a line and answers with another.',
      args: {},
      run: (ctx) => {
        ctx.print('foo\n')
        return 'bar'
      },
    }),
    get_opts: masterFn({
      doc: 'All options of the master.',
      args: {},
      run: (ctx) => ctx.opts,
    }),
    sleep: masterFn({
      doc: 'Waits for some seconds, telling of each.',
      args: { s_time: arg.any('Seconds', { default: 10 }) },
      run: async (ctx, { s_time }) => {
        ctx.print(`${String(s_time)}\n`)
        await sleep((numberOf(s_time) ?? 0) * 1000)
        return true
      },
    }),
    stream: masterFn({
      doc: 'Tells of its progress hundred times, and answers that it is done.',
      args: {},
      run: async (ctx) => {
        for (let step = 1; step < 100; step++) {
          await ctx.progress(new Map([['message', `Runner is ${step}% done`]]))
          await sleep(100)
        }
        return true
      },
    }),
  },
})

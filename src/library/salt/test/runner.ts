// Runner functions for tests.
import { setTimeout as sleep } from 'node:timers/promises'
import { numberOf, str, tuple } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([
  ['us', 'foo bar baz qux quux quuz corge grault garply waldo fred plugh xyzzy thud'],
  ['uk', 'wibble wobble wubble flob'],
])

export default defineRunner({
  name: 'test',
  doc: 'Test calls of runner functions.',
  functions: {
    arg: masterFn({
      doc: 'Return the received arguments, without the arguments that Salt adds.',
      args: { args: arg.rest('Any values'), kwargs: arg.open('Any values by name') },
      examples: ['salt-run test.arg 1 "two" 3.1'],
      run: (_ctx, { args, kwargs }) => ({
        args: tuple(args),
        kwargs: new Map([...kwargs].filter(([name]) => !name.startsWith('__'))),
      }),
    }),
    raw_arg: masterFn({
      doc: 'Return the received arguments with those that Salt adds.',
      args: { args: arg.rest('Any values'), kwargs: arg.open('Any values by name') },
      run: (_ctx, { args, kwargs }) => ({ args: tuple(args), kwargs: new Map(kwargs) }),
    }),
    metasyntactic: masterFn({
      doc: 'Return well-known placeholder words.',
      args: { locality: arg.text('Origin of the words: us or uk', { default: 'us' }) },
      run: (_ctx, { locality }) => PLACEHOLDERS.get(locality)?.split(' ') ?? null,
    }),
    stdout_print: masterFn({
      doc: 'Print a line on the console and return another text.',
      run: (ctx) => {
        ctx.print('foo\n')
        return 'bar'
      },
    }),
    get_opts: masterFn({
      doc: 'Return all options of the master.',
      run: (ctx) => ctx.opts,
    }),
    sleep: masterFn({
      doc: 'Print a number of seconds, wait for that time, and return True.',
      args: { s_time: arg.number('Seconds', { default: 10 }) },
      run: async (ctx, { s_time }) => {
        ctx.print(`${str(s_time)}\n`)
        await sleep((numberOf(s_time) ?? 0) * 1000)
        return true
      },
    }),
    stream: masterFn({
      doc: 'Fire a progress event for each percent, and return True.',
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

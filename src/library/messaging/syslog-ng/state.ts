// The configuration of syslog-ng as states, and its daemon on systems without a service manager.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { daemonArgs } from './daemon-arguments.ts'

/** Call a function of the module, which returns the report of a state. */
const report = async (ctx: StateContext, fun: string, args: Value[], kwargs: Record<string, Value> = {}) =>
  (await ctx.call(`syslog_ng.${fun}`, args, kwargs)) as unknown as StateReturn

export default defineState({
  name: 'syslog_ng',
  doc: 'Configure and run syslog-ng.',
  functions: {
    config: state({
      doc: 'Write a part of the configuration, given as data.',
      args: {
        name: arg.text('ID: a name, or type and name separated by a dot'),
        config: arg.any('Configuration as data: a list or dict'),
        write: arg.any('False only returns the text', { default: true }),
      },
      run: (ctx, { name, config, write }) => report(ctx, 'config', [name, config, write]),
    }),
    stopped: state({
      doc: 'Stop syslog-ng.',
      args: { name: arg.text('Label of the state', { optional: true }) },
      run: (ctx, { name }) => report(ctx, 'stop', [name]),
    }),
    started: state({
      doc: 'Start syslog-ng.',
      args: {
        name: arg.text('Label of the state', { optional: true }),
        ...daemonArgs,
        args: arg.rest('Ignored'),
        kwargs: arg.ignored(),
      },
      run: (ctx, { args: _args, kwargs: _kwargs, ...given }) => report(ctx, 'start', [], given),
    }),
    reloaded: state({
      doc: 'Reload the configuration of syslog-ng.',
      args: { name: arg.text('Label of the state') },
      run: async (ctx, { name }) =>
        ctx.test
          ? { name, result: null, changes: {}, comment: 'syslog-ng would be reloaded' }
          : report(ctx, 'reload', [name]),
    }),
  },
})

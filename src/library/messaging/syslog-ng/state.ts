// The configuration of syslog-ng as states, and the daemon where no service manager starts it.
import type { Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

/** The functions of the module give the reports of states. */
const report = async (ctx: StateContext, fun: string, args: Value[], kwargs: Record<string, Value> = {}) =>
  (await ctx.call(`syslog_ng.${fun}`, args, kwargs)) as unknown as StateReturn

const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })

export default defineState({
  name: 'syslog_ng',
  doc: 'Configure and run syslog-ng.',
  functions: {
    config: state({
      doc: 'Write a part of the configuration that is given as data.',
      args: {
        name: arg.any('The ID: a name, or the type and a name with a dot between them'),
        config: arg.any('The data'),
        write: arg.any('Whether it is written, or told only', { default: true }),
      },
      run: (ctx, { name, config, write }) => report(ctx, 'config', [name, config, write]),
    }),
    stopped: state({
      doc: 'End syslog-ng.',
      args: { name: optional('Anything') },
      run: (ctx, { name }) => report(ctx, 'stop', [name]),
    }),
    started: state({
      doc: 'Start syslog-ng.',
      args: {
        name: optional('Anything'),
        user: optional('Who it runs as'),
        group: optional('The group it runs as'),
        chroot: optional('The root it sees'),
        caps: optional('Its capabilities'),
        no_caps: off('Without managing capabilities'),
        pidfile: optional('The file for its process id'),
        enable_core: off('With core dumps'),
        fd_limit: optional('How many files it may open'),
        verbose: off('Tell more'),
        debug: off('Tell much more'),
        trace: off('Tell everything'),
        yydebug: off('Tell how the configuration is read'),
        persist_file: optional('The file for what it keeps'),
        control: optional('The socket for its control'),
        worker_threads: optional('How many threads work'),
        args: arg.rest('Ignored'),
        kwargs: arg.ignored(),
      },
      run: (ctx, { args: _args, kwargs: _kwargs, ...given }) => report(ctx, 'start', [], given),
    }),
    reloaded: state({
      doc: 'Have syslog-ng read its configuration anew.',
      args: { name: arg.any('Anything') },
      run: async (ctx, { name }) =>
        ctx.test
          ? { name, result: null, changes: {}, comment: 'syslog-ng would be reloaded' }
          : report(ctx, 'reload', [name]),
    }),
  },
})

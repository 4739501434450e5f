// The firewall scripts APF (Advanced Policy Firewall), which write rules of iptables.
import { failure, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

async function run(ctx: FunctionContext, program: string, ...words: string[]): Promise<string> {
  const answer = (await ctx.call('cmd.run_all', [[program, ...words]], { python_shell: false })) as Value
  const text = (name: string): string => (isDict(answer) ? str(answer.get(name) ?? '') : '')
  if (text('retcode') === '0') return text('stdout')
  throw failure(`${program} failed: ${text('stderr') || text('stdout')}`)
}

/** Whether APF is active: it has special chains, such as TCP_SANITY. */
const isRunning = async (ctx: FunctionContext): Promise<boolean> =>
  /^-N \S*sanity/im.test(await run(ctx, 'iptables', '-S'))

const ip = arg.text('Address, network or host name')

/** Refuse a text that the program would take for an option. */
function checked(ip: string): string {
  if (/^[\w.:/-]+$/.test(ip) && !ip.startsWith('-')) return ip
  throw misuse(`'${ip}' is no address, network or host name`)
}

const said = ret.any('Output of the program; None if nothing was to be done')

export default defineModule({
  name: 'apf',
  doc: 'Manage APF (Advanced Policy Firewall).',
  when: async ({ host }) => (await host.which('apf')) !== undefined || 'apf is not installed',
  functions: {
    running: reads({
      doc: 'Return whether APF is active.',
      returns: ret.boolean('Whether it is'),
      run: isRunning,
    }),
    disable: changes({
      doc: 'Remove all rules of APF, if it is active.',
      returns: said,
      run: async (ctx) => ((await isRunning(ctx)) ? run(ctx, 'apf', '-f') : null),
    }),
    enable: changes({
      doc: 'Load the rules of APF, if it is not active.',
      returns: said,
      run: async (ctx) => ((await isRunning(ctx)) ? null : run(ctx, 'apf', '-s')),
    }),
    reload: changes({
      doc: 'Remove and load all rules, if APF is not active. Use `refresh` for an active one.',
      returns: said,
      run: async (ctx) => ((await isRunning(ctx)) ? null : run(ctx, 'apf', '-r')),
    }),
    refresh: changes({
      doc: 'Resolve host names in the rules again.',
      returns: ret.string('Output of the program'),
      run: (ctx) => run(ctx, 'apf', '-e'),
    }),
    allow: changes({
      doc: 'Allow traffic of a host.',
      args: { ip, port: arg.any('Not used: a call with a port changes nothing', { optional: true }) },
      returns: said,
      example: 'apf.allow 127.0.0.1',
      run: (ctx, { ip, port }) => (port === null ? run(ctx, 'apf', '-a', checked(ip)) : null),
    }),
    deny: changes({
      doc: 'Deny traffic of a host.',
      args: { ip },
      returns: ret.string('Output of the program'),
      example: 'apf.deny 1.2.3.4',
      run: (ctx, { ip }) => run(ctx, 'apf', '-d', checked(ip)),
    }),
    remove: changes({
      doc: 'Remove a host from the lists of allowed and denied ones.',
      args: { ip },
      returns: ret.string('Output of the program'),
      example: 'apf.remove 1.2.3.4',
      run: (ctx, { ip }) => run(ctx, 'apf', '-u', checked(ip)),
    }),
  },
})

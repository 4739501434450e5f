// Runs of chef-client and chef-solo; further keywords become options of the program.
import { SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, ret } from '../../../sdk/mod.ts'

interface ChefRun {
  program: string
  words: readonly string[]
  whyrun: boolean
  localmode?: boolean
  logfile: string | null
  kwargs: ReadonlyMap<string, Value>
}

async function run(ctx: FunctionContext, { program, words, whyrun, localmode = false, logfile, kwargs }: ChefRun) {
  if ((await ctx.host.which(program)) === undefined) {
    throw new SaltError('CommandNotFoundError', `The '${program}' binary was not found in $PATH.`)
  }
  const command = [
    program,
    '--no-color',
    ...words,
    `--logfile "${logfile ?? `/var/log/${program}.log`}"`,
    '--format doc',
    ...(whyrun ? ['--why-run'] : []),
    ...(localmode ? ['--local-mode'] : []),
    ...[...kwargs].filter(([name]) => !name.startsWith('__')).map(([name, value]) => `--${name} ${str(value)}`),
  ].join(' ')
  return ctx.call('cmd.run_all', [command], { python_shell: false })
}

const whyrun = arg.flag('Predict changes without making them', { default: false })
const logfile = arg.text('Path of the log file; default: `/var/log/<program>.log`', { optional: true })
const kwargs = arg.open('Options of the program')

export default defineModule({
  name: 'chef',
  doc: 'Run Chef.',
  when: async ({ host }) =>
    (await host.which('chef-client')) !== undefined || 'Cannot load chef module: chef-client not found',
  functions: {
    client: changes({
      doc: 'Run chef-client.',
      example: 'chef.client server=https://localhost',
      args: {
        whyrun,
        localmode: arg.flag('Use the local Chef repository instead of a server', { default: false }),
        logfile,
        kwargs,
      },
      returns: ret.dict('Outcome as `cmd.run_all` returns it'),
      run: (ctx, given) => run(ctx, { program: 'chef-client', words: ['--once'], ...given }),
    }),
    solo: changes({
      doc: 'Run chef-solo.',
      example: 'chef.solo override-runlist=test',
      args: { whyrun, logfile, kwargs },
      returns: ret.dict('Outcome as `cmd.run_all` returns it'),
      run: (ctx, given) => run(ctx, { program: 'chef-solo', words: [], ...given }),
    }),
  },
})

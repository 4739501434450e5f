// Runs of Chef's client and of chef-solo; further keywords are handed on as options.
import { SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext } from '../../../sdk/mod.ts'

interface ChefRun {
  program: string
  words: readonly string[]
  whyrun: Value
  localmode?: Value
  logfile: Value
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
    `--logfile "${logfile === null ? `/var/log/${program}.log` : str(logfile)}"`,
    '--format doc',
    ...(truthy(whyrun) ? ['--why-run'] : []),
    ...(truthy(localmode) ? ['--local-mode'] : []),
    ...[...kwargs].filter(([name]) => !name.startsWith('__')).map(([name, value]) => `--${name} ${str(value)}`),
  ].join(' ')
  return ctx.call('cmd.run_all', [command], { python_shell: false })
}

const whyrun = arg.flag('Whether to see what would be done', { default: false })
const logfile = arg.text('The log; one below /var/log when not given', { optional: true })
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
        localmode: arg.any('Whether the repository is a local one', { default: false }),
        logfile,
        kwargs,
      },
      run: (ctx, given) => run(ctx, { program: 'chef-client', words: ['--once'], ...given }),
    }),
    solo: changes({
      doc: 'Run chef-solo.',
      example: 'chef.solo override-runlist=test',
      args: { whyrun, logfile, kwargs },
      run: (ctx, given) => run(ctx, { program: 'chef-solo', words: [], ...given }),
    }),
  },
})

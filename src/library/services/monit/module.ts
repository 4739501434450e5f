// Services that monit monitors.
import { splitLines, splitWords, versionHolds } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  operand,
  outputOf,
  type Result,
  reads,
  ret,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'

async function summary(ctx: FunctionContext, wanted: string): Promise<Record<string, Result>> {
  const found: Record<string, Record<string, string>> = {}
  for (const line of splitLines(await outputOf(ctx, 'monit summary'))) {
    if (line.includes('daemon is not running')) return { monit: 'daemon is not running', result: false }
    if (!line.includes(wanted) || line.includes('The Monit daemon')) continue
    const parts = line.split("'")
    if (parts.length !== 3 || (wanted !== '' && wanted !== parts[1])) continue
    const kind = parts[0]!.trim()
    found[kind] = { ...found[kind], [parts[1]!]: parts[2]!.trim() }
  }
  return found
}

async function version(ctx: FunctionContext): Promise<string> {
  const [first = ''] = splitLines(await outputOf(ctx, 'monit -V'))
  return splitWords(first).at(-1) ?? ''
}

/** Return the blocks of `monit status`. The column of names is narrower since version 5.18. */
async function status(ctx: FunctionContext, wanted: string): Promise<Result> {
  const width = versionHolds(await version(ctx), '<', '5.18.0') ? 33 : 28
  const shown = (await outputOf(ctx, 'monit status')).replaceAll('Process', `Process${' '.repeat(width)}`)
  const found: Record<string, Record<string, string>> = {}
  for (const block of shown.replaceAll("'", '').split('\n\n').slice(1, -1)) {
    const lines = splitLines(block)
    const name = splitWords(lines[0] ?? '')[1]!
    found[name] = Object.fromEntries(
      lines.map((line) => [line.slice(0, width + 3).trim(), line.slice(width + 2).trim()]),
    )
  }
  return wanted === '' ? found : (found[wanted] ?? 'No such service')
}

async function identity(ctx: FunctionContext, reset: boolean): Promise<Result> {
  if (!reset) return (await outputOf(ctx, 'monit -i')).split(':').at(-1)!.trim()
  const { stdout } = await runAll(ctx, 'echo y|monit -r', { python_shell: true })
  return /Monit id ([^ ]+)/.exec(stdout)?.[1] ?? false
}

const name = arg.string('Service name')
const svc_name = arg.string('Service name; all services if empty', { default: '' })

const verb = (doc: string, verb: string) =>
  changes({
    doc,
    example: `monit.${verb} <service name>`,
    args: { name },
    run: (ctx, { name }) => succeeds(ctx, ['monit', verb, operand('A service name', name)]),
  })

export default defineModule({
  name: 'monit',
  doc: 'Manage services that monit monitors.',
  when: async ({ host }) =>
    (await host.which('monit')) !== undefined ||
    'The monit execution module cannot be loaded: the monit binary is not in the path.',
  functions: {
    start: verb('Start a service.', 'start'),
    stop: verb('Stop a service.', 'stop'),
    restart: verb('Restart a service.', 'restart'),
    unmonitor: verb('Stop monitoring a service.', 'unmonitor'),
    monitor: verb('Monitor a service.', 'monitor'),
    summary: reads({
      doc: 'Return the states in short form.',
      args: { svc_name },
      run: (ctx, args) => summary(ctx, args.svc_name),
      returns: ret.dict('The states by type and name'),
    }),
    status: reads({
      doc: 'Return the states in detail.',
      args: { svc_name },
      run: (ctx, args) => status(ctx, args.svc_name),
    }),
    reload: {
      ...changes({
        doc: 'Reload the configuration of monit.',
        run: (ctx) => succeeds(ctx, 'monit reload'),
      }),
      calledAs: 'reload_',
    },
    configtest: reads({
      doc: 'Return whether the configuration is valid.',
      run: async (ctx) => {
        const { retcode, stdout, stderr } = await runAll(ctx, 'monit -t')
        if (retcode !== 0) return { comment: 'Syntax Error', stderr, result: false }
        return { comment: 'Syntax OK', stdout, result: true }
      },
    }),
    version: reads({ doc: 'Return the version of monit.', example: 'monit.version', run: version }),
    id: {
      ...changes({
        doc: 'Return the id of monit.',
        args: { reset: arg.flag('Whether to create a new id', { default: false }) },
        run: (ctx, { reset }) => identity(ctx, reset),
      }),
      calledAs: 'id_',
    },
    validate: changes({
      doc: 'Check all services.',
      run: (ctx) => succeeds(ctx, 'monit validate'),
    }),
  },
})

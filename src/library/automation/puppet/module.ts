// The Puppet agent: runs, locks and facts. `puppet config print` returns the directories.
import { isAnyError, recover, toError } from '../../../base/mod.ts'
import {
  type Dict,
  failure,
  fromTimestamp,
  indexError,
  intFromText,
  isDict,
  isInt,
  shlexQuote,
  splitLines,
  str,
  textOf,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isFile,
  isHostError,
  reads,
  runAll,
  textAt,
} from '../../../sdk/mod.ts'

interface Places {
  vardir: string
  rundir: string
  confdir: string
}

async function placesOf(ctx: FunctionContext): Promise<Places> {
  const text = await ctx.call('cmd.run', ['puppet config print --render-as yaml vardir rundir confdir'])
  const conf = (await ctx.render({ text, renderer: 'yaml', saltenv: 'base' })) as Dict
  const at = (name: string): string => str(conf.get(name) ?? '')
  return { vardir: at('vardir'), rundir: at('rundir'), confdir: at('confdir') }
}

const lockOf = ({ vardir }: Places): string => `${vardir}/state/agent_disabled.lock`
/** Run Puppet. Exit code 2 means changes, not a failure. */
async function run(ctx: FunctionContext, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Promise<Value> {
  const { vardir, confdir } = await placesOf(ctx)
  const subcommand = args.findLast((word) => word === 'agent' || word === 'apply') ?? 'agent'
  const words = args.filter((word) => word !== 'agent' && word !== 'apply').map(str)
  const manifest = subcommand === 'apply' ? words.splice(0, 1) : []
  if (subcommand === 'apply' && manifest.length === 0) throw indexError('list index out of range')
  if (subcommand === 'agent') words.push('test')
  const own = [...kwargs].filter(([name]) => !name.startsWith('__'))
  const options = new Map<string, Value>([['color', 'false'], ...own])
  const line = [
    manifest.map(shlexQuote).join(' '),
    ...words.map((word) => ` ${shlexQuote(`--${word}`)}`),
    ...Array.from(options, ([name, value]) => ` ${shlexQuote(`--${name}`)} ${shlexQuote(str(value))}`),
  ].join('')
  const command = `puppet ${subcommand} --vardir ${shlexQuote(vardir)} --confdir ${shlexQuote(confdir)}`
  return ctx.call('cmd.run_all', [`(${command} ${line}) || test $? -eq 2`], { python_shell: true })
}

async function isRunning(ctx: FunctionContext, path: string): Promise<boolean> {
  const pid = ((await textAt(ctx.host, path)) ?? '').trim()
  return /^\d+$/.test(pid) && (await ctx.host.stat(`/proc/${pid}`)) !== undefined
}

async function status(ctx: FunctionContext): Promise<string> {
  const places = await placesOf(ctx)
  if (await isFile(ctx, lockOf(places))) return 'Administratively disabled'
  const run = `${places.vardir}/state/agent_catalog_run.lock`
  if (await isFile(ctx, run)) return (await isRunning(ctx, run)) ? 'Applying a catalog' : 'Stale lockfile'
  const pid = `${places.rundir}/agent.pid`
  if (await isFile(ctx, pid)) return (await isRunning(ctx, pid)) ? 'Idle daemon' : 'Stale pidfile'
  return 'Stopped'
}

async function summary(ctx: FunctionContext): Promise<Dict> {
  const path = `${(await placesOf(ctx)).vardir}/state/last_run_summary.yaml`
  const report = await reportAt(ctx, path)
  const found: Dict = new Map()
  const times = report.get('time')
  if (times !== undefined) {
    found.set('last_run', lastRun(times))
    const shown = ['total', 'config_retrieval'].filter((key) => isDict(times) && times.has(key))
    found.set('time', new Map(shown.map((key) => [key, (times as Dict).get(key)!])))
  }
  if (report.has('resources')) found.set('resources', report.get('resources')!)
  return found
}

async function reportAt(ctx: FunctionContext, path: string): Promise<Dict> {
  let text: string
  try {
    text = Buffer.from(await ctx.host.read(path)).toString()
  } catch (error) {
    if (isHostError(error)) throw failure(`Unable to read puppet run summary: ${error.message}`)
    throw error
  }
  try {
    return (await ctx.render({ text, renderer: 'yaml', saltenv: 'base' })) as Dict
  } catch (error) {
    throw failure(`YAML error parsing puppet run summary: ${toError(error).message}`)
  }
}

function lastRun(times: Value): string {
  const given = isDict(times) ? (times.get('last_run') ?? null) : null
  return recover(isAnyError, 'invalid or missing timestamp', () =>
    fromTimestamp(isInt(given) ? given : intFromText(textOf(given) ?? '')).isoformat(),
  )
}

/** Return the output of facter, or raise its error. */
async function facter(ctx: FunctionContext, words: string, options: Record<string, Value> = {}): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, `facter ${words}`, options)
  if (retcode !== 0) throw failure(stderr)
  return stdout
}

const wordOf = (puppet: boolean): string => (puppet ? '--puppet' : '')
const puppet = arg.flag('Include the facts of Puppet itself', { default: false })
const running = {
  args: arg.rest('`agent`, or `apply` and a manifest; then options without values'),
  kwargs: arg.open('Options with values'),
}

export default defineModule({
  name: 'puppet',
  doc: 'Run Puppet.',
  when: async ({ host }) => {
    const missing: string[] = []
    for (const program of ['facter', 'puppet']) if ((await host.which(program)) === undefined) missing.push(program)
    return missing.length === 0 || `The puppet execution module cannot be loaded: ${missing.join(', ')} unavailable.`
  },
  functions: {
    run: changes({
      doc: 'Run Puppet.',
      example: 'puppet.run tags=basefiles::edit,apache::server',
      args: running,
      run: (ctx, { args, kwargs }) => run(ctx, args, kwargs),
    }),
    noop: changes({
      doc: 'Run Puppet without changing anything.',
      example: 'puppet.noop debug',
      args: running,
      run: (ctx, { args, kwargs }) => run(ctx, [...args, 'noop'], kwargs),
    }),
    enable: changes({
      doc: 'Enable the Puppet agent.',
      run: async (ctx) => {
        const lock = lockOf(await placesOf(ctx))
        if (!(await isFile(ctx, lock))) return false
        try {
          await ctx.host.remove(lock)
          return true
        } catch (error) {
          throw failure(`Failed to enable: ${toError(error).message}`)
        }
      },
    }),
    disable: changes({
      doc: 'Disable the Puppet agent.',
      example: "puppet.disable 'Disabled, contact XYZ before enabling'",
      args: { message: arg.text('Reason', { optional: true }) },
      run: async (ctx, { message }) => {
        const lock = lockOf(await placesOf(ctx))
        if (await isFile(ctx, lock)) return false
        await ctx.host.write(lock, message === null ? '{}' : JSON.stringify({ disabled_message: message }))
        return true
      },
    }),
    status: reads({ doc: 'Return the status of the Puppet agent.', example: 'puppet.status', run: status }),
    summary: reads({ doc: 'Return a summary of the last run.', example: 'puppet.summary', run: summary }),
    plugin_sync: changes({
      doc: 'Download plugins from the Puppet server.',
      run: async (ctx) => await ctx.call('cmd.run', ['puppet plugin download']),
    }),
    facts: reads({
      doc: 'Return all facts of facter.',
      args: { puppet },
      run: async (ctx, { puppet }) => {
        const lines = splitLines(await facter(ctx, wordOf(puppet)))
        const facts = lines.map((line) => /^(.+?) => (.*)$/.exec(line)).filter((found) => found !== null)
        return new Map(facts.map(([, fact, value]) => [fact!, value!.trim()]))
      },
    }),
    fact: reads({
      doc: 'Return one fact of facter.',
      example: 'puppet.fact kernel',
      args: { name: arg.text('Name of the fact'), puppet },
      run: (ctx, { name, puppet }) => facter(ctx, `${wordOf(puppet)} ${name}`, { python_shell: false }),
    }),
  },
})

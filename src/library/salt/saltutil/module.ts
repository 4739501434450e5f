// The minion itself, as far as it goes without a running minion and a master: its caches, and what it has loaded.
// Jobs are those of a running minion; here there are none.
import { type Dict, fnmatch, numberOf, str, tuple, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  isHostError,
  option,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { clearJobCache, findCachedJob } from './module/job-cache.ts'
import { keyFunctions } from './module/keys.ts'
import { command, commandEach, runner, wheel } from './module/master.ts'
import { refreshing } from './module/refresh.ts'
import { listExtmods, syncing } from './module/sync.ts'

const cacheOf = (ctx: FunctionContext): string => option(ctx.opts, 'cachedir')

/** Empties the cache; folders stay. True unless something could not be removed. */
async function clearCache(ctx: FunctionContext, folder: string): Promise<boolean> {
  let names: string[]
  try {
    names = await ctx.host.list(folder)
  } catch (error) {
    if (isHostError(error, 'ENOENT')) return true
    throw error
  }
  for (const name of names) {
    const path = `${folder}/${name}`
    try {
      if ((await ctx.host.lstat(path))?.type !== 'directory') await ctx.host.remove(path)
      else if (!(await clearCache(ctx, path))) return false
    } catch (error) {
      if (!isHostError(error)) throw error
      ctx.log('error', `Attempt to clear cache with saltutil.clear_cache FAILED with: ${error.message}`)
      return false
    }
  }
  return true
}

const jobOf = (ctx: FunctionContext, jid: Value): Dict | undefined =>
  ctx.daemon?.running().find((job) => str(job.get('jid') ?? '') === str(jid))

/** A job whose return is on its way: who asks for it is told to wait, as for one that runs. */
function returning(ctx: FunctionContext, jid: Value): Dict | undefined {
  const load = ctx.daemon?.unsent?.().find((each) => str(each.get('jid') ?? '') === str(jid))
  if (!load) return undefined
  const { pid } = process
  return new Map<Value, Value>(
    Object.entries({ pid, jid, fun: load.get('fun') ?? '', arg: load.get('fun_args') ?? [] }),
  )
}

/** Ends a job, or says as Salt does that there is nothing to end. */
function signalJob(ctx: FunctionContext, jid: Value, signal: Value): string {
  const job = jobOf(ctx, jid)
  if (!job || !ctx.daemon?.signal(str(jid), Number(numberOf(signal) ?? 0))) return ''
  return `Signal ${str(signal)} sent to job ${str(jid)} at pid ${str(job.get('pid') ?? '')}`
}

const jid = arg.text("The job's id")

const ending = (name: string, doc: string, signal: number): FunctionDeclaration =>
  changes({
    doc,
    args: { jid },
    returns: ret.string('What was done'),
    example: `saltutil.${name} <job id>`,
    run: (ctx, given) => signalJob(ctx, given.jid, signal),
  })

const signals = {
  signal_job: changes({
    doc: 'Send a signal to a running job.',
    args: { jid, sig: arg.any('The number of the signal') },
    returns: ret.string('What was done'),
    example: 'saltutil.signal_job <job id> 15',
    run: (ctx, given) => signalJob(ctx, given.jid, given.sig),
  }),
  term_job: ending('term_job', 'End a running job (SIGTERM).', 15),
  kill_job: ending('kill_job', 'End a running job at once (SIGKILL).', 9),
  term_all_jobs: changes({
    doc: 'End all running jobs (SIGTERM).',
    args: {},
    returns: ret.texts('What was done'),
    example: 'saltutil.term_all_jobs',
    run: (ctx) => (ctx.daemon?.running() ?? []).map((job) => signalJob(ctx, job.get('jid') ?? '', 15)),
  }),
  kill_all_jobs: changes({
    doc: 'End all running jobs at once (SIGKILL).',
    args: {},
    returns: ret.texts('What was done'),
    example: 'saltutil.kill_all_jobs',
    run: (ctx) => (ctx.daemon?.running() ?? []).map((job) => signalJob(ctx, job.get('jid') ?? '', 9)),
  }),
}

const commanded = {
  tgt: arg.any('Which minions'),
  fun: arg.any('The function'),
  arg: arg.any('Its arguments', { default: tuple([]) }),
  timeout: arg.any('Seconds to wait', { optional: true }),
  tgt_type: arg.string('The form of the target', { default: 'glob' }),
  ret: arg.any('Returners', { default: '' }),
  kwarg: arg.any('Its keyword arguments', { optional: true }),
  ssh: arg.flag('Over SSH', { default: false }),
  kwargs: arg.open('`batch`, `subset`, `expect_minions`, `metadata`, …'),
}

const besideMaster = {
  cmd: changes({
    doc: 'Have other minions run a function, on the machine of the master.',
    args: commanded,
    returns: ret.dict('The answers by minion'),
    run: (ctx, asked) => command(ctx, asked),
  }),
  cmd_iter: changes({
    doc: 'Have other minions run a function, on the machine of the master, and tell of each answer as it comes.',
    args: commanded,
    returns: ret.dict('The answers by minion'),
    examples: ["salt master1 saltutil.cmd_iter '*' test.ping"],
    run: (ctx, asked) => commandEach(ctx, asked),
  }),
  runner: changes({
    doc: 'Call a runner function, on the machine of the master.',
    args: {
      name: arg.string('The function'),
      arg: arg.any('Its arguments', { optional: true }),
      kwarg: arg.any('Its keyword arguments', { optional: true }),
      full_return: arg.boolean('With the number and success of the run', { default: false }),
      saltenv: arg.any('The environment', { default: 'base' }),
      jid: arg.any('The orchestration it belongs to', { optional: true }),
      kwargs: arg.open('Further keyword arguments of the function'),
    },
    example: 'saltutil.runner jobs.list_jobs',
    run: (ctx, call) => runner(ctx, call),
  }),
  wheel: changes({
    doc: 'Call a wheel function, on the machine of the master.',
    args: { name: arg.string('The function'), args: arg.rest('Its arguments'), kwargs: arg.open('By keyword') },
    returns: ret.dict('`return`, `success` and the number of the run'),
    example: 'saltutil.wheel key.accept jerry',
    run: (ctx, { name, args, kwargs }) => wheel(ctx, name, args, kwargs),
  }),
}

export default defineModule({
  name: 'saltutil',
  doc: 'Look after the minion itself.',
  functions: {
    ...syncing,
    ...refreshing,
    list_extmods: listExtmods,
    update: reads({
      doc: 'Update a minion that was frozen by Esky. No minion is any more, so it says what it lacks.',
      args: { version: arg.any('The version', { optional: true }) },
      returns: ret.dict('What is wrong'),
      example: 'saltutil.update',
      run: () => new Map([['_error', 'Esky not available as import']]),
    }),
    clear_job_cache: clearJobCache,
    find_cached_job: findCachedJob,
    running: reads({
      doc: 'Jobs that run on this minion.',
      args: {},
      returns: ret.list('The jobs'),
      example: 'saltutil.running',
      run: (ctx) => ctx.daemon?.running() ?? [],
    }),
    is_running: reads({
      doc: 'Jobs that run a function.',
      args: { fun: arg.string('Its name, or a glob') },
      returns: ret.list('The jobs'),
      example: 'saltutil.is_running state.highstate',
      run: (ctx, { fun }) => (ctx.daemon?.running() ?? []).filter((job) => fnmatch(str(job.get('fun') ?? ''), fun)),
    }),
    find_job: reads({
      doc: 'A job that runs, or whose return the master has not taken yet.',
      args: { jid: arg.any('Its id') },
      returns: ret.dict('The job, or nothing'),
      example: 'saltutil.find_job <job id>',
      run: (ctx, { jid }) => jobOf(ctx, jid) ?? returning(ctx, jid) ?? new Map<Value, Value>(),
    }),
    ...signals,
    ...besideMaster,
    ...keyFunctions,
    clear_cache: changes({
      doc: 'Remove all files in the cache of the minion.',
      args: {},
      returns: ret.boolean('Whether all went'),
      example: 'saltutil.clear_cache',
      run: (ctx) => clearCache(ctx, cacheOf(ctx)),
    }),
  },
})

// Manages the minion itself: its caches, its loaded modules and its running jobs, and calls of the master for a minion
// beside it. Without a minion daemon there are no jobs.
import { type Dict, fnmatch, str, tuple, type Value } from '../../../data/mod.ts'
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

/** Remove the files of the cache, but not its folders. Return false if a file could not be removed. */
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

const jobOf = (ctx: FunctionContext, jid: string): Dict | undefined =>
  ctx.daemon?.running().find((job) => str(job.get('jid') ?? '') === jid)

/** Return a finished job whose return the master does not have yet, in the form of a running job. */
function returning(ctx: FunctionContext, jid: string): Dict | undefined {
  const load = ctx.daemon?.unsent?.().find((each) => str(each.get('jid') ?? '') === jid)
  if (!load) return undefined
  const { pid } = process
  return new Map<Value, Value>(
    Object.entries({ pid, jid, fun: load.get('fun') ?? '', arg: load.get('fun_args') ?? [] }),
  )
}

/** Send a signal to a job; return an empty text if the job does not run, as Salt does. */
function signalJob(ctx: FunctionContext, jid: string, signal: number): string {
  const job = jobOf(ctx, jid)
  if (!job || !ctx.daemon?.signal(jid, signal)) return ''
  return `Signal ${signal} sent to job ${jid} at pid ${str(job.get('pid') ?? '')}`
}

const signalAll = (ctx: FunctionContext, signal: number): string[] =>
  (ctx.daemon?.running() ?? []).map((job) => signalJob(ctx, str(job.get('jid') ?? ''), signal))

const jid = arg.text('Job id')

const ending = (name: string, doc: string, signal: number): FunctionDeclaration =>
  changes({
    doc,
    args: { jid },
    returns: ret.string('Report of the signal; empty if the job does not run'),
    example: `saltutil.${name} <job id>`,
    run: (ctx, given) => signalJob(ctx, given.jid, signal),
  })

const signals = {
  signal_job: changes({
    doc: 'Send a signal to a running job.',
    args: { jid, sig: arg.count('Number of the signal') },
    returns: ret.string('Report of the signal; empty if the job does not run'),
    example: 'saltutil.signal_job <job id> 15',
    run: (ctx, given) => signalJob(ctx, given.jid, given.sig),
  }),
  term_job: ending('term_job', 'Send SIGTERM to a running job.', 15),
  kill_job: ending('kill_job', 'Send SIGKILL to a running job.', 9),
  term_all_jobs: changes({
    doc: 'Send SIGTERM to all running jobs.',
    returns: ret.texts('One report for each job'),
    example: 'saltutil.term_all_jobs',
    run: (ctx) => signalAll(ctx, 15),
  }),
  kill_all_jobs: changes({
    doc: 'Send SIGKILL to all running jobs.',
    returns: ret.texts('One report for each job'),
    example: 'saltutil.kill_all_jobs',
    run: (ctx) => signalAll(ctx, 9),
  }),
}

const commanded = {
  tgt: arg.textOrList('Target: text, or a list of minion ids'),
  fun: arg.textOrList('Function; a list of functions for a compound command'),
  arg: arg.any('Arguments of the function: a list, or one value', { default: tuple([]) }),
  timeout: arg.textOrNumber(
    'Seconds to wait for returns: a number; other types are ignored. Default: the option `timeout`',
    {
      optional: true,
    },
  ),
  tgt_type: arg.string('Kind of the target', { default: 'glob' }),
  ret: arg.text('Returners, with commas between them', { default: '' }),
  kwarg: arg.any('Dict of keyword arguments of the function; other types are ignored', { optional: true }),
  ssh: arg.flag('Use salt-ssh', { default: false }),
  kwargs: arg.open('`batch`, `subset`, `expect_minions`, `metadata`, …'),
}

const besideMaster = {
  cmd: changes({
    doc: 'Run a function on other minions. Works only on the machine of the master.',
    args: commanded,
    returns: ret.dict('Returns by minion id'),
    run: (ctx, asked) => command(ctx, asked),
  }),
  cmd_iter: changes({
    doc: 'Run a function on other minions, and fire an event for each return. Works only on the machine of the master.',
    args: commanded,
    returns: ret.dict('Returns by minion id'),
    examples: ["salt master1 saltutil.cmd_iter '*' test.ping"],
    run: (ctx, asked) => commandEach(ctx, asked),
  }),
  runner: changes({
    doc: 'Call a runner function. Works only on the machine of the master.',
    args: {
      name: arg.string('Runner function'),
      arg: arg.any('Arguments of the function: a list, or one value', { optional: true }),
      kwarg: arg.any('Dict of keyword arguments of the function; other types are ignored', { optional: true }),
      full_return: arg.boolean('Also return the job id and the success of the run', { default: false }),
      saltenv: arg.any('Environment, passed on unchanged to functions with a parameter `saltenv`', { default: 'base' }),
      jid: arg.text('Job id of the orchestration run', { optional: true }),
      kwargs: arg.open('Further keyword arguments of the function'),
    },
    example: 'saltutil.runner jobs.list_jobs',
    run: (ctx, call) => runner(ctx, call),
  }),
  wheel: changes({
    doc: 'Call a wheel function. Works only on the machine of the master.',
    args: { name: arg.string('Wheel function'), args: arg.rest('Arguments'), kwargs: arg.open('Keyword arguments') },
    returns: ret.dict('`return`, `success` and the job id of the run'),
    example: 'saltutil.wheel key.accept jerry',
    run: (ctx, { name, args, kwargs }) => wheel(ctx, name, args, kwargs),
  }),
}

export default defineModule({
  name: 'saltutil',
  doc: 'Manage the minion itself: sync and refresh its modules, and control its jobs.',
  examples: 'given',
  functions: {
    ...syncing,
    ...refreshing,
    list_extmods: listExtmods,
    update: reads({
      doc: 'Return an error: updates by Esky are not available.',
      args: { version: arg.text('Ignored', { optional: true }) },
      returns: ret.dict('`_error` with the reason'),
      example: 'saltutil.update',
      run: () => new Map([['_error', 'Esky not available as import']]),
    }),
    clear_job_cache: clearJobCache,
    find_cached_job: findCachedJob,
    running: reads({
      doc: 'Return the jobs that run on this minion.',
      returns: ret.dicts('Jobs'),
      example: 'saltutil.running',
      run: (ctx) => ctx.daemon?.running() ?? [],
    }),
    is_running: reads({
      doc: 'Return the jobs that run a function.',
      args: { fun: arg.string('Function, or a glob') },
      returns: ret.dicts('Jobs'),
      example: 'saltutil.is_running state.highstate',
      run: (ctx, { fun }) => (ctx.daemon?.running() ?? []).filter((job) => fnmatch(str(job.get('fun') ?? ''), fun)),
    }),
    find_job: reads({
      doc: 'Return a job that runs, or whose return the master has not received yet.',
      args: { jid },
      returns: ret.dict('Job; empty if there is none'),
      example: 'saltutil.find_job <job id>',
      run: (ctx, { jid }) => jobOf(ctx, jid) ?? returning(ctx, jid) ?? new Map<Value, Value>(),
    }),
    ...signals,
    ...besideMaster,
    ...keyFunctions,
    clear_cache: changes({
      doc: 'Remove all files in the cache of the minion.',
      returns: ret.boolean('Whether all files were removed'),
      example: 'saltutil.clear_cache',
      run: (ctx) => clearCache(ctx, cacheOf(ctx)),
    }),
  },
})

// The minion as a process: lists the keys of its master, ends the minion and restarts it. A job runs inside the minion,
// so it cannot wait for its end: the minion ends after it has sent the return, and a shell waits for that to start it.
import { type Dict, dictFrom, failure, isFailure, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const EX_SOFTWARE = 70
const FOLDERS = ['minions', 'minions_pre', 'minions_rejected', 'minions_denied']

async function keyLists(ctx: FunctionContext): Promise<Dict> {
  const own = str(await ctx.call('config.get', ['pki_dir', '']))
  const keys = own.replaceAll('minion', 'master')
  const lists: Dict = new Map()
  for (const folder of FOLDERS) {
    const path = `${keys}/${folder}`
    const names = (await ctx.host.stat(path))?.type === 'directory' ? await ctx.host.list(path) : []
    const found: string[] = []
    for (const name of names.filter((name) => !name.startsWith('.'))) {
      if ((await ctx.host.stat(`${path}/${name}`))?.type === 'file') found.push(name)
    }
    const folded = (name: string): string => name.toLowerCase()
    lists.set(
      folder,
      found.sort((a, b) => (folded(a) < folded(b) ? -1 : folded(a) > folded(b) ? 1 : 0)),
    )
  }
  return lists
}

interface Ended {
  killed: Value
  retcode: number
  comment?: string[]
}

/** Ask the minion to end after this job. */
function end(ctx: FunctionContext): Ended {
  const pid = ctx.grains.get('pid') ?? null
  if (!truthy(pid)) return { killed: null, retcode: EX_SOFTWARE, comment: ['Unable to find "pid" in grains'] }
  // without a minion daemon there is nothing to restart
  if (!ctx.daemon?.end) return { killed: null, retcode: 1, comment: ['ps.kill_pid failed'] }
  ctx.daemon.end()
  return { killed: pid, retcode: 0 }
}

/** Start the minion with a command line when it has ended. */
async function startLater(ctx: FunctionContext, words: readonly string[]): Promise<void> {
  const waiting = 'while kill -0 "$0" 2>/dev/null; do sleep 0.1; done; exec "$@"'
  await ctx.host.start({ argv: ['/bin/sh', '-c', waiting, str(ctx.grains.get('pid')!), ...words] })
}

async function isSystemd(ctx: FunctionContext): Promise<boolean> {
  return ctx.grains.get('kernel') === 'Linux' && (await ctx.host.lstat('/run/systemd/system')) !== undefined
}

const isWindows = (ctx: FunctionContext): boolean => ctx.grains.get('kernel') === 'Windows'

interface Retry {
  wanted: boolean
  delay: Value
}

/** Have systemd start the minion later, if it is not active then. */
async function scheduleRetry(ctx: FunctionContext, delay: Value): Promise<Dict> {
  if (!/^\s*[+-]?\d+\s*$/.test(str(delay))) {
    const text = `Invalid retry_delay value: ${str(delay)}. Must be a number of seconds.`
    throw failure(text)
  }
  const command = [
    (await ctx.host.which('systemd-run')) ?? 'systemd-run',
    `--on-active=${str(delay)}`,
    '/bin/sh',
    '-c',
    'systemctl is-active salt-minion || systemctl start salt-minion',
  ]
  const out = await ctx.call('cmd.run_all', [command], { python_shell: false })
  if (out.get('retcode') !== 0) throw failure(str(out.get('stderr') ?? ''))
  return out
}

/** Restart the minion with the service manager. */
async function restartService(ctx: FunctionContext, retry: Retry, comment: string[]): Promise<Dict> {
  const service: Dict = new Map()
  let isScheduling = false
  let retcode = 0
  try {
    if (retry.wanted) {
      const scheduled: Dict = new Map()
      service.set('schedule_retry', scheduled)
      isScheduling = true
      const out = await scheduleRetry(ctx, retry.delay)
      isScheduling = false
      scheduled.set('detail', out.get('stderr') ?? '').set('delay', retry.delay)
      comment.push(`Scheduled retry for minion restart in ${str(retry.delay)} seconds`)
    }
    const kwargs = isWindows(ctx) ? {} : { no_block: true }
    const result = await ctx.call('service.restart', ['salt-minion'], kwargs)
    service.set('result', result)
    if (isWindows(ctx) && !truthy(result)) {
      throw failure('Failed to restart salt-minion service')
    }
    comment.push('Service restart successful')
  } catch (error) {
    if (!isFailure(error)) throw error
    comment.push(isScheduling ? 'Adding scheduled retry failed' : 'Service restart failed')
    service.set('result', false).set('stderr', error.message)
    retcode = EX_SOFTWARE
  }
  return dictFrom({ service_restart: service, retcode })
}

/** End the minion and, if its command line is known, start it again. */
async function restartProcess(ctx: FunctionContext, words: readonly string[], comment: string[]): Promise<Dict> {
  const ended = end(ctx)
  comment.push(...(ended.comment ?? []))
  const found: Dict = dictFrom({ killed: ended.killed, retcode: ended.retcode })
  if (ended.retcode !== 0) comment.push('Kill failed - not restarting')
  else if (words.length > 0) {
    await startLater(ctx, words)
    found.set('restart', dictFrom({ stdout: '', stderr: '' }))
  }
  return found
}

const restartArgs = {
  systemd: arg.flag('Use systemd where it runs', { default: true }),
  win_service: arg.flag('Use the service manager of Windows', { default: true }),
  schedule_retry: arg.flag('Have the minion started later if it did not come back', { default: false }),
  retry_delay: arg.any('Seconds until the retry: a whole number, or text of one', { default: 180 }),
}

async function restart(ctx: FunctionContext, options: Bound<typeof restartArgs>): Promise<Dict> {
  const comment: string[] = []
  const answer: Dict = dictFrom({ killed: null, restart: new Map(), service_restart: new Map(), retcode: 0 })
  const add = (more: Dict): void => {
    for (const [name, value] of more) answer.set(name, value)
  }
  const configured = await ctx.call('config.get', ['minion_restart_command'])
  const command = (isList(configured) ? [...configured] : truthy(configured) ? [configured] : []).map(str)
  const viaSystemd = options.systemd && (await isSystemd(ctx))
  const words = command.length > 0 ? command : (ctx.daemon?.startedAs ?? [])
  if (command.length === 0 && (viaSystemd || (options.win_service && isWindows(ctx)))) {
    const manager = viaSystemd ? 'systemctl' : 'windows service manager'
    comment.push(`Using ${manager} to restart salt-minion`)
    add(await restartService(ctx, { wanted: options.schedule_retry, delay: options.retry_delay }, comment))
  } else {
    if (words.length === 0) comment.push('Not running in daemon mode - will not restart process after killing')
    else {
      comment.push(command.length > 0 ? 'Using configuration minion_restart_command:' : 'Restart using process argv:')
      comment.push(...words.map((word) => `    ${word}`))
    }
    add(await restartProcess(ctx, words, comment))
  }
  return answer.set('comment', comment)
}

export default defineModule({
  name: 'minion',
  doc: 'End and restart the minion, and list the keys of a master on the same machine.',
  functions: {
    list: reads({
      doc: 'Return the minion ids by the state of their keys. Works only on the machine of the master.',
      calledAs: 'list_',
      returns: ret.dict('Minion ids by state'),
      examples: ["salt 'master' minion.list"],
      run: (ctx) => keyLists(ctx),
    }),
    kill: changes({
      doc: 'End the minion. It does not start again by itself.',
      args: { timeout: arg.count('Ignored', { default: 15 }) },
      returns: ret.dict('Process id, and the return code 0 if the minion ends'),
      examples: ["salt 'minion1' minion.kill"],
      run: (ctx) => {
        const { killed, retcode, comment } = end(ctx)
        const answer: Dict = dictFrom({ killed, retcode })
        return comment ? answer.set('comment', comment) : answer
      },
    }),
    restart: changes({
      doc: 'Restart the minion: with the option `minion_restart_command`, with the service manager, or with its command line.',
      args: restartArgs,
      returns: ret.dict('Report of the steps, and a return code'),
      run: restart,
    }),
  },
})

// Upgrades of this minion: begins one for a job, and at the next start tells the master how it ended.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, fromPlain, type Plain, str, toPlain, type Value } from '../data/mod.ts'
import type { UpgradeRequest } from '../sdk/mod.ts'
import {
  checkPrefix,
  type Installed,
  installedAs,
  keepOnly,
  LAUNCHER,
  makeCurrent,
  processMark,
  stageVersion,
  startSupervisor,
  Trial,
  UpkeepError,
  versionFolder,
} from '../upkeep/mod.ts'
import type { MasterPeer } from './peer.ts'

const HINT = 'See docs/upgrades.md for an installation in version directories'

/** Where this process is installed; a minion that is not installed side by side cannot upgrade itself. */
function installed(): Installed {
  const found = installedAs(process.argv[1])
  if (found) return found
  throw new UpkeepError('UpgradeRefused', 'This minion is not installed in a version directory', { hint: HINT })
}

/** Stage a new version and start its supervisor, which ends this process. */
export async function beginUpgrade({ file, sha256, seconds, job }: UpgradeRequest): Promise<Dict> {
  const { prefix, version } = installed()
  if (!job) throw new UpkeepError('UpgradeRefused', 'Only a job of a running minion can upgrade it')
  const isLaunched = process.env[LAUNCHER] === String(process.ppid)
  if (!isLaunched && process.env['INVOCATION_ID'] !== undefined && process.ppid === 1) {
    throw new UpkeepError(
      'UpgradeRefused',
      'This minion is a service of systemd, which would end both versions together; its unit must start brine run-minion',
      { hint: HINT },
    )
  }
  checkPrefix(prefix)
  const open = Trial.unreported(prefix)
  if (open) throw new UpkeepError('UpgradeRefused', `The upgrade of job ${open.request.jid} is not over yet`)
  const { version: to } = await stageVersion(prefix, file, { inUse: [version], sha256 })
  // remove the version before this one only now
  keepOnly(prefix, [version, to])
  const trial = Trial.create({
    jid: str(job.get('jid')!),
    from: version,
    to,
    prefix,
    began: Date.now(),
    seconds,
    old: processMark(process.pid),
    node: process.execPath,
    execArgv: [...process.execArgv],
    words: process.argv.slice(2),
    cwd: process.cwd(),
    fun_args: toPlain(job.get('arg') ?? []),
    user: str(job.get('user') ?? 'root'),
  })
  if (isLaunched) process.kill(process.ppid, 'SIGUSR2')
  else startSupervisor(trial)
  return new Map<Value, Value>([
    ['from', version],
    ['to', to],
  ])
}

/** A minion on trial whose supervisor was killed starts another one when its time is over. */
export function watchTrial(log: Log): () => void {
  const trial = ownTrial()
  // a minion below `brine run-minion` has its service manager
  if (!trial || process.env[LAUNCHER] !== undefined) return () => undefined
  const timer = setTimeout(
    () => {
      if (trial.verdict) return
      log('warning', 'The supervisor of this upgrade is gone; starting another one')
      startSupervisor(trial)
    },
    Math.max(0, trial.deadline - Date.now()) + GRACE_MS,
  )
  timer.unref()
  return () => clearTimeout(timer)
}

/** How long after its deadline an upgrade without a verdict has no supervisor, in milliseconds. */
const GRACE_MS = 10_000

function ownTrial(): Trial | undefined {
  const own = installedAs(process.argv[1])
  return own && Trial.unreported(own.prefix)
}

/** Tell the master how an upgrade ended. A new version confirms itself first, by a round trip to its master. */
export async function reportUpgrade(peer: MasterPeer, id: string, log: Log): Promise<void> {
  const trial = ownTrial()
  if (!trial) return
  const { request } = trial
  const { version } = installed()
  try {
    if (version === request.to && !trial.verdict) await confirm(trial, peer, id)
    else if (version === request.from)
      trial.decide('expired', 'the minion was started again before the new version had reported')
    const verdict = trial.verdict
    // the supervisor is about to end this process
    if (!verdict || (version === request.to && verdict.verdict === 'expired')) return
    peer.send(returnOf(trial, verdict.verdict === 'confirmed', verdict.reason))
    trial.noteReported()
  } catch (error) {
    log('error', `The upgrade of job ${request.jid} could not be reported: ${toError(error).message}`)
  }
}

/** The new version becomes the current one before its verdict, so that no moment has a verdict for a version that is not started. */
async function confirm(trial: Trial, peer: MasterPeer, id: string): Promise<void> {
  const { from, to, prefix } = trial.request
  await peer.fireMaster(
    `salt/minion/${id}/upgrade`,
    new Map<Value, Value>([
      ['from', from],
      ['to', to],
    ]),
  )
  makeCurrent(prefix, to)
  if (!trial.decide('confirmed', `version ${to} reported to its master`)) makeCurrent(prefix, from)
}

function returnOf(trial: Trial, isConfirmed: boolean, reason: string): Dict {
  const { from, to, jid, fun_args, user, prefix } = trial.request
  const told: Dict = new Map<Value, Value>([
    ['result', isConfirmed],
    ['from', from],
    ['to', to],
    ['comment', isConfirmed ? `Upgraded from ${from} to ${to}` : `Version ${from} runs again: ${reason}`],
    ['old', isConfirmed ? versionFolder(prefix, from) : null],
  ])
  if (!isConfirmed) told.set('log', trial.tail)
  return new Map<Value, Value>([
    ['success', isConfirmed],
    ['return', told],
    ['retcode', isConfirmed ? 0 : 1],
    ['jid', jid],
    ['fun', 'brine.upgrade'],
    ['fun_args', fromPlain(fun_args as Plain)],
    ['user', user],
  ])
}

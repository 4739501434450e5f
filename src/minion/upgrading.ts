// Upgrades of this minion: starts an upgrade for a job, and reports the result to the master at the next start.
import { join } from 'node:path'
import { type Log, processMark, toError } from '../base/mod.ts'
import { type Dict, dictFrom, fromPlain, type Plain, str, toPlain, type Value } from '../data/mod.ts'
import type { UpgradePackage, UpgradeRequest } from '../sdk/mod.ts'
import {
  abandonDebUpgrade,
  checkMachine,
  checkPrefix,
  DEB_PREFIX,
  type DebProgress,
  debProgress,
  type Installed,
  installedAs,
  isPackaged,
  keepOnly,
  LAUNCHER,
  makeCurrent,
  stageDebs,
  stageVersion,
  startDebUpgrade,
  startSupervisor,
  type TrialRequest,
  UpgradeTrial,
  UpkeepError,
  versionFolder,
} from '../upkeep/mod.ts'
import type { MasterPeer } from './peer.ts'

const own = (): Installed | undefined => installedAs(process.argv[1])

/** Begin an upgrade for a job. The return of the job comes from the version that runs afterwards. */
export async function beginUpgrade(request: UpgradeRequest): Promise<Dict> {
  if (!request.job) throw new UpkeepError('UpgradeRefused', 'Only a job of a running minion can upgrade it')
  const found = own()
  const open = UpgradeTrial.unreported(found?.prefix ?? DEB_PREFIX)
  if (open) throw new UpkeepError('UpgradeRefused', `The upgrade of job ${open.request.jid} is not over yet`)
  const { from, to } = found ? await beginVersion(found, request, request.job) : await beginDebs(request, request.job)
  return dictFrom({ from, to })
}

/** Return the part of a trial request that describes this process and the job. */
const trialOf = (job: Dict, seconds: number): Omit<TrialRequest, 'kind' | 'from' | 'to' | 'prefix'> => ({
  jid: str(job.get('jid')!),
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

const proofOf = ({ sha256, signature }: UpgradePackage, keyring: string | undefined) => ({ sha256, signature, keyring })

/** Stage a new version and start its supervisor, which ends this process. */
async function beginVersion(
  { prefix, version }: Installed,
  { packages, keyring, seconds }: UpgradeRequest,
  job: Dict,
): Promise<{ from: string; to: string }> {
  const isLaunched = process.env[LAUNCHER] === String(process.ppid)
  if (!isLaunched && process.env['INVOCATION_ID'] !== undefined && process.ppid === 1) {
    throw new UpkeepError(
      'UpgradeRefused',
      'This minion is a service of systemd, which would end both versions together; its unit must start brine run-minion',
      { hint: 'See docs/upgrades.md for an installation in version directories' },
    )
  }
  checkPrefix(prefix)
  const [offered, ...more] = packages
  if (!offered || more.length > 0)
    throw new UpkeepError('UpgradeRefused', 'This minion is installed in a version directory: name one package')
  const proof = proofOf(offered, keyring)
  const { version: to } = await stageVersion(prefix, offered.file, { inUse: [version], proof })
  // remove the version before this one only now
  keepOnly(prefix, [version, to])
  const trial = UpgradeTrial.create({ ...trialOf(job, seconds), kind: 'versions', from: version, to, prefix })
  if (isLaunched) process.kill(process.ppid, 'SIGUSR2')
  else startSupervisor(trial)
  return { from: version, to }
}

/** Stage new packages and start the service that installs them and restarts this minion. */
async function beginDebs(
  { packages, keyring, seconds }: UpgradeRequest,
  job: Dict,
): Promise<{ from: string; to: string }> {
  checkMachine()
  const staged = await stageDebs(packages.map((each) => ({ file: each.file, proof: proofOf(each, keyring) })))
  const { from, to } = staged
  const trial = UpgradeTrial.create({ ...trialOf(job, seconds), kind: 'packages', from, to, prefix: DEB_PREFIX })
  try {
    await startDebUpgrade(trial, staged)
  } catch (error) {
    abandonDebUpgrade(trial)
    throw error
  }
  return { from, to }
}

/** The progress of the package upgrade when this process started. */
let atStart: DebProgress | undefined

/** If the supervisor of a trial was killed, the minion on trial starts another one after the deadline. */
export function watchTrial(log: Log): () => void {
  const trial = ownTrial()
  if (trial?.request.kind === 'packages') atStart = debProgress(trial)
  // below `brine run-minion` a service manager supervises the minion, and packages have a service for it
  if (!trial || atStart || process.env[LAUNCHER] !== undefined) return () => undefined
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

/** How long after its deadline an upgrade without a verdict counts as unsupervised, in milliseconds. */
const GRACE_MS = 10_000

function ownTrial(): UpgradeTrial | undefined {
  const prefix = own()?.prefix ?? (isPackaged(process.argv[1]) ? DEB_PREFIX : undefined)
  return prefix === undefined ? undefined : UpgradeTrial.unreported(prefix)
}

/**
 * Whether this process is the new version of a trial or the old one after a rollback; undefined if neither, and then it
 * reports nothing.
 */
function standing({ request }: UpgradeTrial): 'new' | 'old' | undefined {
  if (request.kind === 'versions') {
    const version = own()?.version
    return version === request.to ? 'new' : version === request.from ? 'old' : undefined
  }
  // a process from before the exchange reports nothing
  if (!atStart || processMark(process.pid) === request.old) return undefined
  return atStart.isNew ? 'new' : atStart.isBack ? 'old' : undefined
}

/** Report the result of an upgrade to the master. A new version first confirms itself by a round trip to its master. */
export async function reportUpgrade(peer: MasterPeer, id: string, log: Log): Promise<void> {
  const trial = ownTrial()
  if (!trial) return
  const { request } = trial
  const standingHere = standing(trial)
  try {
    if (standingHere === undefined) return
    if (standingHere === 'new' && !trial.verdict) await confirm(trial, peer, id)
    else if (standingHere === 'old')
      trial.decide('expired', 'the minion was started again before the new version had reported')
    const verdict = trial.verdict
    // the supervisor is about to end this process
    if (!verdict || (standingHere === 'new' && verdict.verdict === 'expired')) return
    peer.send(returnOf(trial, verdict.verdict === 'confirmed', verdict.reason))
    trial.noteReported()
  } catch (error) {
    log('error', `The upgrade of job ${request.jid} could not be reported: ${toError(error).message}`)
  }
}

/** The new version becomes the current one before its verdict, so that no moment has a verdict for a version that is not started. */
async function confirm(trial: UpgradeTrial, peer: MasterPeer, id: string): Promise<void> {
  const { from, to, prefix, kind } = trial.request
  const start = (version: string): void => {
    if (kind === 'versions') makeCurrent(prefix, version)
  }
  await peer.fireMaster(`salt/minion/${id}/upgrade`, dictFrom({ from, to }))
  start(to)
  if (!trial.decide('confirmed', `version ${to} reported to its master`)) start(from)
}

function returnOf(trial: UpgradeTrial, isConfirmed: boolean, reason: string): Dict {
  const { from, to, jid, fun_args, user, prefix, kind } = trial.request
  const old = kind === 'versions' ? versionFolder(prefix, from) : join(prefix, 'packages', 'before')
  const back = atStart?.failure
    ? `Version ${from} could not be installed again (${atStart.failure})`
    : `Version ${from} runs again`
  const told: Dict = new Map<Value, Value>([
    ['result', isConfirmed],
    ['from', from],
    ['to', to],
    ['comment', isConfirmed ? `Upgraded from ${from} to ${to}` : `${back}: ${reason}`],
    ['old', isConfirmed ? old : null],
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

// Checks before an upgrade of a master to another version: databases, disk, minions, running work and backups.
import { existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRIVATE_FILE, shownText, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import {
  type DatabaseFacts,
  databaseFacts,
  fileCache,
  keptDatabases,
  OrchestrationStore,
  PkiKeys,
  SqliteJobs,
  versionNumber,
} from '../store/mod.ts'
import { ownRelease, type Release } from './release.ts'

export type CheckLevel = 'ok' | 'warning' | 'problem'

export interface UpgradeFinding {
  level: CheckLevel
  subject: string
  text: string
}

export interface UpgradeReport {
  from: string
  to: string | undefined
  databases: DatabaseFacts[]
  /** How many minions have each version, according to their grains. */
  minions: Record<string, number>
  findings: UpgradeFinding[]
}

export interface CheckRequest {
  opts: Dict
  /** The version to upgrade to; undefined when nothing is known of it but perhaps its name. */
  target?: Release
  to?: string
  /** Warnings about the configuration. */
  configWarnings: readonly string[]
  now?: number
}

const DAY = 86_400_000

/** A backup that is older is worth a warning, in days. */
const OLD_BACKUP = 1

/** The note of the last backup below `cachedir`. */
const BACKUP_NOTE = 'last-backup.json'

export function noteBackup(opts: Dict, file: string, time: string): void {
  writeFileSync(join(option(opts, 'cachedir'), BACKUP_NOTE), JSON.stringify({ file, time }), { mode: PRIVATE_FILE })
}

export function checkUpgrade(request: CheckRequest): UpgradeReport {
  const { opts, target, to, configWarnings, now = Date.now() } = request
  const own = ownRelease()
  const kept = keptDatabases(option(opts, 'cachedir'), option(opts, 'sqlite_queue_dir'))
  const databases = kept.map(databaseFacts)
  const minions = minionVersions(opts)
  const findings = [
    ...targetFindings(own, target, to),
    ...databases.flatMap((facts) => databaseFindings(facts, own, target)),
    ...diskFindings(opts, databases, target),
    ...minionFindings(minions),
    ...workFindings(opts, databases),
    ...configWarnings.map((text): UpgradeFinding => ({ level: 'warning', subject: 'configuration', text })),
    backupFinding(opts, now),
  ]
  return { from: own.version, to: target?.version ?? to, databases, minions, findings }
}

function targetFindings(own: Release, target: Release | undefined, to: string | undefined): UpgradeFinding[] {
  if (!target) {
    const text = to === undefined ? 'No version was named' : `Nothing is known of version ${shownText(to)} here`
    return [
      {
        level: 'warning',
        subject: 'version',
        text: `${text}; name its file with --package to check databases and protocol`,
      },
    ]
  }
  const findings: UpgradeFinding[] = []
  const [major, minor] = target.node.split('.').map(Number)
  const [hasMajor, hasMinor] = process.versions.node.split('.').map(Number)
  if (hasMajor! < major! || (hasMajor === major && hasMinor! < minor!)) {
    findings.push({
      level: 'problem',
      subject: 'node',
      text: `Version ${target.version} needs Node ${target.node}, here is ${process.versions.node}`,
    })
  }
  if (target.protocol !== own.protocol) {
    const text = `Version ${target.version} speaks protocol ${target.protocol}, this one ${own.protocol}: upgrade the minions in the order that its notes say`
    findings.push({ level: 'problem', subject: 'protocol', text })
  } else
    findings.push({
      level: 'ok',
      subject: 'protocol',
      text: 'Minions and master of both versions understand each other',
    })
  return findings
}

const majorOf = (version: string): number => Number.parseInt(version, 10)

function databaseFindings(
  { name, file, version, fit }: DatabaseFacts,
  own: Release,
  target: Release | undefined,
): UpgradeFinding[] {
  const subject = `database ${name}`
  if (fit === 'too new')
    return [{ level: 'problem', subject, text: `${file} has version ${version}, which this version cannot use` }]
  const wanted = target?.databases[name]
  if (!target) return []
  if (wanted === undefined)
    return [{ level: 'problem', subject, text: `Version ${target.version} has no such database` }]
  // this version brings the database to its own version at the first start
  const now = Math.max(versionNumber(version), versionNumber(own.databases[name] ?? version))
  const then = versionNumber(wanted)
  if (then === now) return [{ level: 'ok', subject, text: `${version} stays as it is` }]
  if (then < now) {
    if (now === then + 1) return [{ level: 'ok', subject, text: `Version ${target.version} can use ${version}` }]
    return [
      {
        level: 'problem',
        subject,
        text: `Run 'brine downgrade-db ${name}=${wanted}' before version ${target.version} is installed`,
      },
    ]
  }
  if (then === now + 1)
    return [{ level: 'ok', subject, text: `${version} becomes ${wanted}; this version can use that too` }]
  const isMajor = majorOf(wanted) !== majorOf(version)
  const text = `${version} becomes ${wanted}; to return, run 'brine downgrade-db' with version ${target.version} first`
  return [{ level: isMajor ? 'warning' : 'ok', subject, text }]
}

function diskFindings(opts: Dict, databases: readonly DatabaseFacts[], target: Release | undefined): UpgradeFinding[] {
  const copied = databases.filter(({ name, version }) => {
    const wanted = target?.databases[name]
    return wanted !== undefined && majorOf(wanted) > majorOf(version) && version !== '0.0'
  })
  const needed = copied.reduce((sum, { bytes }) => sum + bytes, 0)
  const { bavail, bsize } = statfsSync(option(opts, 'cachedir'))
  const text = `Copies before migrations need ${needed} bytes, ${bavail * bsize} are free`
  return [{ level: bavail * bsize > needed ? 'ok' : 'problem', subject: 'disk', text }]
}

/**
 * Return the versions in the minions' grains. A minion can send any text, so texts are cut and otherwise shown
 * unchanged.
 */
function minionVersions(opts: Dict): Record<string, number> {
  const bank = fileCache(option(opts, 'cachedir')).bank('grains')
  const counts = new Map<string, number>()
  for (const id of new PkiKeys(option(opts, 'pki_dir')).list('minions')) {
    const grains = bank.fetch(id)
    const version = grains !== undefined && isDict(grains) ? versionIn(grains) : 'unknown'
    counts.set(version, (counts.get(version) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
}

function versionIn(grains: Dict): string {
  const [brine, salt] = [grains.get('brineversion'), grains.get('saltversion')]
  const text = brine !== undefined ? `Brine ${str(brine)}` : salt !== undefined ? `Salt ${str(salt)}` : 'unknown'
  return shownText(text.slice(0, 60))
}

function minionFindings(minions: Record<string, number>): UpgradeFinding[] {
  const unknown = minions['unknown'] ?? 0
  const text = Object.entries(minions).map(([version, count]) => `${count} × ${version}`)
  const all: UpgradeFinding = { level: 'ok', subject: 'minions', text: text.join(', ') || 'none is accepted' }
  if (unknown === 0) return [all]
  return [
    all,
    {
      level: 'warning',
      subject: 'minions',
      text: `${unknown} minions have no cached grains, so their versions are not known`,
    },
  ]
}

/** Work that a restart interrupts. Databases that this version would have to migrate first are not opened. */
function workFindings(opts: Dict, databases: readonly DatabaseFacts[]): UpgradeFinding[] {
  const cachedir = option(opts, 'cachedir')
  const isOpenable = (name: string): boolean => databases.some((facts) => facts.name === name && facts.fit === 'same')
  const findings: UpgradeFinding[] = []
  const tell = (count: number, text: string): void => {
    if (count > 0) findings.push({ level: 'warning', subject: 'running work', text: `${count} ${text}` })
  }
  if (isOpenable('jobs')) {
    const jobs = new SqliteJobs(join(cachedir, 'jobs.db'))
    tell(jobs.ledger.running(), 'jobs wait for returns; minions keep these until the master is back')
    jobs.close()
  }
  if (isOpenable('orchestrations')) {
    const runs = new OrchestrationStore(join(cachedir, 'orchestrations.db'))
    const running = runs.runs(1000).filter(({ state }) => state === 'running')
    tell(running.length, 'orchestration runs are interrupted; continue them with state.orchestrate_resume')
    runs.close()
  }
  const batches = fileCache(cachedir).bank('batch')
  tell(batches.list().filter((jid) => isBatchRunning(batches.fetch(jid))).length, 'batches go on after the restart')
  return findings.length > 0 ? findings : [{ level: 'ok', subject: 'running work', text: 'none' }]
}

/** Whether minions of a batch are still to come, by its state in the data cache. */
function isBatchRunning(state: Value | undefined): boolean {
  if (!isDict(state ?? null) || (state as Dict).get('halted') === true) return false
  return ['pending', 'active'].some((name) => truthy((state as Dict).get(name) ?? null))
}

function backupFinding(opts: Dict, now: number): UpgradeFinding {
  const subject = 'backup'
  const file = join(option(opts, 'cachedir'), BACKUP_NOTE)
  if (!existsSync(file)) return { level: 'warning', subject, text: 'No backup was made by brine backup' }
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as { file: string; time: string }
    const days = (now - Date.parse(note.time)) / DAY
    const text = `The last one is ${days.toFixed(1)} days old: ${note.file}`
    return { level: days > OLD_BACKUP ? 'warning' : 'ok', subject, text }
  } catch (error) {
    return { level: 'warning', subject, text: `${file} cannot be read: ${toError(error).message}` }
  }
}

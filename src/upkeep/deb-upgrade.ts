// The upgrade of a minion that Debian packages installed. A separate service installs the new packages, waits until the
// new minion has reported to its master, and otherwise reinstalls the old packages. The service stays enabled until
// then, so that it continues after a reboot.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isAnyError, PRIVATE_FOLDER, recover } from '../base/mod.ts'
import { type Deb, installedDebs, keepInstalled, machineArchitecture, readDeb } from './debs.ts'
import { UpkeepError } from './errors.ts'
import { runTool } from './programs.ts'
import type { Proof } from './signature.ts'
import type { UpgradeTrial } from './trial.ts'
import { copyChecked } from './versions.ts'

/** The directories of packaged programs, and of their data. */
const PROGRAMS = '/usr/lib/brine/dist'
export const DEB_PREFIX = '/var/lib/brine'
const SUPERVISOR = '/usr/lib/brine/supervise-upgrade'

const UNIT = 'brine-upgrade.service'
const UNIT_FILE = `/etc/systemd/system/${UNIT}`

/** The service of the minion, as it is named in the control group of a process. */
const MINION_GROUP = /\/salt-minion\.service(?:\/|$)/m

const PATIENCE_MS = 60_000

/** Whether a program was installed by a package. */
export function isPackaged(program: string | undefined): boolean {
  // the program was removed while it runs
  return recover(isAnyError, false, () => program !== undefined && dirname(realpathSync(program)) === PROGRAMS)
}

const refuse = (message: string, hint?: string): never => {
  throw new UpkeepError('UpgradeRefused', message, hint === undefined ? {} : { hint })
}

/** Throw on a machine where Debian's package tools cannot replace this minion. */
export function checkMachine(): void {
  if (!existsSync('/usr/bin/dpkg') || !existsSync(SUPERVISOR)) {
    refuse(
      'This minion was not installed by a Debian package, nor in a version directory',
      'Upgrade it with its package manager, or see docs/upgrades.md for version directories',
    )
  }
  if (process.geteuid?.() !== 0) refuse('This minion does not run as root, and packages are installed by root only')
  const group = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8') : ''
  if (!MINION_GROUP.test(group)) refuse('This minion is not the service salt-minion of systemd')
}

/** A package that is offered. */
export interface OfferedDeb {
  file: string
  proof: Proof
}

export interface StagedDebs {
  from: string
  to: string
  /** The directory that `old` and `new` are in. */
  folder: string
}

/** Check the offered packages, and put them and the installed ones into a new directory. */
export async function stageDebs(offered: readonly OfferedDeb[]): Promise<StagedDebs> {
  const all = join(DEB_PREFIX, 'upgrades')
  mkdirSync(all, { recursive: true, mode: PRIVATE_FOLDER })
  for (const name of readdirSync(all)) if (name.startsWith('.new-')) rmSync(join(all, name), { recursive: true })
  const folder = mkdtempSync(join(all, '.new-'))
  try {
    const installed = await installedDebs()
    const debs = await copyOffered(offered, join(folder, 'new'))
    const { from, to } = await checkFit(debs, installed)
    checkSpace(debs)
    await keepInstalled(installed, join(DEB_PREFIX, 'packages', 'current'), join(folder, 'old'))
    return { from, to, folder }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

async function copyOffered(offered: readonly OfferedDeb[], folder: string): Promise<Deb[]> {
  mkdirSync(folder, { mode: PRIVATE_FOLDER })
  const debs: Deb[] = []
  for (const [index, { file, proof }] of offered.entries()) {
    const copy = join(folder, `${index}.deb`)
    await copyChecked(file, copy, proof)
    const deb = await readDeb(copy, file)
    if (debs.some(({ name }) => name === deb.name)) refuse(`The package ${deb.name} is named twice`)
    debs.push(deb)
    renameSync(copy, join(folder, `${deb.name}.deb`))
  }
  return debs
}

/** Throw if the packages do not replace exactly the installed ones. */
async function checkFit(
  debs: readonly Deb[],
  installed: ReadonlyMap<string, string>,
): Promise<{ from: string; to: string }> {
  const from = installed.get('brine-minion') ?? refuse('The package brine-minion is not installed')
  const to = debs[0]!.version
  const own = await machineArchitecture()
  for (const { name, version, architecture } of debs) {
    if (version !== to) refuse(`The packages have different versions: ${to} and ${version}`)
    if (!installed.has(name))
      refuse(`The package ${name} is not installed here, and an upgrade installs no further ones`)
    if (architecture !== 'all' && architecture !== own)
      refuse(`The package ${name} is for ${architecture}, and this machine is ${own}`)
  }
  const missing = [...installed.keys()].filter((name) => !debs.some((deb) => deb.name === name))
  if (missing.length > 0) {
    refuse(
      `All packages of Brine have one version, and ${missing.join(', ')} of this machine would keep the old one`,
      'Name the new files of all installed packages',
    )
  }
  if (to === from) refuse(`Version ${to} runs here already`)
  return { from, to }
}

/** Both versions and their packages must fit on the disk, so that the way back does not end on a full one. */
function checkSpace(debs: readonly Deb[]): void {
  const needed = 3 * debs.reduce((sum, { size }) => sum + size, 0)
  const { bavail, bsize } = statfsSync(DEB_PREFIX)
  if (bavail * bsize < needed)
    refuse(`The disk of ${DEB_PREFIX} has ${bavail * bsize} bytes free, and ${needed} are needed`)
}

/** Start the service that installs the new packages. */
export async function startDebUpgrade(trial: UpgradeTrial, { folder }: StagedDebs): Promise<void> {
  for (const name of ['old', 'new']) renameSync(join(folder, name), join(trial.folder, name))
  rmSync(folder, { recursive: true })
  const script = join(trial.folder, 'supervise')
  copyFileSync(SUPERVISOR, script)
  chmodSync(script, 0o700)
  const { began, seconds } = trial.request
  const words = [script, trial.folder, String(Math.floor(began / 1000)), String(seconds)]
  writeFileSync(UNIT_FILE, unitText(words), { mode: 0o644 })
  await systemctl('daemon-reload')
  await systemctl('enable', '--quiet', UNIT)
  await systemctl('start', '--no-block', UNIT)
}

const unitText = (
  words: readonly string[],
): string => `# Written by brine.upgrade, and removed when the upgrade is over.
[Unit]
Description=Upgrade of the Salt minion (Brine)
After=network.target

[Service]
Type=exec
ExecStart=/bin/sh ${words.join(' ')}
KillMode=process

[Install]
WantedBy=multi-user.target
`

async function systemctl(...words: string[]): Promise<void> {
  const ended = await runTool('systemctl', words, { milliseconds: PATIENCE_MS })
  if (ended?.code === 0) return
  const said = ended ? `exits with ${ended.code}: ${ended.stderr.trim()}` : 'is missing'
  throw new UpkeepError('ProgramFailed', `systemctl ${words[0]} ${said}`)
}

/** Forget an upgrade that could not be started. */
export function abandonDebUpgrade(trial: UpgradeTrial): void {
  rmSync(UNIT_FILE, { force: true })
  rmSync(join('/etc/systemd/system/multi-user.target.wants', UNIT), { force: true })
  rmSync(trial.folder, { recursive: true, force: true })
}

/** The progress of an upgrade when this process started. */
export interface DebProgress {
  /** The new packages were installed before. */
  isNew: boolean
  /** The old packages were installed again, or nothing was installed at all. */
  isBack: boolean
  /** Why the old packages could not be installed again. */
  failure: string
}

export function debProgress(trial: UpgradeTrial): DebProgress {
  const has = (name: string): boolean => existsSync(join(trial.folder, name))
  const isBack = has('restored') || !(has('installing') || existsSync(UNIT_FILE))
  const failure = has('restored') ? readFileSync(join(trial.folder, 'restored'), 'utf8').trim() : ''
  return { isNew: has('installed') && !has('restored'), isBack, failure }
}

// The parent of a minion that a service manager starts: `brine run-minion`. The service manager sees one process that stays, while the
// minion below it is exchanged by upgrades. It is the supervisor of these upgrades.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRIVATE_FILE } from '../base/mod.ts'
import { UpkeepError } from './errors.ts'
import { LAUNCHER, supervise, TRIAL } from './supervisor.ts'
import { UpgradeTrial } from './trial.ts'
import { currentVersion, versionFolder } from './versions.ts'

/** Signals that the minion gets too. */
const PASSED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

class Launcher {
  private readonly prefix: string
  private readonly words: readonly string[]
  private child!: ChildProcess
  private upgrading: Promise<void> | undefined
  private isStopping = false

  constructor(prefix: string, words: readonly string[]) {
    this.prefix = prefix
    this.words = words
  }

  /** Run until the minion ends or is told to end. Return its exit status. */
  async run(version: string): Promise<number> {
    for (const signal of PASSED_ON) {
      process.on(signal, () => {
        if (signal !== 'SIGHUP') this.isStopping = true
        this.child.kill(signal)
      })
    }
    process.on('SIGUSR2', () => this.upgrade())
    this.start(version)
    for (;;) {
      const { child } = this
      const [code] = child.exitCode === null && child.signalCode === null ? await once(child, 'exit') : [child.exitCode]
      if (this.isStopping) return Number(code ?? 0)
      if (this.upgrading) await this.upgrading
      else if (child === this.child) return Number(code ?? 1)
    }
  }

  /**
   * Carry out the upgrade that the minion has started, after the previous one: its supervisor may not have noticed its
   * end yet.
   */
  private upgrade(): void {
    const own = (this.upgrading ?? Promise.resolve())
      .then(() => this.carryOut())
      .finally(() => {
        if (this.upgrading === own) this.upgrading = undefined
      })
    this.upgrading = own
  }

  private async carryOut(): Promise<void> {
    const trial = UpgradeTrial.unreported(this.prefix)
    if (!trial) return
    await supervise(trial, (own, version) => this.start(version, version === own.request.to ? own : undefined))
  }

  /** Start a version. The output of a version on trial also goes to the log of the upgrade. */
  private start(version: string, trial?: UpgradeTrial): number {
    if (this.isStopping) return 0
    const program = join(versionFolder(this.prefix, version), 'dist', 'salt-minion.js')
    const env = { ...process.env, [LAUNCHER]: String(process.pid), ...(trial && { [TRIAL]: trial.folder }) }
    const child = spawn(process.execPath, [program, ...this.words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        process.stderr.write(bytes)
        if (trial && !trial.verdict) appendFileSync(trial.log, bytes, { mode: PRIVATE_FILE })
      })
    }
    this.child = child
    return child.pid ?? 0
  }
}

/** Run the current version of a prefix with these words. */
export function launchMinion(prefix: string, words: readonly string[]): Promise<number> {
  const version = currentVersion(prefix)
  if (version === undefined) throw new UpkeepError('BadPackage', `${prefix} has no current version of Brine`)
  return new Launcher(prefix, words).run(version)
}

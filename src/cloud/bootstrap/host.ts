// Bootstraps one host, from the login to an answer of its minion. Errors name the step that failed. All checks come before the first change,
// and if a step after the acceptance of the key fails, the key is not accepted any more.
import { isIP } from 'node:net'
import { BrineError, type Log, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, quote } from '../../data/mod.ts'
import { SshHost, sshRuntimeFolder } from '../../host/mod.ts'
import type { MasterAccess } from '../../runner/mod.ts'
import { type RosterEntry, sshTarget } from '../../ssh/mod.ts'
import { generateRsaKeys, isValidId } from '../../wire/mod.ts'
import { awaitAnswer } from './answer.ts'
import { acceptKey, assertFree } from './key.ts'
import { type MasterFacts, minionConfigText } from './master.ts'
import { installPackage, type MinionPackage } from './package.ts'
import { startDaemon } from './start.ts'
import { OWN_CONFIG, PKI_DIR, type Survey, surveyHost } from './survey.ts'

export interface BootstrapSite {
  access: MasterAccess
  master: MasterFacts
  package: MinionPackage
  log: Log
  /** Options of the login. Default: those of the master. */
  opts?: Dict
  signal: AbortSignal
  /** The id that the command line names. */
  id: string | undefined
  /** In seconds. */
  timeout: number
  isTest: boolean
  isForced: boolean
}

/** Return a text about what was done, or throw an error that names the step. */
export async function bootstrapHost(site: BootstrapSite, entry: RosterEntry): Promise<string> {
  const steps = new Steps(site.signal)
  const opts = site.opts ?? site.access.opts
  const machine = await steps.take('connect', async () =>
    SshHost.open(sshTarget(entry, opts), { log: site.log, runtimeDir: sshRuntimeFolder(option(opts, 'sock_dir')) }),
  )
  try {
    return await new Bootstrap(site, machine, steps).run(entry)
  } finally {
    await machine.close()
  }
}

class Steps {
  private readonly signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      if (this.signal.aborted) throw new BrineError('Interrupted', 'interrupted')
      return await work()
    } catch (thrown) {
      const error = toError(thrown)
      const { hint } = error instanceof BrineError ? error : { hint: undefined }
      const reason = this.signal.aborted ? 'interrupted' : error.message
      throw new BrineError('StepFailed', `${name}: ${reason}`, { cause: error, ...(hint && { hint }) })
    }
  }
}

class Bootstrap {
  private readonly site: BootstrapSite
  private readonly machine: SshHost
  private readonly steps: Steps
  private readonly done: string[] = []

  constructor(site: BootstrapSite, machine: SshHost, steps: Steps) {
    this.site = site
    this.machine = machine
    this.steps = steps
  }

  async run(entry: RosterEntry): Promise<string> {
    const { access, master, isTest, isForced } = this.site
    const id = await this.steps.take('id', () => this.idOf(entry))
    const survey = await this.steps.take('look', async () => {
      const found = await surveyHost(this.machine, master, id)
      if (!isForced) refuseForeign(found)
      // a host that names itself takes no id over that another machine has
      assertFree(access, id, found.publicPem, isForced && (id === this.site.id || id === entry.id))
      return found
    })
    const config = minionConfigText(master, id)
    if (isTest) return this.forecast(id, survey, config)
    const publicPem = await this.steps.take('configure', () => this.configure(survey, config))
    const accepted = await this.steps.take('accept the key', () => acceptKey(access, id, publicPem))
    if (accepted.isNew) this.done.push('key accepted')
    try {
      await this.bringUp(id, survey)
    } catch (error) {
      await accepted.undo()
      throw error
    }
    return `minion ${id} answers (${this.done.join(', ') || 'nothing to do'})`
  }

  private async idOf({ id, settings }: RosterEntry): Promise<string> {
    const named = this.site.id
    const chosen = named ?? (isIP(id) && settings.get('host') === id ? await this.machine.hostname() : id)
    if (!isValidId(chosen) || /[\s*?[\]]/.test(chosen))
      throw new BrineError('BadId', `${quote(chosen)} is no id of a minion`)
    return chosen
  }

  private forecast(id: string, { publicPem, ownConfig }: Survey, config: string): string {
    const known = this.site.access.stores.keys.pem('minions', id)
    const steps = [
      ...(publicPem === undefined ? ['make a key pair'] : []),
      ...(ownConfig === config ? [] : [`write ${OWN_CONFIG}`]),
      ...(known === undefined ? ['accept the key'] : []),
      `install the ${this.site.package.kind} package if it is not installed yet`,
    ]
    return `minion ${id} of master ${this.site.master.address}: would ${steps.join(', ')}`
  }

  /** Write the configuration and the keys that the minion needs for its first start. Return its public key. */
  private async configure(survey: Survey, config: string): Promise<string> {
    const { machine } = this
    await machine.makeDirectory(PKI_DIR, { parents: true, mode: 0o700 })
    await machine.makeDirectory('/etc/salt/minion.d', { parents: true, mode: 0o755 })
    if (survey.masterPem !== this.site.master.publicPem) {
      await machine.write(`${PKI_DIR}/minion_master.pub`, this.site.master.publicPem, { mode: 0o644 })
    }
    if (survey.ownConfig !== config) {
      await machine.write(OWN_CONFIG, config, { mode: 0o644 })
      this.done.push('configuration written')
    }
    if (survey.publicPem !== undefined) return survey.publicPem
    const { privatePem, publicPem } = await generateRsaKeys(option(this.site.access.opts, 'keysize'))
    await machine.write(`${PKI_DIR}/minion.pem`, privatePem, { mode: 0o400 })
    await machine.write(`${PKI_DIR}/minion.pub`, publicPem, { mode: 0o644 })
    return publicPem
  }

  private async bringUp(id: string, { isSystemd }: Survey): Promise<void> {
    const { signal } = this.site
    const isInstalled = await this.steps.take('package', () => installPackage(this.machine, this.site.package, signal))
    if (isInstalled) this.done.push('package installed')
    const isChanged = this.done.length > 0
    const note = await this.steps.take('start', () =>
      startDaemon(this.machine, { program: 'salt-minion', isSystemd, isChanged, signal }),
    )
    if (note !== undefined) this.done.push(note)
    await this.steps.take('answer', () => awaitAnswer(this.site, id))
  }
}

function refuseForeign({ foreign }: Survey): void {
  if (foreign.length === 0) return
  throw new BrineError('Foreign', `The host has a minion already: ${foreign.join(', ')}`, {
    hint: 'Use brine bootstrap with --force to take it over',
  })
}

// Our public key on targets: offered where a login is refused, and with --key-deploy added wherever a password is known.
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { textOf } from '../../data/mod.ts'
import { isOptionSet } from '../salt/request.ts'
import type { RosterEntry, SshAnswer, SshJob, SshWork } from './work.ts'

export class KeyDeployment {
  private readonly work: SshWork
  private readonly entries: ReadonlyMap<string, RosterEntry>
  private readonly again: (entry: RosterEntry) => Promise<SshJob>

  constructor(work: SshWork, entries: readonly RosterEntry[], again: (entry: RosterEntry) => Promise<SshJob>) {
    this.work = work
    this.entries = new Map(entries.map((entry) => [entry.id, entry]))
    this.again = again
  }

  /** Return the result of a target after handling its keys: the result of a second try, or the same. */
  async settle(answer: SshAnswer): Promise<SshAnswer> {
    const entry = this.entries.get(answer.id)
    if (!entry) return answer
    if (isOptionSet(this.work.opts, 'ssh_key_deploy')) {
      const password = textOf(entry.settings.get('passwd') ?? null) || option(this.work.opts, 'ssh_passwd')
      if (password !== '') await this.install(entry, password)
      return answer
    }
    const password = answer.isRefused ? await this.asked(entry) : undefined
    if (password === undefined || !(await this.install(entry, password))) return answer
    for await (const second of (await this.again(entry)).answers) return second
    return answer
  }

  /** Ask whether to deploy the key, and for the password; undefined where the answer is no. Input that has ended means no. */
  private async asked({ id, settings }: RosterEntry): Promise<string | undefined> {
    const { questions, streams, opts } = this.work
    const text = `Permission denied for host ${id}, do you want to deploy the salt-ssh key? (password required):\n[Y/n] `
    const answer = await questions.ask({ say: streams.out, text, isAskedOnlyIfAnswered: true })
    if (answer === undefined || /^n/i.test(answer)) return undefined
    const user = textOf(settings.get('user') ?? null) || option(opts, 'ssh_user')
    const password = await questions.ask({ say: streams.err, text: `Password for ${user}@${id}: `, isSecret: true })
    return password === '' ? undefined : password
  }

  private async install(entry: RosterEntry, password: string): Promise<boolean> {
    const { targets, log } = this.work
    try {
      await targets.installKey(this.work, entry, password)
      return true
    } catch (error) {
      log('error', `The key could not be deployed to ${entry.id}: ${toError(error).message}`)
      return false
    }
  }
}

// Prints the returns of targets for salt-ssh: each as it arrives, or with --static all together at the end.
import { option } from '../../config/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { showValue } from '../salt/show.ts'
import type { Streams } from '../streams.ts'
import type { SshAnswer, SshWork } from './work.ts'

export class Shown {
  private readonly work: SshWork
  private readonly isStatic: boolean
  private readonly all: Dict = new Map()
  private outputter = ''

  constructor(work: SshWork) {
    this.work = work
    this.isStatic = option(work.opts, 'static')
  }

  async answer({ id, shown, retcode, outputter = '' }: SshAnswer): Promise<void> {
    this.all.set(id, shown)
    if (outputter !== '') this.outputter = outputter
    if (!this.isStatic) await showValue(this.work, new Map<Value, Value>([[id, shown]]), outputter, retcode)
  }

  async end(retcode: number): Promise<void> {
    if (this.isStatic) await showValue(this.work, this.all, this.outputter, retcode)
  }
}

/** The number of the job, with --verbose. */
export function printSshJid(jid: string, streams: Streams): void {
  const text = `Executing job with jid ${jid}`
  streams.out(`${text}\n${'-'.repeat(text.length)}\n\n\n`)
}

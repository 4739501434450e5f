// Commands to the master of this machine, over one connection.

import { isLogged, type Log, namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { tracedSending } from '../telemetry/mod.ts'
import { ClearClient, isWireError, openTransport, requestClientOptions } from '../wire/mod.ts'
import { ClientError } from './errors.ts'

/** Salt's own words, which people search for. */
const NO_ANSWER =
  'Salt request timed out. The master is not responding. You may need to run your command with `--async` in order to bypass the congested event bus. With `--async`, the CLI tool will print the job id (jid) and exit immediately without listening for responses. You can then use `salt-run jobs.lookup_jid` to look up the results of the job in the job cache later.'

export class MasterRequests {
  private readonly requests: ClearClient
  private readonly log: Log

  static async open(opts: Dict, log: Log): Promise<MasterRequests> {
    const transport = await openTransport(option(opts, 'transport'))
    const port = option(opts, 'ret_port')
    const host = addressOf(opts)
    const wire = namedLog(log, `salt.transport.${transport.name}`)
    wire('debug', `Connecting to the master at ${host}, port ${port}, by ${transport.name}`)
    const client = transport.connect({ host, port }, { ...requestClientOptions(opts), log: wire })
    return new MasterRequests(new ClearClient(client), log)
  }

  private constructor(requests: ClearClient, log: Log) {
    this.requests = requests
    this.log = log
  }

  /** Send a command, and return the answer of the master. */
  async command(load: Dict, timeout: number): Promise<Value> {
    const began = performance.now()
    const logEnd = (end: string): void => {
      if (!isLogged(this.log, 'debug')) return
      this.log(
        'debug',
        `Request ${str(load.get('cmd') ?? '')} ${end} after ${Math.round(performance.now() - began)} ms`,
      )
    }
    try {
      const answer = await tracedSending(load, (carrying) => this.requests.send(carrying, { timeout, tries: 1 }))
      logEnd('was answered')
      return answer
    } catch (error) {
      if (!isWireError(error)) throw error
      logEnd('failed')
      const { reason, message, code } = error
      const isKnown = code === 'TlsError' || code === 'BadSetting' || reason !== message
      throw new ClientError('SaltClientError', isKnown ? `The master does not answer: ${reason}` : NO_ANSWER, {
        reason,
        cause: error,
      })
    }
  }

  close(): void {
    this.requests.close()
  }
}

/** The master listens on this address; any address means this machine. */
function addressOf(opts: Dict): string {
  const address = option(opts, 'interface')
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}

// Commands to a master without encryption: what programs on the master's own machine send.
import type { Value } from '../../data/mod.ts'
import { clearEnvelope } from '../envelope.ts'
import type { RequestClient, RequestOptions } from '../transport/transport.ts'

export class ClearClient {
  private readonly client: RequestClient

  constructor(client: RequestClient) {
    this.client = client
  }

  /** Sends `{cmd, …}` and gives what the master answers; with `tries: 1` a command is never sent twice. */
  send(load: unknown, options?: RequestOptions): Promise<Value> {
    return this.client.request(clearEnvelope(load), options)
  }

  close(): void {
    this.client.close()
  }
}

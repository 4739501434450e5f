// Unencrypted commands to a master, from programs on the master's own machine.
import type { Value } from '../../data/mod.ts'
import { clearEnvelope } from '../envelope.ts'
import type { RequestClient, RequestOptions } from '../transport/transport.ts'

export class ClearClient {
  private readonly client: RequestClient

  constructor(client: RequestClient) {
    this.client = client
  }

  /** Send `{cmd, …}` and return the master's answer; with `tries: 1` a command is never sent twice. */
  send(load: unknown, options?: RequestOptions): Promise<Value> {
    return this.client.request(clearEnvelope(load), options)
  }

  close(): void {
    this.client.close()
  }
}

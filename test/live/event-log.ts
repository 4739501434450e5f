// Events of a daemon's bus as they come. A bus that goes away is listened to again when its daemon is back.
import { BusClient, type BusEvent } from '../../src/bus/mod.ts'

export class EventLog {
  readonly seen: BusEvent[] = []
  private readonly socket: string
  private client: BusClient | undefined

  constructor(socket: string) {
    this.socket = socket
  }

  /** Connect to the bus; return whether it exists. */
  async listen(): Promise<boolean> {
    try {
      this.client = await BusClient.open({ paths: { pub: this.socket, pull: '' } })
    } catch {
      return false
    }
    void this.gather(this.client)
    return true
  }

  private async gather(client: BusClient): Promise<void> {
    while (client.isOpen) {
      const event = await client.next(1)
      if (event) this.seen.push(event)
    }
  }

  close(): void {
    this.client?.close()
  }
}

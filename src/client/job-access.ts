// Jobs for minions: published, and their returns collected. A program reaches the master by its sockets.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MinionJob, MinionReturn, Published } from '../sdk/mod.ts'
import { LocalClient, type PublishRequest } from './local-client.ts'

export interface JobAccess {
  /** Publish a job; undefined when the target means no minion. */
  publish(job: MinionJob): Promise<Published | undefined>
  /** Yield the returns of a published job as they arrive; both times are in seconds. */
  collect(published: Published, timeout: number, gatherJobTimeout: number): AsyncIterable<MinionReturn>
  /** Have the master run a job in batches. */
  beginBatch(load: Dict): Promise<void>
  /** Send a command to the master. */
  command(load: Dict): Promise<Value>
}

/** The jobs of a program beside the master. */
export class ClientJobs implements JobAccess {
  private readonly opts: Dict
  private readonly log: Log
  /** By job id. A client must listen from before the publication until all returns are collected. */
  private readonly clients = new Map<string, LocalClient>()

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
  }

  async publish(job: MinionJob): Promise<Published | undefined> {
    const client = await LocalClient.open(this.opts, this.log)
    const published = await client.publish(requestOf(job)).catch((error: unknown) => {
      client.close()
      throw error
    })
    if (published) this.clients.set(published.jid, client)
    else client.close()
    return published
  }

  async *collect(published: Published, timeout: number, gatherJobTimeout: number): AsyncGenerator<MinionReturn> {
    const client = this.clients.get(published.jid)!
    try {
      yield* client.collect(published, { timeout, gatherJobTimeout })
    } finally {
      this.clients.delete(published.jid)
      client.close()
    }
  }

  async beginBatch(load: Dict): Promise<void> {
    await this.once((client) => client.beginBatch(load))
  }

  command(load: Dict): Promise<Value> {
    return this.once((client) => client.command(load))
  }

  close(): void {
    for (const client of this.clients.values()) client.close()
  }

  private async once<T>(work: (client: LocalClient) => Promise<T>): Promise<T> {
    const client = await LocalClient.open(this.opts, this.log)
    try {
      return await work(client)
    } finally {
      client.close()
    }
  }
}

/** Return the request to publish a job. */
export function requestOf(job: MinionJob): PublishRequest {
  const arg: Value[] = [...(job.arg ?? [])]
  if (job.kwarg && job.kwarg.size > 0) arg.push(new Map<Value, Value>([['__kwarg__', true], ...job.kwarg]))
  return {
    tgt: job.tgt,
    fun: job.fun,
    arg,
    ...(job.tgtType !== undefined && { tgtType: job.tgtType }),
    ...(job.ret !== undefined && { ret: job.ret }),
    ...(job.jid !== undefined && { jid: job.jid }),
    ...(job.timeout !== undefined && { timeout: job.timeout }),
    ...(job.options && { kwargs: job.options }),
  }
}

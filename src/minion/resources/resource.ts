// What a minion needs to know of a kind of things that it looks after.
import type { Log } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { FileClient } from '../../fileserver/mod.ts'
import type { Host } from '../../host/mod.ts'
import type { Registry } from '../../loader/mod.ts'

export interface Resource {
  type: string
  id: string
}

export interface ResourceContext {
  /** Those of the minion. */
  opts: Dict
  log: Log
  /** A client for the files of the master, which caches on `controller` for functions on `whole`. */
  files(opts: Dict, controller: Host, whole: Host): FileClient
  /** The grains of the resource, where they are known. */
  grains?: Dict
  /** What pillar says about its type. */
  config: Dict
}

/** What a job is given of a resource. */
export interface ResourceCall {
  functions: Registry
  /** Why other functions are not there. */
  refusal?: string
  /** Called when the job has ended. */
  close?(): Promise<void>
}

export interface ResourceType {
  ids(config: Dict): string[]
  grains(ctx: ResourceContext, id: string): Promise<Dict>
  /** The functions of one of them; `minion` has those of the minion that looks after it. */
  functions(ctx: ResourceContext, id: string, minion: Registry): Promise<ResourceCall>
}

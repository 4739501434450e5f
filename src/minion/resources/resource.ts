// The interface of a type of resources.
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
  /** The options of the minion. */
  opts: Dict
  log: Log
  /** A client for the files of the master, which caches on `controller` for functions on `whole`. */
  files(opts: Dict, controller: Host, whole: Host): FileClient
  /** The grains of the resource, if they are known. */
  grains?: Dict
  /** The pillar data of its type. */
  config: Dict
}

/** The context of a job for one resource. */
export interface ResourceCall {
  functions: Registry
  /** The reason why other functions are missing. */
  refusal?: string
  /** Called when the job has ended. */
  close?(): Promise<void>
}

export interface ResourceType {
  ids(config: Dict): string[]
  grains(ctx: ResourceContext, id: string): Promise<Dict>
  /** Return the functions of one resource; `minion` has the functions of the minion that manages it. */
  functions(ctx: ResourceContext, id: string, minion: Registry): Promise<ResourceCall>
}

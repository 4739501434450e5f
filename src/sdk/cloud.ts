// salt-cloud as runner functions ask for it. Results have the shapes of Salt's.
import type { Dict, Value } from '../data/mod.ts'

export type CloudQuery = 'list_nodes' | 'list_nodes_full' | 'list_nodes_select'
export type CloudListing = 'locations' | 'images' | 'sizes'

export interface CloudRequest {
  /** Settings that override those of the profile. */
  overrides?: Dict
  /** Whether machines are made at the same time. */
  parallel?: boolean
  /** The caller has not the rights of the master's owner: settings that reach files and programs of the master are refused. */
  isFromOutside?: boolean
}

export interface MapRequest {
  /** Destroy machines that the map does not name. */
  isHard: boolean
  isFromOutside?: boolean
}

/** The effect of a map: names with their `alias:driver`. */
export interface CloudPlan {
  create: Map<string, Dict>
  existing: Map<string, string>
  destroy: Map<string, string>
}

/** A result, and whether something in it failed. */
export interface CloudOutcome {
  value: Value
  failed: boolean
}

export interface CloudClient {
  /** Machines by alias of the provider, driver and name. */
  query(kind: CloudQuery): Promise<CloudOutcome>
  /** Locations, images or sizes of a provider, or of `all`. */
  listing(kind: CloudListing, provider: string): Promise<CloudOutcome>
  providers(): Dict
  profiles(provider: string): Dict
  /** Make machines of a profile. */
  profile(name: string, names: readonly string[], request?: CloudRequest): Promise<CloudOutcome>
  /** Make machines of a provider without a profile. */
  create(provider: string, names: readonly string[], request: CloudRequest): Promise<CloudOutcome>
  destroy(names: readonly string[]): Promise<CloudOutcome>
  /** Return the machines of these names by alias and driver. */
  running(names: readonly string[]): Promise<Dict>
  action(fun: string, names: readonly string[], kwargs: Dict, isFromOutside?: boolean): Promise<CloudOutcome>
  function(fun: string, provider: string, kwargs: Dict, isFromOutside?: boolean): Promise<CloudOutcome>
  /** Read a map, from a file or as data, and compare it with the existing machines. */
  plan(map: string | Dict, request: MapRequest): Promise<CloudPlan>
  /** Carry a plan out. */
  carryOut(plan: CloudPlan, parallel: boolean): Promise<CloudOutcome>
}

export interface CloudReach {
  /** Work with salt-cloud: read its files, undo the incomplete creations of killed runs, then call `work`. */
  cloud<T>(work: (cloud: CloudClient) => Promise<T>): Promise<T>
}

// What one call of a state function sees. A class with plain fields: one is made for every state of a run, and a copy of
// the functions' context by spreading costs many times as much.
import type { Log } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { FunctionContext, Keywords, StateContext } from '../../sdk/mod.ts'
import type { LowChunk } from '../compile/types.ts'

export interface CallFacts {
  log: Log
  test: boolean
  low: LowChunk
  running: Dict
  lowstate: readonly LowChunk[]
  env: string
  instanceId: string
  hasState: StateContext['hasState']
  callState(ctx: StateContext, name: string, kwargs: Keywords): Promise<Dict>
}

export class CallContext implements StateContext {
  readonly opts: StateContext['opts']
  readonly grains: StateContext['grains']
  readonly pillar: StateContext['pillar']
  readonly memory: StateContext['memory']
  readonly masked: StateContext['masked']
  readonly call: StateContext['call']
  readonly has: StateContext['has']
  readonly names: StateContext['names']
  readonly serves: StateContext['serves']
  readonly module: StateContext['module']
  readonly states: StateContext['states']
  readonly runners: StateContext['runners']
  readonly returnerNames: StateContext['returnerNames']
  readonly returner: StateContext['returner']
  readonly log: StateContext['log']
  readonly hint: StateContext['hint']
  readonly host: StateContext['host']
  readonly files: StateContext['files']
  readonly http: StateContext['http']
  readonly render: StateContext['render']
  readonly freshPillar: StateContext['freshPillar']
  readonly pillarOrigins: StateContext['pillarOrigins']
  readonly askMinion: StateContext['askMinion']
  readonly daemon: StateContext['daemon']
  readonly master: StateContext['master']
  readonly openStates: StateContext['openStates']
  readonly callInside: StateContext['callInside']
  readonly callSdb: StateContext['callSdb']
  readonly ownPlugin: StateContext['ownPlugin']
  readonly extensions: StateContext['extensions']
  readonly test: boolean
  readonly low: LowChunk
  readonly running: Dict
  readonly lowstate: readonly LowChunk[]
  readonly env: string
  readonly instanceId: string
  readonly hasState: StateContext['hasState']
  readonly state: StateContext['state']

  constructor(functions: FunctionContext, facts: CallFacts) {
    this.opts = functions.opts
    this.grains = functions.grains
    this.pillar = functions.pillar
    this.memory = functions.memory
    this.masked = functions.masked
    this.call = functions.call
    this.has = functions.has
    this.names = functions.names
    this.serves = functions.serves
    this.module = functions.module
    this.states = functions.states
    this.runners = functions.runners
    this.returnerNames = functions.returnerNames
    this.returner = functions.returner
    this.log = facts.log
    this.hint = functions.hint
    this.host = functions.host
    this.files = functions.files
    this.http = functions.http
    this.render = functions.render
    this.freshPillar = functions.freshPillar
    this.pillarOrigins = functions.pillarOrigins
    this.askMinion = functions.askMinion
    this.daemon = functions.daemon
    this.master = functions.master
    this.openStates = functions.openStates
    this.callInside = functions.callInside
    this.callSdb = functions.callSdb
    this.ownPlugin = functions.ownPlugin
    this.extensions = functions.extensions
    this.test = facts.test
    this.low = facts.low
    this.running = facts.running
    this.lowstate = facts.lowstate
    this.env = facts.env
    this.instanceId = facts.instanceId
    this.hasState = facts.hasState
    this.state = (name, kwargs) => facts.callState(this, name, kwargs)
  }
}

// Commands that are not encrypted: from programs on the master's machine, and with credentials from anywhere.
import { guarded, newJid, shownText } from '../base/mod.ts'
import type { Origin } from '../bus/mod.ts'
import { briefStr, type Dict, dictFrom, type Value } from '../data/mod.ts'
import { beginMasterFunction, type MasterAccess, runMasterFunction } from '../runner/mod.ts'
import type { Peer } from '../wire/mod.ts'
import { argumentsOf } from './call-arguments.ts'
import type { Publishing } from './publish.ts'
import { type Refusal, refusedAnswer, unstoredAnswer } from './refusals.ts'

type Command = (load: Dict, peer: Peer | undefined) => unknown

/** Judges a call of a function of the master; gives the user's name, or the refusal. */
export interface MasterRights {
  judge(load: Dict, family: 'runner' | 'wheel', fun: string, peer?: Peer): Promise<{ user: string } | Refusal>
}

export interface ClearParts {
  publishing: Publishing
  access: MasterAccess
  rights: MasterRights
}

export class ClearCommands {
  private readonly commands: Map<string, Command>
  private readonly parts: ClearParts

  constructor(parts: ClearParts) {
    this.parts = parts
    this.commands = new Map<string, Command>([
      ['ping', (load) => load],
      ['publish', (load, peer) => parts.publishing.publish(load, peer)],
      ['runner', (load, peer) => this.begin('runner', load, peer)],
      ['wheel', (load, peer) => this.wheel(load, peer)],
      ['wheel_async', (load, peer) => this.begin('wheel', load, peer)],
    ])
  }

  get rights(): MasterRights {
    return this.parts.rights
  }

  /** Adds a command; its name must not be taken. */
  add(name: string, command: Command): void {
    this.commands.set(name, command)
  }

  has(name: string): boolean {
    return this.commands.has(name)
  }

  /** Answer a command; `peer` is missing for commands of the master itself. */
  answer(load: Dict, peer?: Peer): unknown {
    const name = load.get('cmd')
    const command = typeof name === 'string' ? this.commands.get(name) : undefined
    if (!command) return new Map()
    const failed = (error: unknown): Dict => unstoredAnswer(error, false)
    try {
      const answer = command(load, peer)
      return answer instanceof Promise ? answer.catch(failed) : answer
    } catch (error) {
      return failed(error)
    }
  }

  /** Start a function; return the tag of its last event. */
  private async begin(family: 'runner' | 'wheel', load: Dict, peer: Peer | undefined): Promise<Dict> {
    const fun = briefStr(load.get('fun') ?? '')
    const judged = await this.parts.rights.judge(load, family, fun, peer)
    if ('message' in judged) return refusedAnswer(judged)
    const jid = newJid()
    const { access } = this.parts
    const call = { family, fun, ...argumentsOf(load), user: judged.user, jid }
    const run = { ...call, caller: callerOf(load, judged.user) }
    guarded(access.log, `${family} ${shownText(fun)}`, () => beginMasterFunction(access, run))()
    return dictFrom({ tag: `salt/${family === 'runner' ? 'run' : 'wheel'}/${jid}`, jid })
  }

  /** A wheel function is waited for. */
  private async wheel(load: Dict, peer: Peer | undefined): Promise<Dict> {
    const fun = briefStr(load.get('fun') ?? '')
    const judged = await this.parts.rights.judge(load, 'wheel', fun, peer)
    if ('message' in judged) return refusedAnswer(judged)
    const { user } = judged
    const call = { family: 'wheel' as const, fun, ...argumentsOf(load), user, caller: callerOf(load, user) }
    const result = await runMasterFunction(this.parts.access, call)
    const tag = `salt/wheel/${result.jid}`
    const data: Dict = new Map<Value, Value>([
      ['fun', `wheel.${fun}`],
      ['jid', result.jid],
      ['tag', tag],
      ['user', user],
      ['return', result.value],
      ['success', result.success],
    ])
    return dictFrom({ tag, data })
  }
}

/** Return the user of an authorised command, and how the user was authenticated. */
function callerOf(load: Dict, user: string): Origin {
  return { kind: 'user', name: user, proof: load.has('token') ? 'token' : load.has('eauth') ? 'eauth' : 'key' }
}

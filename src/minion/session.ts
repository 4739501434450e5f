// A minion's side of a connection: who it is, what its master gave it, and the functions over both. The daemon has one as
// long as it lives, a single call has one for itself.
import { isLogged, type Log, namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, SaltError, secretTexts, str, type Value } from '../data/mod.ts'
import { RemoteFileClient } from '../fileserver/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import type { Host } from '../host/mod.ts'
import type { Registry, RegistryContext } from '../loader/mod.ts'
import { passedToExtPillars } from '../pillar/mod.ts'
import { askForSecrets, type PillarOrigin, type PillarRequest, readOrigins, takeSecrets } from '../sdk/mod.ts'
import { isWireError } from '../wire/mod.ts'
import { minionFunctions } from './functions.ts'
import type { MasterLink } from './master-link.ts'

export interface SessionParts {
  opts: Dict
  log: Log
  host: Host
  link: MasterLink
  /** What functions reach besides: the daemon around them. */
  surroundings?: Partial<RegistryContext>
}

export class MinionSession {
  grains: Dict
  pillar: Dict = new Map()
  private readonly parts: SessionParts
  private made: Promise<Registry> | undefined

  constructor(parts: SessionParts, grains: Dict) {
    this.parts = parts
    this.grains = grains
  }

  get id(): string {
    return option(this.parts.opts, 'id')
  }

  /** The functions as grains, pillar and users' own modules are now. */
  get functions(): Promise<Registry> {
    this.made ??= this.open()
    return this.made
  }

  private async open(): Promise<Registry> {
    const { opts, host, log, link, surroundings } = this.parts
    const functions = minionFunctions({
      opts,
      grains: this.grains,
      pillar: this.pillar,
      host,
      log,
      files: new RemoteFileClient(opts, host, link, log),
      filesFor: (own, controller, whole) => new RemoteFileClient(own, controller, link, log, whole),
      more: {
        freshPillar: (request) => this.askPillar(request),
        pillarOrigins: (path, request) => this.askOrigins(path, request),
        ...surroundings,
      },
    })
    await functions.refresh()
    return functions
  }

  /** Loads functions anew at their next use. */
  forgetFunctions(): void {
    this.made = undefined
  }

  async refreshGrains(): Promise<void> {
    const { opts, host, log } = this.parts
    this.grains = await collectGrains({ opts, host, log: namedLog(log, 'salt.loaded.int.grains.core') })
    opts.set('grains', this.grains)
    this.made = undefined
  }

  async refreshPillar(): Promise<void> {
    const { opts } = this.parts
    const pillarenv = option(opts, 'pillarenv')
    this.pillar = await this.askPillar({ pillarenv, override: null, overrideEncoding: null })
    opts.set('pillar', this.pillar)
    this.made = undefined
  }

  private async askPillar(request: PillarRequest): Promise<Dict> {
    const log = namedLog(this.parts.log, 'salt.pillar')
    const began = performance.now()
    const load = askForSecrets(this.pillarLoad('_pillar', request))
    const answer = await this.parts.link.channel.sendPrivate(load)
    const pillar = takeSecrets(isDict(answer) ? answer : new Map())
    if (isLogged(log, 'debug')) {
      log.hide?.(secretTexts(pillar))
      log('debug', `Pillar came from the master after ${Math.round(performance.now() - began)} ms: ${keysText(pillar)}`)
    }
    return pillar
  }

  /** Only a master of ours tells. */
  private async askOrigins(path: readonly string[], request: PillarRequest): Promise<PillarOrigin[]> {
    const load = this.pillarLoad('_pillar_origins', request).set('path', [...path]) as Dict
    try {
      return readOrigins(await this.parts.link.channel.sendPrivate(load))
    } catch (error) {
      if (!isWireError(error, 'AuthenticationError')) throw error
      throw new SaltError('CommandExecutionError', 'This master does not tell where its pillar comes from')
    }
  }

  private pillarLoad(cmd: string, request: PillarRequest): Dict {
    const { opts } = this.parts
    const load = new Map<Value, Value>([
      ['cmd', cmd],
      ['id', this.id],
      ['grains', this.grains],
      ['saltenv', option(opts, 'saltenv')],
      ['pillarenv', request.pillarenv],
      ['pillar_override', request.override ?? new Map()],
      ['extra_minion_data', passedToExtPillars(opts)],
      ['ver', '2'],
    ])
    if (request.overrideEncoding !== null) load.set('pillar_override_encoding', request.overrideEncoding)
    if (request.ext !== undefined) load.set('ext', request.ext)
    return load
  }
}

/** The keys of a pillar; its values are secrets. */
const keysText = (pillar: Dict): string => (pillar.size === 0 ? 'it is empty' : [...pillar.keys()].map(str).join(', '))

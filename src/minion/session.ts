// A minion's side of a connection: its identity, the data from its master, and the functions over both. The daemon
// keeps one session; a single call opens its own.
import { isLogged, type Log, namedLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, SaltError, secretTexts, str, type Value } from '../data/mod.ts'
import { RemoteFileClient } from '../fileserver/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import type { Host } from '../host/mod.ts'
import type { Registry, RegistryContext } from '../loader/mod.ts'
import { decryptOverride, passedToExtPillars } from '../pillar/mod.ts'
import { askForSecrets, type PillarOrigin, type PillarRequest, readOrigins, takeSecrets } from '../sdk/mod.ts'
import { isWireError } from '../wire/mod.ts'
import { minionFunctions } from './functions.ts'
import type { MasterLink } from './master-link.ts'
import type { ProxyDevice } from './proxy/device.ts'

export interface SessionParts {
  opts: Dict
  log: Log
  host: Host
  link: MasterLink
  /** The device behind a proxy minion. */
  proxy?: ProxyDevice | undefined
  /** The daemon around the functions, if there is one. */
  surroundings?: Partial<RegistryContext>
}

type AskedPillar = Omit<PillarRequest, 'overrideEncoding'>

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

  get opts(): Dict {
    return this.parts.opts
  }

  /** Reload the proxy module if its file has changed. */
  async refreshProxy(): Promise<void> {
    await this.parts.proxy?.refresh()
  }

  /** The functions as grains, pillar and users' own modules are now. */
  get functions(): Promise<Registry> {
    this.made ??= this.open()
    return this.made
  }

  private async open(): Promise<Registry> {
    const { opts, host, log, link, surroundings, proxy } = this.parts
    const functions = minionFunctions({
      opts,
      grains: this.grains,
      pillar: this.pillar,
      host,
      log,
      files: new RemoteFileClient(opts, host, link, log),
      filesFor: (own, controller, whole) => new RemoteFileClient(own, controller, link, log, whole),
      more: {
        freshPillar: async (request) => this.askPillar(await this.readable(request)),
        pillarOrigins: async (path, request) => this.askOrigins(path, await this.readable(request)),
        ...(proxy?.isOpen && { proxy }),
        ...surroundings,
      },
    })
    await functions.refresh()
    return functions
  }

  /** Reload the functions at their next use. */
  forgetFunctions(): void {
    this.made = undefined
  }

  async refreshGrains(): Promise<void> {
    const { opts, host, log, proxy } = this.parts
    const device = proxy?.isOpen ? { proxy } : {}
    this.grains = await collectGrains({ opts, host, log: namedLog(log, 'salt.loaded.int.grains.core'), ...device })
    opts.set('grains', this.grains)
    this.made = undefined
  }

  async refreshPillar(): Promise<void> {
    const { opts } = this.parts
    const pillarenv = option(opts, 'pillarenv')
    this.pillar = await this.askPillar({ pillarenv, override: null })
    opts.set('pillar', this.pillar)
    this.made = undefined
  }

  /** Decrypt the pillar override with the keys of the minion: the master does not decrypt data of a minion. */
  private async readable(request: PillarRequest): Promise<PillarRequest> {
    const { opts, log } = this.parts
    const { override, overrideEncoding } = request
    if (override === null || overrideEncoding === null) return request
    await decryptOverride(override, overrideEncoding, { opts, functions: await this.functions, log })
    return request
  }

  private async askPillar(request: AskedPillar): Promise<Dict> {
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

  /** Ask for the sources of pillar values; only a Brine master answers. */
  private async askOrigins(path: readonly string[], request: AskedPillar): Promise<PillarOrigin[]> {
    const load = this.pillarLoad('_pillar_origins', request).set('path', [...path]) as Dict
    try {
      return readOrigins(await this.parts.link.channel.sendPrivate(load))
    } catch (error) {
      if (!isWireError(error, 'AuthenticationError')) throw error
      throw new SaltError('CommandExecutionError', 'This master does not tell where its pillar comes from')
    }
  }

  private pillarLoad(cmd: string, request: AskedPillar): Dict {
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
    if (request.ext !== undefined) load.set('ext', request.ext)
    return load
  }
}

/** The keys of a pillar; its values are secrets. */
const keysText = (pillar: Dict): string => (pillar.size === 0 ? 'it is empty' : [...pillar.keys()].map(str).join(', '))

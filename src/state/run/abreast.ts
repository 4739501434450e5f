// Selects the next states of a run that may run in parallel on a remote machine, so that they share round trips. Each
// of them reads and changes only its own place, so the results equal those of sequential runs. Places are compared by
// their real paths: through symbolic links, and without files that have several names.
import { basename, dirname, join } from 'node:path/posix'
import type { Later } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../../data/mod.ts'
import { type FileStat, isWithin } from '../../host/mod.ts'
import { isSelfContained } from '../../jinja/mod.ts'
import type { StatePlace } from '../../sdk/mod.ts'
import type { Dependencies } from '../compile/dependencies.ts'
import { lowTag } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import type { RunSurroundings } from './surroundings.ts'

/** How many states run in parallel: each may hold its content in memory. */
const MOST = 24

/** Size limit of content in bytes: larger content uses a separate connection, of which a machine allows few. */
const MOST_CONTENT = 256 << 10

/** Keys of a chunk for the engine. Any other key that is no argument of the state excludes it from parallel runs. */
const ENGINE_KEYS = new Set<Value>(['state', 'fun', '__sls__', '__env__', '__id__', 'order', 'require'])

/** Modules that states with a place work with. */
const MODULES = ['cp', 'file']

const overlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)))

export class Abreast {
  private readonly run: RunSurroundings
  private readonly dependencies: Dependencies
  /** By environment and URL, whether a template calls no function. */
  private readonly templates = new Map<string, Promise<boolean>>()
  private readonly isOn: boolean

  constructor(run: RunSurroundings, dependencies: Dependencies) {
    const { opts, functions, mocked, steps } = run
    this.run = run
    this.dependencies = dependencies
    const isPlain =
      !mocked && !steps && !option(opts, 'failhard') && !option(opts, 'test') && !option(opts, 'state_events')
    this.isOn = isPlain && functions.ctx.host.expect !== undefined && MODULES.every((name) => functions.isBuiltIn(name))
  }

  /** Return how many chunks from this one on may run in parallel, judged by their arguments; 0 if this one may not. */
  likely(chunks: readonly LowChunk[], from: number): number {
    return this.isOn ? this.places(chunks, from).length : 0
  }

  /** Return how many chunks from this one on may run in parallel; at most 1 if this one runs alone. */
  count(chunks: readonly LowChunk[], from: number, running: Dict): Later<number> {
    if (!this.isOn) return 0
    const places = this.places(chunks, from)
    const late = places.findIndex((_, i) => !this.isReady(chunks[from + i]!, running))
    if (late >= 0) places.length = late
    return places.length > 1 ? this.confirmed(places, chunks, from) : places.length
  }

  /** Do the work of so many of the chunks beside each other. */
  async beside<T>(chunks: readonly LowChunk[], from: number, count: number, work: () => Promise<T>): Promise<T> {
    const { host } = this.run.functions.ctx
    const places = this.places(chunks, from).slice(0, count)
    host.apart?.(places.map(({ paths }) => paths))
    try {
      return await work()
    } finally {
      host.apart?.([])
    }
  }

  /** The places of the chunks from this one on, up to the first that has none or overlaps with an earlier one. */
  private places(chunks: readonly LowChunk[], from: number): StatePlace[] {
    const places: StatePlace[] = []
    for (const low of chunks.slice(from, from + MOST)) {
      const place = this.placeOf(low)
      if (!place || places.some(({ paths }) => overlap(paths, place.paths))) break
      places.push(place)
    }
    return places
  }

  private placeOf(low: LowChunk): StatePlace | undefined {
    const { states } = this.run
    const find = states.get(`${str(low.get('state') ?? null)}.${str(low.get('fun') ?? null)}`)?.place
    return find?.(new Map([...low].filter(([key]) => !ENGINE_KEYS.has(key))))
  }

  /** Whether all that a chunk requires has run. */
  private isReady(low: LowChunk, running: Dict): boolean {
    const tag = lowTag(low)
    if (running.has(tag)) return false
    return this.dependencies
      .of(low, tag)
      .every(([type, required]) => type === 'require' && isDict(running.get(lowTag(required)) ?? null))
  }

  private async confirmed(places: readonly StatePlace[], chunks: readonly LowChunk[], from: number): Promise<number> {
    const found = await Promise.all(
      places.map(async ({ paths, template }, i) => {
        const env = str(chunks[from + i]!.get('__env__') ?? 'base')
        return template === undefined || (await this.isPlain(template, env)) ? this.realPlace(paths) : undefined
      }),
    )
    const wrong = found.findIndex(
      (place, i) => !place || found.slice(0, i).some((other) => other && overlap(place, other)),
    )
    return wrong < 0 ? found.length : wrong
  }

  /**
   * Return the paths with their real paths on the machine; undefined if one of them leads elsewhere or its directory is
   * missing.
   */
  private async realPlace(paths: readonly string[]): Promise<string[] | undefined> {
    const { host } = this.run.functions.ctx
    try {
      const real = await Promise.all(
        paths.map(async (path) => {
          const [stat, folder] = await Promise.all([host.lstat(path), host.realPath(dirname(path))])
          return isSimple(stat) ? join(folder, basename(path)) : undefined
        }),
      )
      return real.every((path) => path !== undefined) ? [...paths, ...real] : undefined
    } catch {
      // the state itself reports the error
      return undefined
    }
  }

  private isPlain(url: string, env: string): Promise<boolean> {
    const key = `${env} ${url}`
    const known = this.templates.get(key) ?? this.lookAt(url, env)
    this.templates.set(key, known)
    return known
  }

  private async lookAt(url: string, env: string): Promise<boolean> {
    const { opts, functions } = this.run
    if (truthy(option(opts, 'jinja_env'))) return false
    try {
      const path = await functions.call('cp.cache_file', [url, env])
      if (!truthy(path)) return false
      return isSelfContained(new TextDecoder().decode(await functions.ctx.host.read(str(path))))
    } catch {
      // the state itself reports the error of its source
      return false
    }
  }
}

/** Whether a file is missing, or is a small one with one name, or a directory. */
const isSimple = (stat: FileStat | undefined): boolean =>
  stat === undefined ||
  stat.type === 'directory' ||
  (stat.type === 'file' && stat.links === 1 && stat.size <= MOST_CONTENT)

// The cache of machine data, one file each below `<cachedir>/active/<driver>/<alias>`, in Salt's layout. The cloud
// roster of salt-ssh reads it.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, dictFrom, encodeMsgpack, equals, isDict, type Value } from '../data/mod.ts'
import type { CloudNode } from '../sdk/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { CloudReporter } from './events.ts'

export interface NodeCacheParts {
  cachedir: string
  log: Log
  report: CloudReporter
  /** Whether to fire cache_node_new and cache_node_missing. */
  firesNews: boolean
  firesDiffs: boolean
}

interface Place {
  driver: { name: string }
  provider: { alias: string }
}

export class NodeCache {
  private readonly parts: NodeCacheParts

  constructor(parts: NodeCacheParts) {
    this.parts = parts
  }

  /** Store all machines of a provider, and remove those that are gone. */
  async keepAll(place: Place, nodes: readonly CloudNode[]): Promise<void> {
    const { report, firesNews, firesDiffs } = this.parts
    const folder = this.folder(place)
    const before = this.read(folder)
    for (const node of nodes.filter(({ name }) => isValidId(name))) {
      const known = before.get(node.name)
      const now = shown(node)
      const kept: Dict = new Map([...(known ?? []), ...now, ...originOf(place)])
      if (!known && firesNews) await report(node.name, 'cache_node_new', new Map([['new_data', now]]), 'new node found')
      const isSame = known !== undefined && equals(known, kept)
      if (known && !isSame && firesDiffs) {
        const data = new Map<Value, Value>([['new_data', now]]).set('cache_data', known)
        await report(node.name, 'cache_node_diff', data, 'node data differs')
      }
      if (!isSame) this.write(folder, node.name, kept)
    }
    const names = new Set(nodes.map(({ name }) => name))
    for (const [name, known] of before) {
      if (names.has(name)) continue
      if (firesNews)
        await report(
          name,
          'cache_node_missing',
          new Map([['missing node', known]]),
          'cached node missing from provider',
        )
      this.forget(place, name)
    }
  }

  keep(place: Place, node: CloudNode, profile: string | null): void {
    const kept: Dict = new Map<Value, Value>([...shown(node), ...originOf(place), ['profile', profile]])
    this.write(this.folder(place), node.name, kept)
  }

  forget(place: Place, name: string): void {
    // names of providers may be paths, for which nothing is stored
    if (!isValidId(name)) return
    rmSync(this.file(this.folder(place), name), { force: true })
  }

  private folder({ driver, provider }: Place): string {
    return join(this.parts.cachedir, 'active', encodeURIComponent(driver.name), encodeURIComponent(provider.alias))
  }

  private file(folder: string, name: string): string {
    return join(folder, `${name}.p`)
  }

  private write(folder: string, name: string, value: Dict): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fresh = join(folder, `.${name}.${process.pid}`)
    writeFileSync(fresh, encodeMsgpack(value, 'bus'), { mode: 0o600 })
    renameSync(fresh, this.file(folder, name))
  }

  private read(folder: string): Map<string, Dict> {
    const found = new Map<string, Dict>()
    let files: string[]
    try {
      files = readdirSync(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return found
      throw error
    }
    for (const file of files.filter((name) => name.endsWith('.p'))) {
      try {
        const value = decodeMsgpack(readFileSync(join(folder, file)), { dialect: 'bus' })
        if (isDict(value)) found.set(file.slice(0, -2), value)
      } catch (error) {
        this.parts.log('warning', `${join(folder, file)} cannot be read: ${toError(error).message}`)
      }
    }
    return found
  }
}

const originOf = ({ driver, provider }: Place): Dict => dictFrom({ driver: driver.name, provider: provider.alias })

/** The fields that -Q shows. */
export function shown({ name, id, image, size, state, private_ips, public_ips }: CloudNode): Dict {
  return new Map<Value, Value>(Object.entries({ id, image, name, private_ips, public_ips, size, state }))
}

/** All that -F shows. */
export function shownFully(node: CloudNode): Dict {
  return new Map<Value, Value>([...(node.details ?? []), ...shown(node)])
}

// The syndics of a master of masters: the minions that may act as one, those that have done so, and those that listen
// now.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, PRIVATE_FILE, PRIVATE_FOLDER, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, fnmatch, isList, str } from '../data/mod.ts'
import { isValidId } from '../wire/mod.ts'
import type { Connections } from './connections.ts'

/** Syndics that are remembered. */
const MOST = 10_000

/** How long a syndic is expected back after it lost its connection, in milliseconds. */
const EXPECTED_BACK = 60_000

export interface SyndicsParts {
  opts: Dict
  log: Log
  connections: Pick<Connections, 'mayListen' | 'lostFor'>
  /** Whether the key of a minion is accepted. */
  isAccepted(id: string): boolean
}

export class Syndics {
  private readonly parts: SyndicsParts
  private readonly folder: string
  private readonly known: Set<string>

  constructor(parts: SyndicsParts) {
    this.parts = parts
    this.folder = join(option(parts.opts, 'cachedir'), 'syndics')
    this.known = new Set(option(parts.opts, 'order_masters') ? this.stored() : [])
  }

  /**
   * Whether a minion may act as a syndic: with `order_masters`, the minions in `syndics`, or all if that option is not
   * set.
   */
  mayPassOn(id: string): boolean {
    const { opts } = this.parts
    if (!option(opts, 'order_masters')) return false
    const named = opts.get('syndics') ?? null
    return named === null || (isList(named) && named.some((glob) => fnmatch(id, str(glob))))
  }

  /** Whether a minion has acted as a syndic before, and may. */
  isKnown(id: string): boolean {
    return this.known.has(id) && this.mayPassOn(id) && this.parts.isAccepted(id)
  }

  /** Remember a syndic, also in a file, as Salt does. */
  register(id: string): void {
    if (this.known.has(id) || !isValidId(id) || !this.mayPassOn(id) || this.known.size >= MOST) return
    this.known.add(id)
    try {
      mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER })
      writeFileSync(join(this.folder, id), '', { mode: PRIVATE_FILE })
    } catch (error) {
      this.parts.log('warning', `Syndic ${id} is not remembered after a restart: ${toError(error).message}`)
    }
  }

  /** The syndics that get a publication of now, or are expected back in time for it. */
  listening(): string[] {
    const { connections } = this.parts
    const isNear = (id: string): boolean =>
      connections.mayListen(id) || (connections.lostFor(id) ?? Number.POSITIVE_INFINITY) < EXPECTED_BACK
    return [...this.known].filter((id) => this.isKnown(id) && isNear(id))
  }

  get hasAny(): boolean {
    return [...this.known].some((id) => this.isKnown(id))
  }

  private stored(): string[] {
    try {
      return readdirSync(this.folder).filter(isValidId).slice(0, MOST)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.parts.log('warning', `Cannot read which syndics are known: ${toError(error).message}`)
      }
      return []
    }
  }
}

// Targets that minions name. They must not be able to guess the pillar of others by patterns, nor to keep the master busy
// with an expression that takes forever to match.
import { createContext, Script } from 'node:vm'
import { resolveTarget } from '../client/mod.ts'
import { str, type Value } from '../data/mod.ts'
import { match } from '../match/mod.ts'
import type { MasterParts } from './parts.ts'

/** What minions may ask of pillar is a whole value. */
const EXACT: ReadonlyMap<string, string> = new Map([
  ['pillar', 'pillar_exact'],
  ['pillar_pcre', 'pillar_exact'],
  ['compound', 'compound_pillar_exact'],
])

/** Kinds of targets in which there are regular expressions. */
const EXPRESSIONS = new Set(['pcre', 'grain_pcre', 'pillar_pcre', 'compound', 'compound_pillar_exact', 'nodegroup'])

type Subject = Parameters<typeof match>[2]

const LONGEST_MS = 1500

export class MinionTargets {
  private readonly parts: MasterParts
  private readonly longest: number
  /** Those whose expressions took too long. */
  private readonly slow = new Set<string>()

  constructor(parts: MasterParts, longest: number = LONGEST_MS) {
    this.parts = parts
    this.longest = longest
  }

  /** Which minions a target means that this minion named, asking for pillar only by whole values. */
  exact(asking: string, target: Value, kind: string): string[] {
    return this.resolve(asking, target, EXACT.get(kind) ?? kind)
  }

  /** Whom a publication of this minion would reach; undefined when it would tell by that what is in their pillar. */
  reached(asking: string, target: Value, kind: string): string[] | undefined {
    const exact = new Set(this.exact(asking, target, kind))
    const all = EXACT.has(kind) ? this.resolve(asking, target, kind) : [...exact]
    return all.every((id) => exact.has(id)) ? all : undefined
  }

  /** Whom a target of the configuration means. */
  covered(target: Value): string[] {
    return resolveTarget(this.parts, target, 'compound').minions
  }

  /** Whether the asking one is among those whom another minion lets read something of its own. */
  isMeant(owner: string, target: Value, kind: string, subject: Subject): boolean {
    const attempt = (): boolean => match(kind, target, subject) === true
    return (EXPRESSIONS.has(kind) ? this.bounded(owner, target, attempt) : attempt()) ?? false
  }

  private resolve(asking: string, target: Value, kind: string): string[] {
    const attempt = (): string[] => resolveTarget(this.parts, target, kind).minions
    return (EXPRESSIONS.has(kind) ? this.bounded(asking, target, attempt) : attempt()) ?? []
  }

  private bounded<T>(author: string, target: Value, work: () => T): T | undefined {
    if (this.slow.has(author)) return undefined
    const found = within(this.longest, work)
    if (found !== undefined) return found
    this.slow.add(author)
    const shown = JSON.stringify(str(target).slice(0, 100))
    this.parts.log('error', `Minion ${author} named a target that takes too long to match: ${shown}`)
    return undefined
  }
}

const place = createContext({ work: (): unknown => undefined })
const script = new Script('work()')

/** Does it, and gives it up after so many milliseconds: nothing else ends a regular expression that goes on. */
function within<T>(timeout: number, work: () => T): T | undefined {
  place['work'] = work
  try {
    return script.runInContext(place, { timeout }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    place['work'] = undefined
  }
}

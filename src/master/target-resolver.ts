// Resolves targets of users and minions. Such an expression is untrusted and may take very long, so it is matched
// outside of the main thread, unless its kind has a bounded time.
import { createContext, Script } from 'node:vm'
import { type Log, shownText } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, encodeMsgpack, isList, textOf, type Value } from '../data/mod.ts'
import { type MinionKnowledge, resolveCertain, resolveTarget, type Targeted } from '../match/mod.ts'
import { matchForeign } from './target-process.ts'
import { type Failure, type Matched, TargetProcesses } from './target-processes.ts'

export interface TargetRequest {
  /** The user or the minion that named the target, for the log. */
  author: string
  target: Value
  kind: string
  delimiter?: string | undefined
  /** The function that is to be called. */
  fun?: Value | undefined
  /** Whether problems of the expression are not logged, because its author is still typing. */
  isQuiet?: boolean
}

export interface ResolvedTarget extends Targeted {
  /** The problems of the expression, as sentences for its author. */
  problems: string[]
}

export interface ResolverSettings {
  /** The file of this program. Without one, as in a master inside another program, all is matched here, within the limit. */
  program?: string | undefined
  /** Milliseconds for which an author's expressions are refused after one that took too long. */
  pauseMs?: number
}

/** Bytes of a target. */
const LONGEST_TARGET = 1 << 20
/** Steps of a glob that are done at once: its length times the number of ids. */
const MOST_STEPS = 200_000
const PAUSE_MS = 60_000
/** Authors that are remembered at once. */
const MOST_SLOW = 10_000

export class TargetResolver {
  private readonly known: MinionKnowledge
  private readonly limit: number
  private readonly pauseMs: number
  private readonly processes: TargetProcesses | undefined
  /** The end of the refusal by author, in milliseconds of `performance.now()`. */
  private readonly slow = new Map<string, number>()

  constructor(known: MinionKnowledge, { program, pauseMs = PAUSE_MS }: ResolverSettings = {}) {
    this.known = known
    this.pauseMs = pauseMs
    const seconds = option(known.opts, 'foreign_target_timeout')
    this.limit = Math.max(1, seconds * 1000)
    const { opts, log } = known
    this.processes = program === undefined ? undefined : new TargetProcesses({ program, opts, log, limit: this.limit })
  }

  /** Resolves a target of the master's owner or of the configuration, at once. */
  trusted({ target, kind, delimiter, fun, isQuiet }: Omit<TargetRequest, 'author'>): ResolvedTarget {
    const problems: string[] = []
    const log: Log = (level, text) => {
      if (level === 'error') problems.push(text)
      if (!isQuiet) this.known.log(level, text)
    }
    return { ...resolveTarget({ ...this.known, log }, target, kind, delimiter, fun), problems }
  }

  /** Return the minions and resources that a right on this compound target of the configuration covers. */
  covered(target: Value): string[] {
    return resolveCertain(this.known, target)
  }

  /**
   * Resolve an untrusted target within a time limit. If it takes longer, the result is empty and `problems` names the
   * reason. Repeated ids in a list count once.
   */
  async foreign(request: TargetRequest): Promise<ResolvedTarget> {
    const resolved = await this.resolved(request)
    return { ...resolved, minions: [...new Set(resolved.minions)], missing: [...new Set(resolved.missing)] }
  }

  private async resolved(request: TargetRequest): Promise<ResolvedTarget> {
    if (this.isCheap(request)) return this.trusted(request)
    const { target, kind, delimiter, fun } = request
    return this.ask(
      request,
      new Map<string, unknown>([
        ['target', target],
        ['kind', kind],
        ['delimiter', delimiter ?? null],
        ...(fun === undefined ? [] : ([['fun', fun]] as const)),
      ]),
    )
  }

  /** Whether a minion matches a target that another minion wrote, by its id and its grains only. */
  async isMeant(request: TargetRequest, id: string): Promise<boolean> {
    const { target, kind } = request
    const question = new Map<string, unknown>([
      ['target', target],
      ['kind', kind],
      ['subject', id],
    ])
    if (this.isCheap({ target, kind })) return matchForeign(this.known, question as Dict).minions.length > 0
    return (await this.ask(request, question)).minions.length > 0
  }

  close(): void {
    this.processes?.close()
  }

  /** Whether the time of matching is bounded by the lengths of its inputs. */
  private isCheap({ target, kind }: Pick<TargetRequest, 'target' | 'kind'>): boolean {
    const text = textOf(target)
    if (text !== undefined) {
      if (kind === 'list') return text.length <= LONGEST_TARGET
      return kind === 'glob' && (text === '*' || text.length * this.known.keys.list('minions').length <= MOST_STEPS)
    }
    if (kind !== 'list' && kind !== 'glob') return false
    return isList(target) && target.length <= LONGEST_TARGET / 16 && target.every((id) => typeof id === 'string')
  }

  private async ask({ author, target, isQuiet }: TargetRequest, fields: Map<string, unknown>): Promise<ResolvedTarget> {
    const wait = (this.slow.get(author) ?? 0) - performance.now()
    if (wait > 0) {
      return nobody(
        `An earlier target of ${author} took too long to match; try again in ${Math.ceil(wait / 1000)} seconds`,
      )
    }
    this.slow.delete(author)
    const question = encodeMsgpack(fields, 'bus')
    if (question.length > LONGEST_TARGET) {
      return nobody(`The target has ${question.length} bytes, ${LONGEST_TARGET} are allowed`)
    }
    const matched = await (this.processes?.ask(author, question) ?? this.here(fields as Dict))
    if (typeof matched === 'string') return nobody(this.failed(author, target, matched))
    if (!isQuiet) for (const line of matched.log) this.known.log(...line)
    const { minions, missing, log } = matched
    return { minions, missing, problems: log.flatMap(([level, text]) => (level === 'error' ? [text] : [])) }
  }

  /** Return the message for the author. */
  private failed(author: string, target: Value, failure: Failure): string {
    const shown = JSON.stringify(shownText(briefStr(target)).slice(0, 100))
    const what = `Target ${shown} of ${author}`
    if (failure === 'unavailable') return `${what} was not matched: no process is free for it`
    // an expression that ends its process, for example by its memory use, is treated like a slow one
    this.remember(author)
    const why = failure === 'slow' ? `took longer than ${this.limit / 1000} seconds to match` : 'could not be matched'
    this.known.log('error', `${what} ${why}; its targets are refused for ${this.pauseMs / 1000} seconds`)
    return `${what} ${why}`
  }

  private remember(author: string): void {
    this.slow.delete(author)
    this.slow.set(author, performance.now() + this.pauseMs)
    if (this.slow.size > MOST_SLOW) this.slow.delete(this.slow.keys().next().value!)
  }

  private async here(question: Dict): Promise<Matched | Failure> {
    return within(this.limit, () => matchForeign(this.known, question)) ?? 'slow'
  }
}

const nobody = (problem: string): ResolvedTarget => ({ minions: [], missing: [], problems: [problem] })

const place = createContext({ work: (): unknown => undefined })
const script = new Script('work()')

/** Match with a time limit in milliseconds: nothing else ends a slow regular expression. */
function within<T>(timeout: number, work: () => T): T | undefined {
  place['work'] = work
  try {
    return script.runInContext(place, { timeout: Math.ceil(timeout) }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    place['work'] = undefined
  }
}

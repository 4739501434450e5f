// The life of a process that matches foreign targets for its master. It looks at the same files as the master at each question,
// so a key that was just accepted and grains that were just stored count. It ends with the master.
import { BrineError, type Log, type LogLevel, shownText, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, decodeMsgpack, isDict, str, textOf, type Value } from '../data/mod.ts'
import { type MinionKnowledge, match, resolveTarget } from '../match/mod.ts'
import { fileCache, PkiKeys } from '../store/mod.ts'
import type { Matched, TargetAnswer, TargetQuestion } from './target-processes.ts'

/** Lines of the log that a question may cause, and characters of one. */
const MOST_LINES = 20
const LONGEST_LINE = 500

const unpacked = (bytes: Uint8Array): Dict => decodeMsgpack(bytes, { dialect: 'bus' }) as Dict

/** Send an answer to the master and wait until it is written: while a target is matched, nothing is sent. */
const tell = (answer: TargetAnswer): Promise<void> =>
  new Promise((done) => {
    process.send?.(answer, () => done())
  })

function knowledge(opts: Dict): MinionKnowledge {
  // without `watch`, so that directories are read at each question
  return { opts, keys: new PkiKeys(option(opts, 'pki_dir')), cache: fileCache(option(opts, 'cachedir')), log: () => {} }
}

/** Kinds of targets that need no data of minions. */
const BY_ID = new Set(['glob', 'list', 'pcre', 'managing_minion'])

/** Load the data about minions into memory, because the time limit must not include disk access. */
function prepare({ keys, cache }: MinionKnowledge, question: Dict): void {
  if (question.has('subject') || BY_ID.has(str(question.get('kind') ?? ''))) return
  for (const bank of ['grains', 'pillar']) for (const id of keys.list('minions')) cache.bank(bank).fetch(id)
}

/** Answers a question: `subject` is the minion that is to be matched alone, by its grains. */
export function matchForeign(known: MinionKnowledge, question: Dict): Matched {
  const lines: Array<[LogLevel, string]> = []
  const log: Log = (level, text) => {
    if (lines.length < MOST_LINES) lines.push([level, text.slice(0, LONGEST_LINE)])
  }
  const target = question.get('target') ?? ''
  const kind = str(question.get('kind') ?? 'glob')
  const subject = textOf(question.get('subject') ?? null)
  if (subject !== undefined)
    return { minions: isMeant(known, subject, kind, target, log) ? [subject] : [], missing: [], log: lines }
  const delimiter = textOf(question.get('delimiter') ?? null)
  return { ...resolveTarget({ ...known, log }, target, kind, delimiter, question.get('fun')), log: lines }
}

function isMeant(known: MinionKnowledge, id: string, kind: string, target: Value, log: Log): boolean {
  const kept = known.cache.bank('grains').fetch(id)
  const grains: Dict = kept !== undefined && isDict(kept) ? kept : new Map()
  try {
    return match(kind, target, { id, grains, pillar: new Map(), opts: known.opts, log }) === true
  } catch (error) {
    // an invalid expression matches nothing
    if (!(error instanceof BrineError)) throw error
    log('debug', `Cannot match ${id} by ${kind}: ${error.message}`)
    return false
  }
}

export function serveTargets(): void {
  let known: MinionKnowledge | undefined
  const answer = async (question: TargetQuestion): Promise<void> => {
    if ('open' in question) {
      known = knowledge(unpacked(question.open))
      return tell('ready')
    }
    const asked = unpacked(question.ask)
    prepare(known!, asked)
    await tell('began')
    return tell(matchForeign(known!, asked))
  }
  const failed = (error: unknown): Promise<void> => {
    const text = `Cannot match the target: ${shownText(toError(error).message, LONGEST_LINE)}`
    return tell({ minions: [], missing: [], log: [['error', text]] })
  }
  process.on('message', (question: TargetQuestion) => void answer(question).catch(failed))
  process.once('disconnect', () => process.exit(0))
  // a terminal sends it to all; the master decides when this one ends
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}

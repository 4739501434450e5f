// A function on targets of the rosters, from the expression to all answers: for runner functions, orchestration, the API, and
// functions of targets that call functions of other targets.
import { option } from '../config/mod.ts'
import { SaltError } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { SshAnswer } from './answer.ts'
import { runSshJob, type SshJobRequest, type SshParts } from './job.ts'
import { ensureDefaultKey, type RosterEntry, rosterTargets } from './roster/mod.ts'

/** Jobs inside each other, such as `mine.get` of a function that itself calls `mine.get`. */
const DEEPEST = 10

export interface Sought extends Pick<SshJobRequest, 'tgt' | 'tgtType'> {
  /** A host that only the target names is not meant. */
  isInRoster?: boolean
}

/** Find the targets that an expression means. */
export async function sshTargets(
  { opts, log, stores }: SshParts,
  { tgt, tgtType, isInRoster = false }: Sought,
): Promise<RosterEntry[]> {
  const host = new LocalHost({ cache: option(opts, 'cachedir') })
  const entries = await rosterTargets({
    opts,
    log,
    host,
    cache: stores.cache,
    keys: stores.keys,
    tgt,
    tgtType,
    isInRoster,
  })
  if (entries.length > 0) await ensureDefaultKey(opts, host)
  return entries
}

/** Run a function on the targets that the request means. Answers come as they are ready. */
export async function* sshAnswers(parts: SshParts, request: SshJobRequest & Sought): AsyncGenerator<SshAnswer> {
  const depth = (parts.depth ?? 0) + 1
  if (depth > DEEPEST) {
    throw new SaltError('CommandExecutionError', `salt-ssh recursion depth limit exceeded (${DEEPEST})`)
  }
  const targets = await sshTargets(parts, request)
  if (targets.length === 0) parts.log('error', 'No matching targets found in roster.')
  yield* runSshJob({ ...parts, depth }, targets, request).answers
}

/** Run a function on the targets that the request means, and return all answers by id. */
export async function sshCommand(parts: SshParts, request: SshJobRequest): Promise<Map<string, SshAnswer>> {
  const answers = new Map<string, SshAnswer>()
  for await (const answer of sshAnswers(parts, request)) answers.set(answer.id, answer)
  return answers
}

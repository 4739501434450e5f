// Bootstraps several hosts: resolves the given words to hosts, works on some at the same time, and returns one text for
// each.
import { BrineError, shownText, toError, withHint } from '../../base/mod.ts'
import { quote } from '../../data/mod.ts'
import type { BootstrapOutcome } from '../../sdk/mod.ts'
import type { RosterEntry } from '../../ssh/mod.ts'
import { type BootstrapSite, bootstrapHost } from './host.ts'

/** How many hosts are worked on at once. */
const AT_ONCE = 8

/** Maximum length of a shown error, in characters. */
const LONGEST = 2000

/** Return the hosts that the words mean, each once. `unknown` makes the error for a word that means none. */
export async function hostsOf(
  words: readonly string[],
  targetsOf: (word: string) => Promise<RosterEntry[]>,
  unknown: (shown: string) => Error,
): Promise<RosterEntry[]> {
  const found = new Map<string, RosterEntry>()
  for (const word of words) {
    const entries = await targetsOf(word)
    if (entries.length === 0) throw unknown(quote(word))
    for (const entry of entries) found.set(entry.id, entry)
  }
  return [...found.values()]
}

/** Bootstrap hosts, some at the same time, and report each when it ends. */
export async function bootstrapHosts(
  site: BootstrapSite,
  entries: readonly RosterEntry[],
  tell: (outcome: BootstrapOutcome) => void,
): Promise<void> {
  const waiting = [...entries]
  const worker = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) tell(await outcomeOf(site, entry))
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, entries.length) }, worker))
}

async function outcomeOf(site: BootstrapSite, entry: RosterEntry): Promise<BootstrapOutcome> {
  const { id } = entry
  try {
    return { id, failed: false, text: await bootstrapHost(site, entry) }
  } catch (thrown) {
    const error = toError(thrown)
    const hint = error instanceof BrineError ? error.hint : undefined
    // the host is not trusted yet, so escape its text
    const text = withHint(error.message, hint).replace(/\s*\n\s*/g, '; ')
    return { id, failed: true, text: shownText(text, LONGEST) }
  }
}

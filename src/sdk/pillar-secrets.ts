// Which values of a pillar are secrets: a master tells a minion that asks for it, so that the minion does not show them either. They go
// with the pillar, which only that minion can open, under a key that the minion takes out again.
import { type Dict, isList, markedIn, markTexts, textOf, type Value } from '../data/mod.ts'

/** The field of a request in which a minion asks for it. */
const WISH = 'tell_secrets'
const KEY = '__secret_texts__'

/** Ask for the secrets of a pillar. */
export const askForSecrets = (load: Dict): Dict => load.set(WISH, true) as Dict

/** Return a pillar with the texts of its secrets, if the request asks for them. */
export function tellSecrets(load: Dict, pillar: Dict): Dict {
  const texts = load.get(WISH) === true ? [...markedIn(pillar)] : []
  return texts.length > 0 ? new Map<Value, Value>([...pillar, [KEY, texts]]) : pillar
}

/** Mark the secrets that came with a pillar, and return the pillar alone. */
export function takeSecrets(pillar: Dict): Dict {
  const texts = pillar.get(KEY)
  if (texts === undefined) return pillar
  pillar.delete(KEY)
  if (isList(texts)) markTexts(texts.flatMap((text) => textOf(text) ?? []))
  return pillar
}

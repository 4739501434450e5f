// The secret values of a pillar: a master sends their texts to a minion that requests them, so that the minion masks
// them too. They are sent with the pillar, which only that minion can decrypt, under a key that the minion removes.
import { type Dict, isList, markedIn, markTexts, textOf, type Value } from '../data/mod.ts'

/** The field of a request in which a minion requests the secrets. */
const WISH = 'tell_secrets'
const KEY = '__secret_texts__'

/** Ask for the secrets of a pillar. */
export const askForSecrets = (load: Dict): Dict => load.set(WISH, true) as Dict

/** Return a pillar with the texts of its secrets, if the request wants them. */
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

// Functions of the mine for targets without minions: `mine_functions` of the roster entry, the pillar or the master's
// options define the function and the arguments of a name.
import { type Dict, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import { readArgument } from '../sdk/mod.ts'

/** Keywords of a definition that restrict its readers; here, all readers are on the controller. */
const FOR_READERS = ['allow_tgt', 'allow_tgt_type']

/** The call that a name of the mine means; by the first of the sources that has the name. */
export function mineCall(alias: string, sources: readonly (Value | undefined)[]): { fun: string; words: Value[] } {
  for (const functions of sources) {
    const definition = functions !== undefined && isDict(functions) ? functions.get(alias) : undefined
    if (definition !== undefined) return callOf(alias, definition)
  }
  return { fun: alias, words: [] }
}

function callOf(alias: string, definition: Value): { fun: string; words: Value[] } {
  const items = isList(definition) ? definition : [definition]
  const keywords: Dict = new Map(items.filter(isDict).flatMap((item) => [...item]))
  const fun = str(keywords.get('mine_function') ?? alias)
  for (const name of ['mine_function', ...FOR_READERS]) keywords.delete(name)
  const words = items.filter((item) => item !== null && !isDict(item)).map(literalWord)
  if (keywords.size > 0) words.push(new Map<Value, Value>([['__kwarg__', true], ...keywords]))
  return { fun, words }
}

/** A value as a word of a command line that is read as this very value. */
export function literalWord(value: Value): Value {
  const text = textOf(value)
  return text === undefined || readArgument(text) === text ? value : JSON.stringify(text)
}

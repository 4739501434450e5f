// Short copies of received values, for events and logs.
import { briefStr } from './brief.ts'
import { HIDDEN, isProof } from './secret-texts.ts'
import { type Dict, isDict, isList, isNumeric, textOf, type Value } from './value.ts'

const LONGEST_TEXT = 256
const MOST_VALUES = 64
const DEEPEST = 4
const CUT = '…'

/**
 * Return a short copy of a value: long texts are cut, values beyond a number or depth are replaced by a mark, and
 * credentials are masked.
 */
export const briefCopy = (value: Value): Value => brief(value, { values: MOST_VALUES }, 0)

function brief(value: Value, budget: { values: number }, depth: number): Value {
  if (--budget.values < 0 || depth > DEEPEST) return CUT
  const text = textOf(value)
  if (text !== undefined) return cut(text)
  if (isDict(value)) {
    const copy: Dict = new Map()
    for (const [key, item] of value) {
      if (budget.values <= 0) break
      copy.set(cut(briefStr(key)), isProof(key) ? HIDDEN : brief(item, budget, depth + 1))
    }
    return copy
  }
  if (isList(value)) return value.slice(0, Math.max(0, budget.values)).map((item) => brief(item, budget, depth + 1))
  return value === null || typeof value === 'boolean' || isNumeric(value) ? value : CUT
}

const cut = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}${CUT}` : text)

// Why an access list allows a call, or why not, in sentences for the user. It judges by the same functions as a request does.
import { type Dict, isDict, isList, maskSecrets, str, textOf, type Value } from '../../data/mod.ts'
import { type Covers, callRule, isHarmless, type JudgedCall, publishRule } from './allowed.ts'

export type CallFamily = 'execution' | 'runner' | 'wheel'

/** The call in a query about rights. Without a target, it is judged for the minions of any entry. */
export interface AskedCall extends JudgedCall {
  family: CallFamily
}

/** The access list that holds for a user, and the place in the options that it is from. */
export interface HeldList {
  list: readonly Value[]
  source: string
}

export interface AccessVerdict {
  allowed: boolean
  /** The entry of the access list that allows the call. */
  rule?: Value
  reason: string
}

const anywhere: Covers = (target) => target === '*'
const somewhere: Covers = () => true

/** Judge a call of a function of the master. */
export function explainMasterCall({ list, source }: HeldList, { family, ...call }: AskedCall): AccessVerdict {
  const rule = callRule(list, family as 'runner' | 'wheel', call)
  return rule === undefined ? refused({ list, source }, call, family) : allowed(source, rule)
}

/**
 * Judge a call on minions. `minions` finds whether an entry covers the minions that the target means; undefined where the target means
 * no minion.
 */
export async function explainPublication(
  { list, source }: HeldList,
  call: AskedCall,
  minions?: () => Promise<Covers | undefined>,
): Promise<AccessVerdict> {
  if (isHarmless(call)) return { allowed: true, reason: `Every user may call ${call.fun}` }
  const general = publishRule(list, call, minions ? anywhere : somewhere)
  if (general !== undefined) return allowed(source, general)
  if (!minions || publishRule(list, call, somewhere) === undefined) return refused({ list, source }, call, call.family)
  const covers = await minions()
  const rule = covers && publishRule(list, call, covers)
  if (rule !== undefined) return allowed(source, rule)
  const targets = list.filter((entry) => publishRule([entry], call, somewhere) !== undefined).flatMap(keysOf)
  // the same answer for no minion and for minions outside the user's rights: the user must not learn about these
  const reason = `${source} allows ${call.fun} only on ${shortList(targets)}; the target means other minions, or none`
  return { allowed: false, reason }
}

const allowed = (source: string, rule: Value): AccessVerdict => ({
  allowed: true,
  rule,
  reason: `${source} has the entry ${ruleText(rule)}`,
})

function refused({ list, source }: HeldList, call: JudgedCall, family: CallFamily): AccessVerdict {
  if (list.length === 0) return { allowed: false, reason: `${source} has no entries` }
  const patterns = list.flatMap((entry) => patternsIn(entry, family))
  const [module = ''] = call.fun.split('.')
  const near = patterns.filter((pattern) => pattern.startsWith(module))
  const shown = near.length > 0 ? near : patterns
  const nearest = shown.length === 0 ? '' : `; nearest: ${shortList(shown)}`
  return { allowed: false, reason: `No entry of ${source} allows the ${family} function ${call.fun}${nearest}` }
}

const keysOf = (entry: Value): string[] => (isDict(entry) ? [...entry.keys()].map(str) : [])

/** The functions that an entry names, as far as it is about functions of this family. */
function patternsIn(entry: Value, family: CallFamily): string[] {
  const isOfMaster = (name: string): boolean => name.startsWith('@')
  const text = textOf(entry)
  if (text !== undefined) return isOfMaster(text) === (family !== 'execution') ? [text] : []
  if (!isDict(entry)) return []
  return [...entry].flatMap(([key, functions]) => {
    if (isOfMaster(str(key)) !== (family !== 'execution')) return []
    const names = (isList(functions) ? functions : [functions]).flatMap((item) => textOf(item) ?? keysOf(item))
    return family === 'execution' ? names : names.map((name) => `${str(key)}: ${name}`)
  })
}

const MOST_SHOWN = 3

function shortList(names: readonly string[]): string {
  const different = [...new Set(names)]
  const rest = different.length - MOST_SHOWN
  return `${different.slice(0, MOST_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Return an entry of an access list in one line, as YAML has it. */
export const ruleText = (entry: Value): string => flow(maskSecrets(entry), true)

function flow(value: Value, isOuter = false): string {
  if (isList(value)) return `[${value.map((item) => flow(item)).join(', ')}]`
  if (!isDict(value)) return str(value)
  const pairs = [...(value as Dict)].map(([key, item]) => `${str(key)}: ${flow(item)}`).join(', ')
  return isOuter ? pairs : `{${pairs}}`
}

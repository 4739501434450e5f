// Conditions on versions: `1.20.*`, `>=1.2, <2`, compared as the package manager compares.
import { compareLoose, fnmatch, splitComparison, str, textOf, type Value, versionHolds } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { versionList } from './provider.ts'

interface Condition {
  operator: string
  version: string
}

export function conditionsOf(text: string): Condition[] {
  if (text.trim() === '') return []
  return text.split(',').map((part) => {
    const [operator, version] = splitComparison(part.trim())
    return { operator: operator === '' || operator === '=' ? '==' : operator, version }
  })
}

/** Return whether to ignore epochs; default: if a version without an epoch is compared by `==`. */
function ignoresEpoch({ operator, version }: Condition, ignoreEpoch: Value): Value {
  if (ignoreEpoch !== null) return ignoreEpoch
  return !/[<>]/.test(operator) && !version.includes(':')
}

async function holds(ctx: StateContext, installed: string, condition: Condition, ignoreEpoch: Value): Promise<boolean> {
  const { operator, version } = condition
  if (operator === '==' && fnmatch(installed, version)) return true
  const ignore_epoch = ignoresEpoch(condition, ignoreEpoch)
  const order = ctx.has('pkg.version_cmp')
    ? await ctx.call('pkg.version_cmp', [installed, version], { ignore_epoch })
    : compareLoose(installed, version)
  return versionHolds(installed, operator, version, () => (order === null ? undefined : Number(order)))
}

export interface Judgement {
  ignoreEpoch: Value
  /** Whether a newer version than the wanted one is accepted. */
  allowUpdates?: boolean
}

/** Return whether one of the installed versions meets all conditions. */
export async function fulfills(
  ctx: StateContext,
  installed: Value,
  wanted: Value,
  { ignoreEpoch, allowUpdates = false }: Judgement,
): Promise<boolean> {
  const conditions = conditionsOf(textOf(wanted) ?? str(wanted))
  const [only] = conditions
  if (allowUpdates && conditions.length === 1 && only!.operator === '==') only!.operator = '>='
  for (const version of versionList(installed).map(str)) {
    let all = true
    for (const condition of conditions) all &&= await holds(ctx, version, condition, ignoreEpoch)
    if (all) return true
  }
  return false
}
